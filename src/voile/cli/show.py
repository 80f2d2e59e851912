"""Tables and verdicts for people."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid
from rich.text import Text

from voile.errors import Untold, counted

if TYPE_CHECKING:
    import polars as pl

    from voile.core.attack import Finding
    from voile.core.privacy_model import PrivacyModel


def console() -> Console:
    """Standard output; wide enough for paths when it is not a terminal."""
    wide = Console()
    return wide if wide.is_terminal else Console(width=120)


def document(content: Mapping[str, Any]) -> None:
    """One JSON document on standard output."""
    click.echo(json.dumps(content, indent=2, ensure_ascii=False))


@contextmanager
def telling(done: str, remedy: str = "do not run it again") -> Iterator[None]:
    """While the answer is printed: where that fails, what was done is said all the same."""
    why = None
    try:
        yield
        sys.stdout.flush()
    except Untold as error:
        why = error.rule
    if why is not None:
        raise Untold(f"{done}, but the answer could not be printed", rule=why, remedy=remedy)


def grid(title: str, header: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    """A titled table."""
    shown = Grid(title=title, title_justify="left", header_style="bold")
    for name in header:
        shown.add_column(escape(name), overflow="fold")
    for row in rows:
        shown.add_row(*(escape(str(cell)) for cell in row))
    console().print(shown)


def facts(title: str, rows: Iterable[tuple[str, str | Text]]) -> None:
    """Names and what they are, without a header; a Text has its own style."""
    shown = Grid(title=title, title_justify="left", show_header=False)
    shown.add_column(style="bold", no_wrap=True)
    shown.add_column(overflow="fold")
    for name, value in rows:
        shown.add_row(escape(name), value if isinstance(value, Text) else escape(value))
    console().print(shown)


def learner(record: Mapping[str, Any]) -> list[tuple[str, Text]]:
    """What a reader who learns from all groups gets right, as rows under the promise; in red where it is above."""
    from voile.reporting.learner import learners

    private = "; for you alone: never publish it" if record.get("attacks") else ""
    return [
        ("someone who learns", Text(words + private, "bold red" if above else ""))
        for words, above in learners(record)
    ]


def sentence(text: str, style: str = "") -> None:
    """A line of words: broken between words at a terminal, whole in a file, where it may be searched for."""
    out = console()
    out.print(escape(text), style=style or None, soft_wrap=not out.is_terminal)


def cards(title: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """One block per entry of a catalog; readable on a narrow terminal, too."""
    for card in rows:
        name, *others = card.items()
        lines = [(key, "\n".join(value) if isinstance(value, list) else str(value)) for key, value in others]
        facts(f"{title}: {name[1]}", lines)


def frame(title: str, rows: "pl.DataFrame") -> None:
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


def findings(found: Iterable["Finding"]) -> None:
    """What attacks found, and the next step where they got somewhere."""
    found = list(found)
    rows = [
        (
            each.title + (" (for you alone)" if each.private else ""),
            f"{each.successes} of {each.trials}",
            "-" if each.highest is None else f"{float(each.highest):.1%}",
            each.state,
            each.meaning + (f". Next: {each.remedy}" if each.remedy else ""),
        )
        for each in found
    ]
    if rows:
        grid("Attacks on it", ("attack", "persons", "best guess", "verdict", "in words"), rows)
    for each in found:
        style = _loud(each)
        if style:
            line = f"[{style}]{each.state}:[/] {escape(f'{each.title}: {each.meaning}')}"
            console().print(line, soft_wrap=True)


def _loud(finding: "Finding") -> str:
    """How a finding that must not be missed is said: it works, or nobody may take it for a pass."""
    if finding.ok is False or (finding.private and finding.warning):
        return "bold red"
    return "yellow" if finding.inconclusive else ""


def verdicts(met: Iterable[str], failures: Iterable[str]) -> None:
    """What was kept and what was broken, a line each."""
    for line in met:
        console().print(f"[green]met:[/] {escape(line)}", soft_wrap=True)
    for line in failures:
        console().print(f"[bold red]not met:[/] {escape(line)}", soft_wrap=True)


def prices(lines: Sequence[Mapping[str, Any]]) -> None:
    """What each promise costs, a line per kind of reader and a column per l; and that nobody may choose by it."""
    from voile.prices import BEWARE, LOSS, TITLE, is_complete, price_rows

    if lines:
        header, rows = price_rows(lines)
        grid(f"{TITLE}: detail lost ({LOSS}), for you alone", header, rows)
        sentence(BEWARE, "yellow")
        for line in lines:
            if "refusal" in line:
                sentence(f"{line['algorithm']} l={line['l']}: {line['refusal']}", "yellow")
    if lines and not is_complete(lines):
        sentence("what was not run is run with --prices")


def true_values(certificate: Mapping[str, Any] | None, exact: Mapping[str, Any] | None = None) -> None:
    """What the certificate says of the values before they were generalised; loudly where it is worse. `exact` is
    what only the steward may see."""
    section = (certificate or {}).get("true_values")
    if certificate is None or not section:
        return
    achieved, (cut, raised, alike) = escape(str(section["achieved"])), _cut(certificate["table"])
    if alike:
        line = "the sensitive column is published as one node throughout, such as *: it says nothing any more"
        console().print(f"[bold red]{line}[/]", soft_wrap=True)
    says = "the certificate says:"
    if section["kept"]:
        console().print(f"[green]{says}[/] on true values kept, too (at most {achieved})", soft_wrap=True)
    else:
        why = _ONE_CUT if cut and raised else _SEEN_THROUGH
        known = section.get("achieved_by_table_frequencies")
        share = f", at most {escape(str(known))} for one of them" if why == _ONE_CUT and known is not None else ""
        line = f"[bold red]{says} on true values not kept (at most {achieved}).[/] [yellow]{why}{share}[/]"
        console().print(line, soft_wrap=True)
    if exact and not exact["kept"]:
        where = f"{counted(exact['rows_above'], 'row')} in {counted(exact['groups_above'], 'group')}"
        figure = escape(str(exact["achieved"]))
        console().print(f"for you alone: {where} above on true values, the worst at {figure}", soft_wrap=True)


def _cut(table: Mapping[str, Any]) -> tuple[bool, bool, bool]:
    """Of the generalised column: whether one cut serves the whole table, whether any row is generalised, and
    whether all rows show the same node. Nothing that a certificate says has to make sense."""
    for column in table["columns"]:
        if "base_values" in column:
            raised = column.get("generalised_rows")
            alike = bool(raised) and raised == table.get("rows") and column.get("nodes") == 1
            return column.get("one_cut") is True, bool(raised), alike
    return False, False, False


_ONE_CUT = "One cut of the hierarchy for the whole table: a node tells how frequent its values are in the table"
_SEEN_THROUGH = (
    "The promise holds for what generalised values may stand for, not for a reader who finds out what they do "
    "stand for"
)
_SAFER = {">=": "larger", "<=": "smaller", "<": "smaller"}
