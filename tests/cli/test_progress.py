"""The bar: silent on a pipe, there by itself after a second on a terminal."""

import os
import pty
import select
import sys

from rich.console import Console

from voile.cli import progress
from voile.cli.progress import ProgressBar


def test_silent_when_not_a_terminal(capfd):
    with ProgressBar() as report:
        report("grouping", 0.5)
    assert capfd.readouterr() == ("", "")


def read_until(terminal, word):
    """What was written on a terminal, until a word is among it."""
    seen = ""
    while word not in seen:
        assert select.select([terminal], [], [], 120)[0], f"{word} does not appear"
        seen += os.read(terminal, 10**6).decode()


def test_appears_by_itself_while_a_stage_cannot_count(monkeypatch):
    ours, theirs = pty.openpty()
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    with os.fdopen(theirs, "w") as screen:
        monkeypatch.setattr(progress, "Console", lambda **_: Console(file=screen, force_terminal=True))
        with ProgressBar() as report:
            for stage, share in (("reading", 0), ("grouping", 0.25)):
                report(stage, share)
                read_until(ours, stage)
    os.close(ours)


def test_a_quick_run_shows_nothing(monkeypatch, capfd):
    monkeypatch.setattr(progress, "Console", lambda **_: Console(file=sys.stderr, force_terminal=True))
    with ProgressBar() as report:
        report("grouping", 1.0)
    assert "grouping" not in capfd.readouterr().err
