"""Tables and verdicts for people."""

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click
import polars as pl
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from voile.errors import counted

if TYPE_CHECKING:
    from voile.core.privacy_model import PrivacyModel


def console() -> Console:
    """Standard output; wide enough for paths when it is not a terminal."""
    wide = Console()
    return wide if wide.is_terminal else Console(width=120)


def document(content: Mapping[str, Any]) -> None:
    """One JSON document on standard output."""
    click.echo(json.dumps(content, indent=2, ensure_ascii=False))


def grid(title: str, header: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """A titled table."""
    shown = Grid(title=title, title_justify="left", header_style="bold")
    for name in header:
        shown.add_column(escape(name), overflow="fold")
    for row in rows:
        shown.add_row(*(escape(str(cell)) for cell in row))
    console().print(shown)


def facts(title: str, rows: Iterable[tuple[str, str]]) -> None:
    """Names and what they are, without a header."""
    shown = Grid(title=title, title_justify="left", show_header=False)
    shown.add_column(style="bold", no_wrap=True)
    shown.add_column(overflow="fold")
    for name, value in rows:
        shown.add_row(escape(name), escape(value))
    console().print(shown)


def cards(title: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """One block per entry of a catalog; readable on a narrow terminal, too."""
    for card in rows:
        name, *others = card.items()
        lines = [(key, "\n".join(value) if isinstance(value, list) else str(value)) for key, value in others]
        facts(f"{title}: {name[1]}", lines)


def frame(title: str, rows: pl.DataFrame) -> None:
    """A few rows of data: only ever synthetic ones, or a release."""
    grid(title, rows.columns, rows.rows())


def checks(achieved: Mapping[str, object], models: Mapping[str, type["PrivacyModel"]]) -> None:
    """What each privacy model says: first the figures that protect by being large."""
    order = sorted(achieved, key=lambda key: (models[key].sense != ">=", list(models).index(key)))
    rows = []
    for key in order:
        model = models[key]
        others = [f"{card.name} = {card.default}" for card in model.parameters() if card.name != model.bound]
        figure = "-" if achieved[key] is None else achieved[key]
        rows.append((", ".join([model.title, *others]), figure, _SAFER[model.sense], model.meaning))
    grid("What the published table achieves", ("model", "achieved", "safer", "meaning"), rows)


def verdicts(met: Iterable[str], failures: Iterable[str]) -> None:
    """What was kept and what was broken, a line each."""
    for line in met:
        console().print(f"[green]met:[/] {escape(line)}", soft_wrap=True)
    for line in failures:
        console().print(f"[bold red]not met:[/] {escape(line)}", soft_wrap=True)


def true_values(section: Mapping[str, Any] | None) -> None:
    """What the certificate says of the values before they were generalised; loudly where it is worse."""
    if not section:
        return
    achieved = section["achieved"]
    if section["kept"]:
        console().print(f"[green]on true values:[/] kept, too (achieved {achieved})", soft_wrap=True)
        return
    rows, groups = counted(section["rows_above"], "row"), counted(section["groups_above"], "group")
    console().print(
        f"[bold red]on true values: {achieved}, not kept:[/] [yellow]{rows} in {groups}. The promise holds for "
        "what generalised values may stand for, not for a reader who finds out what they do stand for[/]",
        soft_wrap=True,
    )


_SAFER = {">=": "larger", "<=": "smaller", "<": "smaller"}
