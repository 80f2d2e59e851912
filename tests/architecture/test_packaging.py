"""What surrounds the package: metadata, workflows, the container file and the site name only what exists."""

import re
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import voile

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]


def targets():
    return set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))


def steps(workflow):
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].values()
    return [step for job in jobs for step in job["steps"]]


def test_every_target_is_phony():
    """A file of that name would make it do nothing."""
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M).group(1)
    assert set(phony.split()) == targets()


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_make_targets_only(workflow):
    for step in steps(workflow):
        if "run" in step:
            make = re.fullmatch(r"(?:sudo )?make ([a-z]+)", step["run"])
            assert make and make[1] in targets(), step


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_and_may_only_read(workflow):
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"]) for step in steps(workflow) if "uses" in step)
    assert yaml.safe_load(workflow.read_text(encoding="utf-8"))["permissions"] == {"contents": "read"}


def test_the_workflows_run_what_a_change_must_pass():
    run = {step["run"].split()[-1] for workflow in WORKFLOWS for step in steps(workflow) if "run" in step}
    assert {"lint", "test", "demo", "docs", "dist", "nightly"} <= run


def test_supported_pythons_are_the_same_everywhere():
    """Classifiers, the workflow and the page; this interpreter is one of them."""
    named = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    checks = yaml.safe_load((ROOT / ".github/workflows/checks.yml").read_text(encoding="utf-8"))
    assert named == checks["jobs"]["test"]["strategy"]["matrix"]["python"]
    assert PROJECT["requires-python"] == f">={named[0]}"
    page = (ROOT / "docs" / "versions.md").read_text(encoding="utf-8")
    assert all(f"| {version} |" in page for version in named)
    assert f"{sys.version_info[0]}.{sys.version_info[1]}" in named


def test_metadata():
    assert PROJECT["authors"] and PROJECT["license"] == "Apache-2.0"
    assert not [c for c in PROJECT["classifiers"] if c.startswith("License ::")]  # PEP 639: the expression says it
    assert "Typing :: Typed" in PROJECT["classifiers"] and (Path(voile.__file__).parent / "py.typed").is_file()
    heavy = {"pyspark", "playwright", "scikit-learn", "duckdb", "pandas", "nicegui", "pyarrow"}
    plain = {re.match(r"[\w-]+", name)[0] for name in PROJECT["dependencies"]}
    assert not plain & heavy
    extras = PROJECT["optional-dependencies"]
    assert [name for name, parts in extras.items() if any("pyspark" in part for part in parts)] == ["spark"]


def test_the_wheel_is_the_package_and_no_more():
    """What `make dist` finds in the archive itself."""
    assert SETTINGS["tool"]["hatch"]["build"]["targets"] == {"wheel": {"packages": ["src/voile"]}}
    assert not list((ROOT / "src").rglob("test_*.py")) and not list((ROOT / "src").rglob("conftest.py"))


def container():
    """Its instructions, as pairs of word and rest."""
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    return [line.split(None, 1) for line in text.splitlines() if line.strip() and not line.startswith("#")]


def test_the_container_copies_what_exists_and_nothing_else_is_sent():
    copied = [source for word, rest in container() if word == "COPY" for source in rest.split()[:-1]]
    assert copied and all((ROOT / source).exists() for source in copied)
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert ignored[1] == "*" and {line[1:] for line in ignored if line.startswith("!")} == set(copied)


def test_the_container_runs_as_an_ordinary_user():
    users = [rest for word, rest in container() if word == "USER"]
    words = [word for word, _ in container()]
    assert users == ["steward"] and "--uid 10001" in (ROOT / "Containerfile").read_text(encoding="utf-8")
    assert max(i for i, word in enumerate(words) if word == "RUN") < words.index("USER") < words.index("CMD")
    started = dict(container())
    assert started["ENTRYPOINT"] == '["voile"]' and started["CMD"].startswith('["serve"')


def pages_of(nav):
    for entry in nav if isinstance(nav, list) else nav.values():
        yield from [entry] if isinstance(entry, str) else pages_of(entry)


def test_every_page_is_in_the_navigation_of_the_site():
    named = list(pages_of(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]))
    linked = (
        re.search(r"\{([A-Z,]+)\}\.md", (ROOT / ".ci" / "site").read_text(encoding="utf-8")).group(1).split(",")
    )
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").rglob("*.md")]
    there = {path.relative_to(ROOT).as_posix() for path in pages} | {f"{name}.md" for name in linked}
    assert len(named) == len(set(named)) and set(named) == there
    assert {path.stem for path in ROOT.glob("*.md")} == set(linked)


def test_the_site_asks_nobody_for_fonts_and_checks_links():
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert site["theme"]["font"] is False
    assert set(site["validation"]["links"].values()) == set(site["validation"]["nav"].values()) == {"warn"}
    assert "build --strict\n" in (ROOT / ".ci" / "site").read_text(encoding="utf-8")  # --quiet would not count
