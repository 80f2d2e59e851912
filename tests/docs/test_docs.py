"""The docs against the program: every command, option, algorithm, model and metric has its place."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from voile import catalog
from voile.asked import chosen_for
from voile.cli.main import COMMANDS
from voile.core.schema import ColumnSpec, Role, Type
from voile.prices import RUNGS

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


@pytest.mark.slow
def test_readme_python_runs(tmp_path):
    """The twenty lines of the README, as a reader would paste them."""
    code = re.search(r"```python\n(.*?)```", page("README.md"), re.S).group(1)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "frequency l-diversity\nalgorithm, marginal\none sensitive column" in done.stdout
    assert "unique distinct l-diversity" in done.stdout
    assert "is the largest possible" in done.stdout


def test_readme_shows_a_group_that_the_demo_can_make(tmp_path):
    """Groups are drawn, so another run makes others; but of five diagnoses, and of people who are there."""
    from voile.hospital import write_hospital

    table, _ = write_hospital(tmp_path)
    rows = [r.strip("| ").split(" | ") for r in page("README.md").splitlines() if re.match(r"\| \d+ \| \[", r)]
    _, age, sex, district, insurance, admitted, _ = rows[0]
    assert len(rows) == 5 == len({row[-1] for row in rows}) and len({tuple(row[:-1]) for row in rows}) == 1
    (youngest, oldest), (first, last) = (text.strip("[]").split(", ") for text in (age, admitted))
    frame = pl.read_csv(table, infer_schema=False).filter(
        pl.col("age").cast(int).is_between(int(youngest), int(oldest)),
        pl.col("admitted").is_between(pl.lit(first), pl.lit(last)),
        pl.col("district").str.starts_with(district.strip("*")),
        sex=sex,
        insurance=insurance,
    )
    assert {row[-1] for row in rows} <= set(frame["diagnosis"])
    source = table.read_text()
    for name in ("Eva Juhl", "Ben Lund"):
        line = next(r for r in page("README.md").splitlines() if name in r).strip("| ").split(" | ")
        assert any(all(cell in row.split(",") for cell in line) for row in source.splitlines())


@pytest.mark.slow
def test_readme_says_what_each_promise_costs_and_what_is_chosen(tmp_path):
    import voile
    from voile.hospital import write_hospital

    table = voile.read(*write_hospital(tmp_path))
    lines = page("README.md").splitlines()
    for asked in RUNGS:
        key = chosen_for(asked, sensitive=1).key
        seed = {} if catalog.algorithm(key).deterministic else {"insecure_seed": 1}  # rarely a draw is far off
        loss = voile.anonymize(table, key, l=5, **seed).certificate["utility"]["gcp_leaves"]
        row = next(line for line in lines if line.startswith(f"| `{asked.words}`"))
        said = int(re.search(r"about (\d+) %", row).group(1)) / 100
        assert f"`{key}`" in row and abs(loss - said) < 0.03, row
    release = voile.anonymize(table, l=5)
    asked = release.certificate["asked"]
    assert any(line.split(None, 1)[1:] == [f"{asked['algorithm']}: {asked['why']}"] for line in lines)


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
