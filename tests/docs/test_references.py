"""Whatever the repository refers to is in the repository: pages, sections, papers."""

import re
from functools import cache
from pathlib import Path

import pytest

import voile
from voile import catalog

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "docs", "tests", "benchmarks", "examples")
KINDS = {".py", ".md", ".toml", ".cff", ".yml", ".yaml"}
FACTS = re.compile(
    r"facts/(?P<page>\w+)\.md(?:[)\],]|\]\([^)]*\))*\s+\(?(?:section\s+)?(?P<label>[A-C]?\d+(?:\.\d+)?)\b"
)
CITED = re.compile(r"((?:El |de )?[A-Z][\w-]+(?:\s+and\s+(?:El )?[A-Z][\w-]+|\s+et\s+al\.))\s+((?:19|20)\d\d)\b")
GONE = {  # what stood outside of the repository, and what it was called
    "a paper by its number": re.compile(r"\b[Pp]apers?\s+00\d|paper_00\d"),
    "the design by its section": re.compile(r"\b[Dd]esign\s+section\b"),
    "a folder beside the repository": re.compile(r"\bshared/(facts|papers|cases|design|findings|style)\b"),
}


def files():
    here = Path(__file__)
    inside = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.suffix in KINDS]
    return [path for path in (*sorted(ROOT.glob("*.*")), *inside) if path.suffix in KINDS and path != here]


FILES = [path for path in files() if "__pycache__" not in path.parts]


@cache
def page(path):
    return path.read_text(encoding="utf-8") if path.is_file() else None


@cache
def anchors(path):
    """What links to headings of a page end with."""
    headings = re.findall(r"^#+ (.+)$", page(path) or "", re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def has_section(path, label):
    """A heading with this label; or, for `A4.3`, the third item below the heading `A4`."""
    if re.search(rf"^#+ {re.escape(label)}\.? ", page(path), re.M):
        return True
    above, _, item = label.rpartition(".")
    body = re.search(rf"^#+ {re.escape(above)}\. .*?(?=^#+ |\Z)", page(path), re.M | re.S) if above else None
    return bool(body and re.search(rf"^{item}\. ", body[0], re.M))


def broken_links(path, text):
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", text):
        if re.match(r"\w+:", target):
            continue
        there = (path.parent / target).resolve() if target else path
        if not there.exists():
            yield f"no {target}"
        elif anchor and anchor not in anchors(there):
            yield f"no heading {target}#{anchor}"


def missing_pages(text):
    for name in set(re.findall(r"\b(docs/(?!\S*NAME)[\w/.-]+\.md)\b", text)):
        if page(ROOT / name) is None:
            yield f"no {name}"
    for name in set(re.findall(r"\bfacts/(\w+)\.md", text)):
        if page(ROOT / "docs" / "facts" / f"{name}.md") is None:
            yield f"no facts on {name}"
    for name, label in set(FACTS.findall(text)):
        path = ROOT / "docs" / "facts" / f"{name}.md"
        if page(path) is not None and not has_section(path, label):
            yield f"no section {label} of facts/{name}.md"


def dangling(path, text):
    """What a file refers to and is not there."""
    found = [*missing_pages(text), *(broken_links(path, text) if path.suffix == ".md" else ())]
    if ROOT / "docs" not in path.parents and re.search(r"(?<![\w/])facts/\w+\.md", text):
        found.append("facts that are not said to be in docs")
    return [*found, *(what for what, pattern in GONE.items() if pattern.search(text))]


def test_no_reference_dangles():
    found = {path.relative_to(ROOT).as_posix(): dangling(path, page(path)) for path in FILES}
    assert {name: problems for name, problems in found.items() if problems} == {}
    assert len(FILES) > 700


@pytest.mark.parametrize(
    "text",
    [
        "see facts/nothing.md",
        "(docs/facts/nothing.md A1)",
        "(docs/facts/bsgi.md A9)",
        "(docs/facts/bsgi.md A4.99)",
        "[facts](facts/safety.md), section 99",
        "docs/nothing.md says so",
        "[there](nothing.md)",
        "[there](theory.md#nothing)",
        "[here](#nothing)",
        "as paper " + "003 writes it",
        "tests.theory.paper_" + "004",
        "(design " + "section 7)",
        "../shared/" + "facts of it",
    ],
)
def test_what_dangles_is_found(text):
    assert dangling(ROOT / "docs" / "theory.md", text)


def test_facts_are_in_docs():
    assert dangling(ROOT / "src" / "voile" / "errors.py", "(facts/bsgi.md A1)")
    assert dangling(ROOT / "src" / "voile" / "errors.py", "(docs/facts/bsgi.md A1)") == []


@pytest.mark.parametrize(
    "text",
    [
        "(docs/facts/bsgi.md A4.3), docs/facts/safety.md\n    1.2 and section 10",
        "[facts](facts/safety.md), section 9; [facts](facts/sweep.md) (B3)",
        "[there](facts/safety.md#9-checklist-for-an-implementation), [page](https://example.org)",
    ],
)
def test_what_is_there_is_not_complained_of(text):
    assert dangling(ROOT / "docs" / "theory.md", text) == []


@cache
def listed():
    """The papers of the bibliography, as they are cited."""
    return set(re.findall(r"^\| ([^|]+ \d{4}) \|", page(ROOT / "docs" / "bibliography.md"), re.M))


def test_the_bibliography_has_authors_title_venue_and_year():
    rows = re.findall(r"^\| ([^|]+) (\d{4}) \|(.+)\|$", page(ROOT / "docs" / "bibliography.md"), re.M)
    assert len(rows) == len(listed()) > 30
    for name, year, rest in rows:
        authors, title, where = (cell.strip() for cell in rest.split(" | "))
        assert authors and title and year in where, name


CARDS = {
    f"{kind}: {key}": card.paper
    for kind in ("algorithms", "models", "metrics", "attacks")
    for key, card in getattr(catalog, kind)().items()
}


@pytest.mark.parametrize("card", CARDS)
def test_every_card_cites_authors_and_year_of_the_bibliography(card):
    cited = re.findall(r"(?:^|; |, after )([^;,]+ \d{4})(?=[;,]|$)", CARDS[card])
    assert len(cited) == len(re.findall(r"\d{4}", CARDS[card])) > 0
    assert set(cited) <= listed()


def test_every_paper_named_on_a_page_is_in_the_bibliography():
    texts = [page(path) for path in FILES if "tests" not in path.relative_to(ROOT).parts]
    named = {f"{' '.join(who.split())} {year}" for text in texts for who, year in CITED.findall(text)}
    assert named - listed() == set() and len(named) > 15


def test_the_citation_file_agrees_with_the_package():
    text = page(ROOT / "CITATION.cff")
    assert re.search(r"^cff-version: 1\.2\.0$", text, re.M)
    assert re.findall(r"^version: (.+)$", text, re.M) == [voile.__version__]
    for title in re.findall(r'^    title: "?([^"\n]+)"?$', text, re.M):
        assert f"| {title} |" in page(ROOT / "docs" / "bibliography.md")
