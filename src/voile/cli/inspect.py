"""`voile inspect`: roles, types and warnings for a table without a spec, and a first spec."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from voile.cli.database import PLACE, QUERY, TABLE, from_database
from voile.errors import OutputError, counted

if TYPE_CHECKING:
    from voile.inspection.candidate import Candidate
    from voile.inspection.inspecting import Inspection
    from voile.inspection.proposal import Proposal


@click.command(help="Propose a role and a type for every column of TABLE, warn, and write a first spec.")
@click.argument("table", type=PLACE)
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), help="New file for the spec; default: beside TABLE, as .toml."
)
@click.option("--sensitive", multiple=True, metavar="COLUMN", help="A column known to be sensitive; repeatable.")
@click.option("--encoding", help='Of a CSV that is not UTF-8, for example "latin-1".')
@click.option("--delimiter", help="Of a CSV; default: found by looking.")
@click.option("--header", is_flag=True, help="The first line is names, even if it looks like data.")
@click.option("--show-values", is_flag=True, help="Name frequent values, and write known scales as ordinal.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@from_database(TABLE, QUERY)
def command(
    table: Any,
    out: Path | None,
    sensitive: tuple[str, ...],
    encoding: str | None,
    delimiter: str | None,
    header: bool,
    show_values: bool,
    as_json: bool,
) -> None:
    from voile.cli import show
    from voile.cli.progress import ProgressBar, announce_compilation
    from voile.inspection.inspecting import inspect
    from voile.output.writers import write_bytes

    target = out or _beside(table)
    _refuse_occupied(target)
    announce_compilation()
    with ProgressBar() as report:
        found = inspect(
            table,
            sensitive=sensitive,
            encoding=encoding,
            delimiter=delimiter,
            header=header,
            show_values=show_values,
            report=report,
        )
    if not found.publishable and not as_json:
        describe(found)  # why there is no spec
    write_bytes(found.spec(str(target)).encode(), target)
    with show.telling(f"the spec is written to {target}"):
        if as_json:
            answer = {"ok": True, "spec": str(target), "next": found.command(str(target))}
            show.document({**answer, **found.document()})
        else:
            describe(found)
            _conclude(found, target)


def _beside(table: Any) -> Path:
    """Where the spec goes by itself: beside a file; of a database named as the table, if that is plain."""
    if isinstance(table, Path):
        return table.with_suffix(".toml") if table.name else Path("spec.toml")
    return Path(f"{table.name if table.name.isidentifier() else 'spec'}.toml")


def _refuse_occupied(target: Path) -> None:
    if target.exists():
        raise OutputError("exists already", where=target.name, remedy="choose another name with -o")


def describe(found: "Inspection") -> None:
    """The proposals, what each sensitive column allows, and the warnings."""
    from voile.cli import show
    from voile.inspection.candidate import EDGE

    console = show.console()
    title = f"{found.source}: {counted(found.rows, 'row')}, {counted(len(found.columns), 'column')}"
    _list(title, ("column", "role", "published as", "why"), map(_proposed, found.columns))
    if found.candidates:
        header = ("sensitive column", "values", "most frequent", "largest l", "for one l more suppress")
        _list("", header, map(_allowed, found.candidates))
        console.print("l also grows when the most frequent values are recorded in finer detail.\n")
        lines = ("(tau,l)-diversity of", "on true values (sweep_e)", "of generalised values (sweep)")
        _list("", lines, ((c.name, c.on_true_values, c.generalised) for c in found.candidates))
        for c in found.candidates:
            if c.chosen and c.suggested:
                console.print(Text(f"{EDGE[0].upper()}{EDGE[1:]}, for example sweep_e {c.suggested}.\n"))
    if found.ways_out:
        console.print(Text.assemble(("! ", "yellow"), found.ways_out))
    for warning in found.warnings:
        console.print(Text.assemble(("! ", "yellow"), warning))
    if found.warnings:
        console.print()


def _list(title: str, header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """A table without lines: names can be long, screens narrow."""
    from voile.cli import show
    from voile.inspection.plain_text import shown

    heading = Text(shown(title)) if title else None
    grid = Grid(title=heading, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in header:
        grid.add_column(name, overflow="fold", no_wrap=name in ("role", "published as", "largest l"))
    for row in rows:
        grid.add_row(*(Text(shown(cell)) for cell in row))
    show.console().print(grid)


def _proposed(p: "Proposal") -> tuple[str, ...]:
    role = f"{p.role} ?" if p.question else p.role.value
    return p.name, role, p.type.value if p.published else "dropped", "; ".join((p.reason, *p.notes))


def _allowed(c: "Candidate") -> tuple[str, ...]:
    share = f"{float(c.top_share):.1%} of rows" + (f": {c.top_value}" if c.top_value else "")
    largest = str(c.largest_l) if c.largest_l > 1 else "none"
    return c.name, str(c.values), share, f"{largest} (chosen)" if c.chosen else largest, _price(c)


def _price(c: "Candidate") -> str:
    """What one l more costs in rows."""
    if c.raised_by_suppressing is None:
        return "too few values"
    return f"{counted(c.raised_by_suppressing, 'row')} ({c.raised_by_suppressing / c.rows:.1%})"


def _conclude(found: "Inspection", target: Path) -> None:
    from voile.cli import show

    questions = sum(bool(p.question) for p in found.columns)
    asked = f"answer its {questions} questions (# ?)" if questions > 1 else "answer its question (# ?)"
    show.facts(
        "Written",
        [("spec", f"{target}; {asked if questions else 'read it once'}"), ("next", found.command(str(target)))],
    )
