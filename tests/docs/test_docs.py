"""The docs against the program: every command, option, algorithm, model and metric has its place."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from voile import catalog
from voile.cli.main import COMMANDS
from voile.core.schema import ColumnSpec, Role, Type

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def page(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_pages_of_the_design_exist():
    for name in ("promise", "known-limits", "architecture", "glossary", "tutorial"):
        assert page(f"docs/{name}.md").startswith("# ")
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE"):
        assert (ROOT / name).stat().st_size > 200


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_option_is_documented(command):
    text = page("docs/commands.md")
    assert f"`voile {command}" in text
    for parameter in importlib.import_module(f"voile.cli.{command}").command.params:
        if (
            parameter.opts[0].startswith("-")
            and "--json" not in parameter.opts
            and command in ("anonymize", "inspect")
        ):
            assert parameter.opts[0] in text, parameter.opts


@pytest.mark.parametrize("key", catalog.algorithms())
def test_every_algorithm_has_its_page_and_row(key):
    text = page(f"docs/algorithms/{key}.md")
    assert f"(docs/algorithms/{key}.md)" in page("README.md")
    algorithm = catalog.algorithm(key)
    assert catalog.models()[algorithm.promise].title in text
    for card in algorithm.parameters():
        assert f"| `{card.name}` |" in text


@pytest.mark.parametrize("key", catalog.models())
def test_every_model_has_its_row(key):
    assert f"| `{key}` | `{catalog.models()[key].symbol}` |" in page("docs/models.md")


@pytest.mark.parametrize("key", catalog.metrics())
def test_every_metric_has_its_row(key):
    metric = catalog.metrics()[key]
    assert f"| `{key}` | {metric.best} | {metric.range} |" in page("docs/metrics.md")


def test_every_spec_option_is_in_the_tutorial():
    text = page("docs/tutorial.md")
    for option in set(ColumnSpec.__dataclass_fields__) - {"name", "role", "order"}:
        assert f"`{option}`" in text, option
    assert all(f"`{word}`" in text for word in (*Role, *Type))


def test_links_lead_somewhere():
    for path in [*DOCS.rglob("*.md"), *ROOT.glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_readme_python_runs(tmp_path):
    """The twenty lines of the README, as a reader would paste them."""
    code = re.search(r"```python\n(.*?)```", page("README.md"), re.S).group(1)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "unique distinct l-diversity" in done.stdout
    assert "is the largest possible" in done.stdout


def test_readme_tables_are_what_the_demo_makes(tmp_path):
    import voile
    from voile.hospital import write_hospital

    table, spec = write_hospital(tmp_path)
    release = voile.anonymize(voile.read(table, spec), "elig", l=5).frame
    rows = [r.strip("| ").split(" | ") for r in page("README.md").splitlines() if r.startswith("| 1000 |")]
    shown = release.filter(release["group"] == 1000).rows()
    assert rows == [[str(cell) for cell in row] for row in shown]
    source = table.read_text()
    for name in ("Eva Juhl", "Ben Lund"):
        line = next(r for r in page("README.md").splitlines() if name in r).strip("| ").split(" | ")
        assert any(all(cell in row.split(",") for cell in line) for row in source.splitlines())


def test_tutorial_spec_is_accepted():
    import tomllib

    import voile

    document = tomllib.loads(re.search(r"```toml\n(.*?)```", page("docs/tutorial.md"), re.S).group(1))
    assert len(list(voile.Schema.of(document["columns"], document["file"]))) == 7


def test_tutorial_shows_every_built_in_hierarchy():
    import tomllib

    import voile
    from voile.core.hierarchy_recipe import KINDS

    _, block = re.findall(r"```toml\n(.*?)```", page("docs/tutorial.md"), re.S)
    shown = {c.hierarchy.kind for c in voile.Schema.of(tomllib.loads(block)["columns"])}
    assert shown == set(KINDS)
    assert all(f"| `{kind} = " in page("docs/tutorial.md") for kind in KINDS)


@pytest.mark.slow
@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_examples_run(example):
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "all promises met" in done.stdout
