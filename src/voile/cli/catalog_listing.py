"""What `voile algorithms`, `models`, `metrics` and `attacks` share: a table, or JSON."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click


def listing(title: str, help: str, rows: Callable[[], Iterable[Mapping[str, Any]]]) -> click.Command:
    """A command that lists cards."""

    @click.command(help=help)
    @click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
    def command(as_json: bool) -> None:
        from voile.cli import show

        cards = list(rows())
        if as_json:
            show.document({"ok": True, title: cards})
        else:
            show.cards(title, cards)

    return command
