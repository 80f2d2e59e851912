"""A test is skipped only for want of a program or a right, never of a file, and the reason says how to get it."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
REMEDY = re.compile(r"\b(apt-get|pip) install \S|\bas root\b|\bptrace\b")
SKIPS = {"skip", "skipif", "importorskip", "skipTest", "SkipTest"}
FILES = re.compile(r"\bdata\b|VOILE_|\.(csv|json|parquet|md)\b")


def called(node):
    """The last name of what is called."""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def reason_of(node):
    """The expression that says why; None if there is none."""
    named = [word.value for word in node.keywords if word.arg in ("reason", "msg")]
    if called(node) in ("skip", "skipTest", "SkipTest"):
        named += node.args
    return named[0] if named else None


def words(expression, tree, others):
    """Every text that a reason may be: itself, a constant of its file, what a function of any file returns."""
    if expression is None:
        return [""]
    if isinstance(expression, ast.Call):
        found = [f for t in (tree, *others) for f in ast.walk(t) if getattr(f, "name", None) == called(expression)]
        returned = [part.value for f in found for part in ast.walk(f) if isinstance(part, ast.Return)]
        return [text for value in returned for text in texts(value) if text] or [""]
    if isinstance(expression, ast.Name):
        assigned = (node for node in tree.body if isinstance(node, ast.Assign))
        set_to = [node.value for node in assigned if getattr(node.targets[0], "id", "") == expression.id]
        return [text for value in set_to for text in texts(value)] or [""]
    return texts(expression) or [""]


def texts(expression):
    return [n.value for n in ast.walk(expression) if isinstance(n, ast.Constant) and isinstance(n.value, str)]


def bad_skips(source, others=()):
    """Lines of a file that skip without saying what to install, or for want of a file."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called(node) in SKIPS:
            found = words(reason_of(node), tree, others)
            if not all(REMEDY.search(text) and not FILES.search(text) for text in found):
                yield node.lineno


def sources():
    return {
        path: path.read_text(encoding="utf-8") for path in sorted(TESTS.rglob("*.py")) if path != Path(__file__)
    }


@pytest.mark.slow
def test_every_skip_says_what_to_install():
    trees = [ast.parse(source) for source in sources().values()]
    found = {str(path.relative_to(TESTS)): list(bad_skips(text, trees)) for path, text in sources().items()}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_skips_are_seen():
    """The control on the suite itself: the programs are among the reasons that were looked at."""
    said = " ".join(sources().values())
    assert sum(bool(REMEDY.search(line)) for line in said.splitlines()) >= 5
    assert all(program in said for program in ("strace", "chromium", "openjdk", "postgresql"))


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('pytest.skip("no data: set VOILE_DATA")', [1]),
        ('pytest.skip("no data.csv: apt-get install it")', [1]),
        ('needs = pytest.mark.skipif(not here(), reason="the oracle is not here yet")', [1]),
        ("needs = pytest.mark.skipif(not here())", [1]),
        ('pytest.importorskip("sklearn")', [1]),
        ("pytest.skip(why())\n\n\ndef why():\n    return 'no luck'", [1]),
        ('WHY = "no luck"\npytest.skip(WHY)', [2]),
        ("@pytest.mark.skip\ndef test_it():\n    pass", []),  # is no call: see below
        ('pytest.importorskip("sklearn", reason="no scikit-learn: pip install scikit-learn")', []),
        ('WHY = "no Java: apt-get install openjdk-17-jre-headless"\npytest.skip(WHY)', []),
        ('pytest.skip("mounting works only as root")', []),
    ],
)
def test_what_is_a_bad_skip(source, lines):
    assert list(bad_skips(source)) == lines


def test_no_test_is_switched_off():
    """`@pytest.mark.skip` and xfail need no reason and never run: there is none."""
    marks = re.compile(r"pytest\.mark\.(skip\b|xfail)|pytest\.xfail")
    assert [str(path) for path, text in sources().items() if marks.search(text)] == []
    assert marks.search("@pytest.mark.skip") and marks.search("@pytest.mark.xfail(strict=True)")
    assert not marks.search("@pytest.mark.skipif(True)")
