"""What would work where a promise cannot be kept: requests near to the one that was made, each of them tried."""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from voile.algorithms.chosen_promise import BOUNDS, NONE, ChosenPromise
from voile.core.bags import Bag, Bags
from voile.core.eligibility import refuse_ineligible
from voile.core.parameters import in_decimals
from voile.core.tau_l_line import least_tau, usable_tau
from voile.errors import Infeasible, counted

Counts = NDArray[np.int64]
Changes = dict[str, Any]
Promise = TypeVar("Promise", bound=ChosenPromise)
_LEAST: tuple[Changes, ...] = (  # the properties that ask for least
    {"property": "distinct"} | dict.fromkeys(BOUNDS, NONE) | {"l": 2},
    {"property": "k_anonymity"} | dict.fromkeys(BOUNDS, NONE) | {"k": 2},
)


@dataclass(frozen=True)
class Nearest:
    """The largest k or l that works, 1 if none does; and what works, in words."""

    largest: int
    works: tuple[str, ...]


def require_of(asked: ChosenPromise, table: Bag, column: str) -> None:
    """Refuse a table whose values, all in one group, break the promise: then no grouping keeps it."""
    sizes = np.array([table.counts.sum()])
    works = holds_of(Bags(sizes, (table,), sizes))
    if not works(asked):
        refuse(asked, table.counts, column, nearest(asked, table.counts, works))


def holds_of(whole: Bags) -> Callable[[ChosenPromise], bool]:
    """Whether all rows in one group keep a promise."""
    return lambda promise: bool(whole.columns[0].counts.size) and promise.model().check(whole).ok


def refuse(asked: ChosenPromise, counts: Counts, column: str, near: Nearest, tried: str = "") -> NoReturn:
    """Say why, and what would work. `tried` says what else was, beside all rows in one group."""
    if asked.property == "frequency" and not tried:
        refuse_ineligible(counts, asked.number(), column, suppressing=None)
    rows, top = int(counts.sum()), int(counts.max(initial=0))
    raise Infeasible(
        f"all rows in one group do not keep {asked.model().title}{tried}: {counted(rows, 'row')}, "
        f"{counted(counts.size, 'value')}, the most frequent {100 * top / max(1, rows):.4g} %",
        where=f"column {column}",
        largest_l=near.largest,
        rows_to_suppress=rows,
        rule=", ".join(f"{name}={value}" for name, value in asked.promised()[1].items()),
        remedy="; or ".join(near.works) or "no property can be kept: a group has two rows at least",
    )


def nearest(
    asked: Promise, counts: Counts, works: Callable[[Promise], bool], *, largest_known: bool = True
) -> Nearest:
    """Fewer values or rows, or a looser bound; failing these, both; failing that, another property. `counts` are
    the rows of each value. `largest_known`: `works` misses nothing that would."""
    largest = largest_number(asked, counts, works)
    near: list[Changes] = [{asked.counted(): largest}] if largest > 1 else []
    near += _working(asked, [looser(asked, counts)], works)
    if not near:
        fewer: Changes = {asked.counted(): max(2, highest_number(asked, counts))}
        fewer = {} if asked.property == "t_closeness" else fewer
        near = _working(asked, [looser(replace(asked, **fewer), counts) | fewer, *_LEAST], works)[:1]
    return Nearest(largest, tuple(_said(asked, changes, largest_known) for changes in near))


def _working(asked: Promise, ways: Iterable[Changes], works: Callable[[Promise], bool]) -> list[Changes]:
    return [changes for changes in ways if changes and works(replace(asked, **changes))]


def _said(asked: ChosenPromise, changes: Changes, largest_known: bool) -> str:
    shown = {name: in_decimals(v) if isinstance(v, Fraction) else v for name, v in changes.items() if v != NONE}
    text, number = ", ".join(f"{name} = {value}" for name, value in shown.items()), asked.counted()
    if list(shown) == [number] and largest_known:
        return f"{text} is the largest that works"
    same = "" if number in shown or "property" in shown else f" with {number} = {asked.number()}"
    return f"{text} works{same}"


def highest_number(asked: ChosenPromise, counts: Counts) -> int:
    """The k or l that was asked for, or as many rows or values as there are."""
    return min(asked.number(), int(counts.sum()) if asked.counted() == "k" else counts.size)


def largest_number(asked: Promise, counts: Counts, works: Callable[[Promise], bool]) -> int:
    """The largest k or l below the one asked for that works, other parameters left as they are; 1 if none does.
    Whatever works for one works for a lower one, so they are bisected."""

    def fails(number: int) -> bool:
        fewer: Changes = {asked.counted(): number}
        return not works(replace(asked, **fewer))

    return 1 + bisect_left(range(2, min(asked.number() - 1, highest_number(asked, counts)) + 1), True, key=fails)


def looser(asked: ChosenPromise, counts: Counts) -> Changes:
    """A bound, as people write it, that all rows in one group keep: the least, or nearly. Nothing where the
    property has none, or none will do."""
    rows, top = int(counts.sum()), int(counts.max(initial=0))
    if asked.property == "tau_l":
        return _if_any("tau", usable_tau(least_tau(counts, asked.number()), asked.number()))
    if asked.property == "alpha_k":
        return _if_any("alpha", usable_tau(Fraction(top, max(1, rows)), 2))
    tail = rows - int(np.sort(counts)[::-1][: asked.number() - 1].sum())
    if asked.property == "recursive" and tail:  # the bound is strict
        return {"c": Fraction(100 * top // tail + 1, 100) if top < 100 * tail else Fraction(top // tail + 1)}
    return {}


def _if_any(name: str, value: Fraction | None) -> Changes:
    return {} if value is None else {name: value}
