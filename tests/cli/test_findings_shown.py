"""Which findings are said loudly, beside the table of all of them."""

import pytest

from voile.cli import show
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
