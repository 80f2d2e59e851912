"""The pages with proofs against the repository: what a checklist cites is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ["glass", "symb", "blind_cut"]
ORACLE = "oracle/test_safe_trees.py"


def checklist(key):
    """The rows of the table: point, where, test."""
    text = (ROOT / "docs" / "algorithms" / f"{key}.md").read_text(encoding="utf-8")
    part = text[text.index("## Checklist") :].split("\n## ")[0]
    return [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in part.splitlines() if re.match(r"\| \d", line)
    ]


def defines(path, name):
    return re.search(rf"^(def|class) {name}\b", path.read_text(encoding="utf-8"), re.M)


@pytest.mark.parametrize("key", PAGES)
def test_all_twelve_points_are_there(key):
    assert [int(point.split()[0]) for point, _, _ in checklist(key)] == list(range(1, 13))


def cited(key):
    """Point, file and name of every test that a checklist cites; a name without a file is in the file before."""
    for point, _, tests in checklist(key):
        file = ""
        for named, test in re.findall(r"`([\w/.]*)::(\w+)`", tests):
            file = (ORACLE if named == "oracle" else named) or file
            yield point, file, test


@pytest.mark.parametrize("key", PAGES)
def test_cited_tests_exist(key):
    for point, file, test in cited(key):
        if file != ORACLE:
            assert defines(ROOT / "tests" / file, test), f"{point}: {file}::{test}"


@pytest.mark.parametrize("key", PAGES)
def test_cited_oracle_exists(key):
    found = [test for _, file, test in cited(key) if file == ORACLE]
    assert found and all(defines(ROOT / "tests" / ORACLE, test) for test in found)


@pytest.mark.parametrize("key", PAGES)
def test_cited_code_exists(key):
    found = 0
    for point, where, _ in checklist(key):
        for file, names in re.findall(r"`([\w/]+\.py)(?:: ([\w, ]+))?`", where):
            path = ROOT / "src" / "voile" / file
            path = path if path.exists() else ROOT / "src" / "voile" / "algorithms" / file
            for name in filter(None, names.split(", ")):
                found += 1
                assert defines(path, name), f"{point}: {file}: {name}"
    assert found >= 5


@pytest.mark.parametrize("key", PAGES)
def test_pages_have_their_parts(key):
    text = (ROOT / "docs" / "algorithms" / f"{key}.md").read_text(encoding="utf-8")
    headings = ["What it is for", "The theorem", "How it works", "Proof", "Settings fixed in advance", "Checklist"]
    for heading in [*headings, "Limits", "What it costs", "Parameters"]:
        assert f"\n## {heading}\n" in text, heading


def test_settings_of_the_pages_are_those_of_the_code():
    from voile.algorithms.fixed_settings import settings_of_blind_cut, settings_of_glass

    rows = {
        key: {
            line.split("|")[1].strip(" `"): [cell.strip() for cell in line.split("|")[2:-1]]
            for line in (ROOT / "docs" / "algorithms" / f"{key}.md")
            .read_text()
            .split("## Settings fixed in advance")[1]
            .split("\n## ")[0]
            .splitlines()
            if line.startswith("| `")
        }
        for key in ("glass", "blind_cut")
    }
    for ell, place in ((2, 0), (3, 1), (4, 2), (7, 2)):
        fixed = settings_of_glass(ell)
        assert set(rows["glass"]) == set(fixed)
        for name in set(fixed) - {"least"}:
            assert rows["glass"][name][place] == str(fixed[name]), name
        assert rows["glass"]["least"][place] == str(fixed["least"]) or (place == 2 and fixed["least"] == 8 * ell)
    for ell in (2, 5):
        fixed = settings_of_blind_cut(ell)
        assert {name: row[0] for name, row in rows["blind_cut"].items()} == {
            "tau": str(fixed["tau"]),
            "limit": str(fixed["limit"]),
            "least": "l",
        }
        assert fixed["least"] == ell
