"""Cells whose members are drawn: how many rows of each value a cell gets follows from the counts of the values
alone, which rows these are from the numbers they drew.

The rows are dealt to cells as `rda` deals them to groups, so what holds for its groups holds here: exchange two
persons of one cell, and no probability changes (docs/facts/streamliner.md A4). Every cell is l-diverse: its share
is put together of whole groups of l or more different values, as Assign plans them (Xiao and Tao 2007, Figure 3).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from voile.core.schema import Role
from voile.errors import InputError
from voile.kernels.assignment import assign
from voile.kernels.spread import NOWHERE, interval_of
from voile.spark.places import Bound, bounds_at
from voile.spark.spread import Batch, Codes, Spread


class Values(NamedTuple):
    """The sensitive column: its name in batches, the codes that occur, ascending, and the rows of each."""

    name: str
    present: Codes
    counts: Codes

    def of(self, batch: Batch) -> Codes:
        """Which of them each row has."""
        return np.searchsorted(self.present, batch[self.name])


def values_of(spread: Spread) -> Values:
    """Count the values of the (only) sensitive column."""
    (name,) = spread.layout.names(Role.SENSITIVE)
    values = Values(name, *spread.tally(lambda batch: batch[name].astype(np.int64)))
    if int(values.counts.sum()) != spread.layout.n:
        raise InputError("changed while it was read", where="source", remedy="run it again when nobody writes")
    return values


def quotas(counts: Codes, ell: int, cells: int) -> Codes:
    """How many rows of each value each cell gets: shape (cells, values).

    >>> quotas(np.array([4, 2, 2]), 2, 2).tolist()
    [[2, 1, 1], [2, 1, 1]]
    """
    alphas, starts, listed = assign(counts, ell)
    late = np.arange(alphas.size) % cells  # so that what is rounded off does not always go to the same cell
    shares = np.diff(
        (alphas[:, None] * np.arange(cells + 1) + late[:, None]) // cells, axis=1
    )  # groups of each step
    found = np.zeros((cells, counts.size), np.int64)
    for step in range(alphas.size):
        for value in listed[starts[step] : starts[step + 1]]:
            found[:, value] += shares[step]
    return found


class RandomCells(NamedTuple):
    """Which of its list's cells a row is in, by its place and the number it drew: the cells of list v begin at
    start[v]."""

    drawn: Callable[[Batch], Codes]
    start: Codes
    bound: Bound
    along: Callable[[Batch], Codes] | None = None

    def among(self, lists: Codes, batch: Batch) -> Codes:
        """The cell of each row, from 0 in every list; of rows without a list, 0."""
        number, found = self.drawn(batch), np.empty(lists.size, np.int64)
        place = np.zeros_like(number) if self.along is None else self.along(batch)
        interval_of(lists, place, number, self.start, self.bound.first, self.bound.second, found)
        return np.where(found == NOWHERE, 0, found - self.start[lists] + 1)


def cells_at(
    spread: Spread,
    list_of: Callable[[Batch], Codes],
    sizes: Codes,
    ends: list[Codes],
    along: Callable[[Batch], Codes] | None = None,
) -> RandomCells:
    """Deal the rows of each list to its cells: those of list v end at the ranks ends[v], the last with the list.
    With `along`, rows stand in the order of these places, and only those of one place as they drew."""
    drawn = spread.draw(list_of)

    def order(batch: Batch) -> tuple[Codes, Codes, Codes]:
        number = drawn(batch)
        return list_of(batch), np.zeros_like(number) if along is None else along(batch), number

    inner = [own[:-1] for own in ends]
    lists = np.repeat(np.arange(len(inner)), [own.size for own in inner])
    ranks = np.concatenate([*inner, np.empty(0, np.int64)])
    bound = bounds_at(spread, order, sizes, lists, ranks, first_is_zero=along is None)
    return RandomCells(drawn, np.cumsum([0, *(own.size for own in inner)]), bound, along)


def random_cells(spread: Spread, values: Values, ell: int, cells: int) -> Callable[[Batch], Codes]:
    """What tells the cell of each row, if all rows are dealt to so many."""
    ends = np.cumsum(quotas(values.counts, ell, cells), axis=0)
    dealt = cells_at(spread, values.of, values.counts, list(ends.T))
    return lambda batch: dealt.among(values.of(batch), batch)


def many_cells(counts: Codes, ell: int, most: int) -> int:
    """How many cells there have to be, so that none has more than so many rows; a cell has a group at least.

    >>> many_cells(np.array([4, 2, 2]), 2, 4), many_cells(np.array([4, 2, 2]), 2, 1)
    (2, 4)
    """
    rows, groups = int(counts.sum()), int(assign(counts, ell)[0].sum())
    cells = max(1, min(-(-rows // most), groups))
    while cells < groups and quotas(counts, ell, cells).sum(axis=1).max() > most:
        cells = min(groups, cells + 1 + cells // 16)
    return cells
