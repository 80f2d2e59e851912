"""Wherever we say how surely a value can be guessed, the same sentence says by whom.

"Nobody's value can be guessed with more than 1/l" is false as a layperson reads it: our own attack refutes it. It
is true of someone who does not know which values go with which quasi-identifiers.
"""

import ast
import re
from pathlib import Path

import pytest

from voile import catalog
from voile.core.privacy_model import READER

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "algorithms").glob("*.md")),
    *sorted((ROOT / "docs" / "facts").glob("*.md")),
]
SOURCES = sorted((ROOT / "src" / "voile").rglob("*.py"))
CLAIM = re.compile(
    r"(guess\w*|inferr?e?d?|be known|is known|confidence)\b.{0,90}?\b(more than|at most|better than|exceeds?)\b"
    r".{0,40}?(1/[a-z0-9{]+|confidence|chance|\d %)|"
    r"\bright with (a chance of )?at most\b|\bno guess is better\b",
    re.DOTALL,
)
NAMED = re.compile(r"which (values|diagnoses) go with|\blearns?\b|READER")


def sentences(text):
    """Sentences, lines of tables and items of lists; commands and programs say nothing."""
    text = re.sub(r"```.*?```", "\n\n", text, flags=re.DOTALL)
    for block in re.split(r"\n\s*\n|\n(?=[|*#>-])", text):
        yield from re.split(r"(?<=[.!?])\s+(?=[A-Z`*\[(])", block.replace("\n", " "))


def strings(tree):
    """What a module may show: its strings, whole, with the names of what is put in; not its explanations."""
    nodes = list(ast.walk(tree))
    apart = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    apart |= {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            yield "".join(p.value if isinstance(p, ast.Constant) else ast.unparse(p) for p in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in apart:
            yield node.value


def nameless(sentence):
    return bool(CLAIM.search(sentence)) and not NAMED.search(sentence)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages_name_the_reader(page):
    assert [s for s in sentences(page.read_text(encoding="utf-8")) if nameless(s)] == []


@pytest.mark.slow
def test_programs_name_the_reader():
    found = {
        (path.name, text)
        for path in SOURCES
        for text in strings(ast.parse(path.read_text(encoding="utf-8")))
        for sentence in sentences(text)
        if nameless(sentence)
    }
    assert found == set()


@pytest.mark.parametrize(
    "sentence",
    [
        "nobody's value can be guessed from the release with more than 1/l confidence",
        "Whoever finds a person's group is right with a chance of at most {chance}",
        "m = 4: no guess is better than 1/4.",
        "so that nobody's value can be inferred with more than 1/m confidence",
    ],
)
def test_what_we_used_to_say_is_caught(sentence):
    assert nameless(sentence) and not nameless(f"{sentence}, by {READER}")


def test_certificates_name_the_reader():
    assert READER in catalog.models()["frequency_l_diversity"].meaning
