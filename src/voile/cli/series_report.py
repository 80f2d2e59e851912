"""The findings of `voile audit --series` in words."""

from collections.abc import Iterator
from typing import Any

from rich.markup import escape

from voile.cli import show
from voile.errors import counted

_MOST_SIZES = 10  # rows of the table of values left


def describe(report: Any) -> None:
    """A table of the releases, what is left of whom, verdicts, and what to do next."""
    known = report.persons is not None
    header = ["release", "rows", "groups", "m", "counterfeits", "signatures (old)"]
    if known:
        header += ["persons", "told so far", "newly told", f"below m = {report.m}" if report.m else ""]
    rows = [_row(each, known, report.m is not None) for each in report.releases]
    show.grid("The releases, and what is known after each", filter(None, header), rows)
    if known:
        _describe_persons(report)
    for note in report.notes:
        show.console().print(f"[yellow]note:[/] {escape(note)}", soft_wrap=True)
    show.verdicts(report.met, report.failures)
    show.console().print(escape(report.next_step), soft_wrap=True)


def _row(each: Any, known: bool, judged: bool) -> Iterator[object]:
    yield from (each.name, each.rows, each.groups, "-" if each.m is None else each.m, each.counterfeits)
    yield f"{each.signatures} ({each.old_signatures})"
    if known:
        yield from (each.persons, each.told, each.newly_told)
        if judged:
            yield each.below


def _describe_persons(report: Any) -> None:
    sizes = sorted(report.sizes.items())
    rows: list[tuple[object, object]] = list(sizes[:_MOST_SIZES])
    if len(sizes) > _MOST_SIZES:
        rows.append((f"{sizes[_MOST_SIZES][0]} or more", sum(persons for _, persons in sizes[_MOST_SIZES:])))
    show.grid("Sensitive values left", ("values left", "persons"), rows)
    if report.told:
        numbers = range(1, len(report.pairs) + 1)
        matrix = [(first, *row) for first, row in zip(numbers, report.pairs, strict=True) if any(row)]
        show.grid(
            "Persons told, by the first release they are in and the one that told",
            ("first", *(f"told by {number}" for number in numbers)),
            matrix,
        )
    show.facts("Together (for you alone: never publish it)", _facts(report))


def _facts(report: Any) -> Iterator[tuple[str, str]]:
    yield "persons", f"{report.persons} in {counted(len(report.releases), 'release')}"
    yield "told", f"{report.told} have one value left, which is true of {report.right}"
    if report.none_left:
        yield "none left", f"{report.none_left} have no value left: theirs changed, or they were not published"
    if report.changed:
        yield "changed", f"{report.changed} have different values in different tables"
    exact = report.exact
    if exact is not None and exact.counted:
        yield (
            "exact risk",
            f"at most {exact.highest} by counting {counted(exact.counted, 'person')}; certain for {exact.certain}",
        )
