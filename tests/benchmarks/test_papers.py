"""The pages of the papers: every figure and table is there, text and JSON agree, the programs run on a little."""

import json
import re
from pathlib import Path

import pytest

from benchmarks import republication
from benchmarks.papers import contents, page
from benchmarks.papers.page import ASIDE, NO, PARTLY, UNKNOWN, YES, Claim, Exhibit, Paper

ROOT = Path(__file__).parents[2]
PAGES, RESULTS = ROOT / "docs" / "papers", ROOT / "benchmarks" / "papers"
PRESENT = {  # what issue 8 asks for
    "streamliner": [f"Figure {n}" for n in range(1, 8)],
    "m_invariance": [f"Figure {n}" for n in range(4, 10)],
    "sweep": [f"Figure {n}" for n in range(5, 9)],
    "bsgi": [*(f"Figure {n}" for n in range(4, 7)), "Table 5"],
    "k_jump": [f"Section {n}" for n in range(5, 8)],
}
REFUTED = {  # claims that do not hold, by the facts: words of the line that must say so
    "streamliner": ["GDA keeps 1/l", "GDA always finds", "l-cover", "Lemma 1", "Definition 1"],
    "m_invariance": ["at most 10 %", "Lemma 4"],
    "sweep": ["generalising sensitive values protects", "every requirement can be met"],
    "bsgi": ["Corollary 3", "Definition 2", "half an hour"],
    "k_jump": ["Theorem 1", "272/315", "reused function", "discernibility"],
}


def study(key):
    (found,) = [each for each in contents.studies() if each.PAPER.key == key]
    return found


@pytest.mark.parametrize("key", PRESENT)
def test_every_figure_and_table_is_on_its_page(key):
    text = (PAGES / f"{key}.md").read_text(encoding="utf-8")
    sections = re.split(r"^## ", text, flags=re.M)[1:]
    of = {section.split(":")[0]: section for section in sections}
    for name in PRESENT[key]:
        assert "| the paper | here | holds |" in of[name], name
        assert re.search(r"^Difference: \w.+\.$", of[name], re.M), name
        assert of[name].count("\n|---") > 1, "its claims, and our figures"
    assert re.search(r"profile \*\*(small|full)\*\*", text)


@pytest.mark.parametrize("key", REFUTED)
def test_what_does_not_hold_is_said(key):
    lines = (PAGES / f"{key}.md").read_text(encoding="utf-8").splitlines()
    for words in REFUTED[key]:
        assert any(words in line and line.endswith(f"| {NO} |") for line in lines), words


@pytest.mark.parametrize("key", PRESENT)
def test_page_and_figures_agree(key, tmp_path):
    """The committed page is what the committed JSON gives, and so is every picture's list of figures."""
    found = json.loads((RESULTS / f"{key}.json").read_text(encoding="utf-8"))
    exhibits = study(key).exhibits(found)
    text = page.text_of(study(key).PAPER, found, exhibits)
    assert text == (PAGES / f"{key}.md").read_text(encoding="utf-8")
    for exhibit in exhibits:
        assert {claim.holds for claim in exhibit.claims} <= {YES, NO, PARTLY, UNKNOWN, ASIDE}
        if exhibit.picture:
            assert (ROOT / "docs" / "pictures" / f"{exhibit.picture_name(key)}.svg").is_file()


def test_the_index_is_up_to_date(tmp_path):
    contents.write_contents(docs=tmp_path)
    text = (tmp_path / "papers" / "README.md").read_text(encoding="utf-8")
    assert text == (PAGES / "README.md").read_text(encoding="utf-8")
    for key, names in PRESENT.items():
        assert all(f"| [{key}]({key}.md), {name} |" in text for name in names)


def test_a_page_says_who_made_it_and_shows_gaps():
    exhibit = Exhibit("Figure 9", "how", [Claim("more", "less", NO)], "none.", {"Ours": [{"a": 1.5}, {}]})
    run = {"profile": "small", "date": "2026-01-02", "revision": "abc", "seconds": 90, "with": "Python"}
    text = page.text_of(Paper("key", "Nobody 2009", "title", "On a table."), {"run": run}, [exhibit])
    assert "# Nobody 2009: title" in text and "**small**" in text and "1.5 minutes" in text and "abc" in text
    assert "| more | less | **no** |" in text and "| 1.5 |\n|  |\n" in text and "Difference: none.\n" in text


def test_profiles(monkeypatch):
    monkeypatch.delenv("FULL", raising=False)
    assert (page.asked_profile([]), page.asked_profile(["full"])) == ("small", "full")
    monkeypatch.setenv("FULL", "1")
    assert page.asked_profile([]) == "full"
    with pytest.raises(SystemExit):
        page.asked_profile(["huge"])
    assert all(set(each.SIZES) == set(page.PROFILES) for each in contents.studies())


@pytest.mark.usefixtures("twins")
@pytest.mark.slow
@pytest.mark.parametrize("key", PRESENT)
def test_every_command_runs_on_a_little(key, tmp_path, monkeypatch):
    monkeypatch.setattr(republication, "PERSONS", 3000)
    monkeypatch.setattr(republication, "ROWS", 1000)
    monkeypatch.setattr(republication, "QUERIES", 50)
    page.regenerate(study(key), "tiny", tmp_path, tmp_path)
    text = (tmp_path / "papers" / f"{key}.md").read_text(encoding="utf-8")
    assert all(f"## {name}: " in text for name in PRESENT[key]) and "**tiny**" in text
    pictures = {path.stem for path in (tmp_path / "pictures").glob("*.svg")}
    assert pictures == set(re.findall(r"\(\.\./pictures/([\w-]+)\.svg\)", text)) != set()
