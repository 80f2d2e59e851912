"""Which findings are said loudly, beside the table of all of them."""

from pathlib import Path

import pytest

from tests.attacking.test_known_audit import SPEC, people
from voile import publish
from voile.cli import show
from voile.cli.anonymize import summary
from voile.core.attack import Finding


@pytest.mark.parametrize(
    "finding, loud",
    [
        ({"ok": False}, "gets through:"),
        ({"ok": None, "warning": True, "private": True}, "not promised, and gets through:"),
        ({"ok": True, "beyond": True, "warning": True, "private": True}, "above the promise:"),
        ({"inconclusive": True, "private": True}, "inconclusive:"),
        ({"ok": None, "warning": True}, ""),
        ({"ok": True}, ""),
        ({"ok": None}, ""),
    ],
)
def test_what_works_or_says_nothing_is_said_again(finding, loud, capsys):
    show.findings([Finding("a", "an attack", "in words", 10, 5, **finding)])
    lines = [line for line in capsys.readouterr().out.splitlines() if line.endswith(": an attack: in words")]
    assert lines == ([f"{loud} an attack: in words"] if loud else [])


@pytest.mark.parametrize("key", ["glass", "elig", "anatomy"])
@pytest.mark.parametrize("depends", [0.8, 0.0])
def test_what_a_learner_gets_right_stands_directly_under_the_promise(key, depends, capsys, tmp_path):
    """In red where it is above the promise. Control: where nothing can be learnt it is there, and not in red."""
    release, _ = publish(people(depends), SPEC, key, tmp_path / "out", l=3)
    graded = release.private_record["attacks"][0]
    [(name, words)] = show.learner(release.private_record)
    assert words.style == ("bold red" if graded["warning"] else "") and graded["warning"] is (depends > 0)
    assert f"{graded['rate']:.1%}" in words.plain and "never publish it" in words.plain
    summary(release, Path("out"), Path("s.toml"))
    first = [line.split("\u2502")[1].strip() for line in capsys.readouterr().out.splitlines() if "\u2502" in line]
    assert list(filter(None, first))[:2] == ["promise, kept", name]


def test_what_was_not_measured_is_said_to_be_so():
    [(_, words)] = show.learner({"rows_read": 3})
    assert "not measured" in words.plain and "nothing is promised" in words.plain
