"""The row at a given place of an order, of many lists at once, without sorting anything: counts in ever finer
bins.

Executors count how many rows fall into each bin; the driver goes on inside the bins in which a wanted place lies,
until so few rows are left in these that they can be looked at.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.errors import BeyondReach
from voile.kernels.spread import NOWHERE, interval_of
from voile.spark.spread import Batch, Codes, Spread

BITS = 63  # of either half of a place
STEP = 9  # bits that a round of counting adds
FEW = 1_000_000  # rows that may be looked at
AFTER_ALL = np.int64(2**63 - 1)

Ordered = Callable[[Batch], tuple[Codes, Codes, Codes]]  # list (or -1), first and second half of the place


class Bound(NamedTuple):
    """Where lists are cut: rows that come before (first, second) are before the cut."""

    first: Codes
    second: Codes


def bounds_at(
    spread: Spread,
    order: Ordered,
    sizes: Codes,
    lists: Codes,
    ranks: Codes,
    few: int = FEW,
    first_is_zero: bool = False,
) -> Bound:
    """The bound with exactly ranks[i] rows of list lists[i] before it. List v has sizes[v] rows; no two rows of a
    list have the same place.

    Lists ascend, and ranks ascend within each. `first_is_zero`: the first half of every place is, so nothing is
    looked for there.
    """
    bound = Bound(np.zeros(ranks.size, np.int64), np.zeros(ranks.size, np.int64))
    bound.first[ranks >= sizes[lists]] = bound.second[ranks >= sizes[lists]] = AFTER_ALL
    due = np.flatnonzero((ranks > 0) & (ranks < sizes[lists]))
    left = ranks.copy()
    rows_left = sizes[lists]
    shift = BITS if first_is_zero else 2 * BITS
    while due.size:
        bins, which = _open_bins(lists[due], bound.first[due], bound.second[due], shift, sizes.size)
        inside = int(rows_left[due][np.unique(which, return_index=True)[1]].sum())
        if inside <= few or shift == 0:
            _look(spread, order, bins, which, due, left, bound, shift)
            return bound
        step = min(STEP, shift if shift <= BITS else shift - BITS)
        shift -= step
        keys, counts = spread.tally(_keys(order, bins, shift, step))
        for i, b in zip(due.tolist(), which.tolist(), strict=True):
            own = slice(*np.searchsorted(keys, [b << step, (b + 1) << step]).tolist())
            upto = np.cumsum(counts[own])
            place = int(np.searchsorted(upto, left[i], "right"))
            digit = int(keys[own][place]) & ((1 << step) - 1)
            left[i] -= int(upto[place]) - int(counts[own][place])
            rows_left[i] = int(counts[own][place])
            if shift >= BITS:
                bound.first[i] |= digit << (shift - BITS)
            else:
                bound.second[i] |= digit << shift
    return bound


class Bins(NamedTuple):
    """Intervals of places that are open: those of list v are start[v] to start[v+1]-1."""

    start: Codes
    first: Codes
    second: Codes
    shift: int  # bits below those that an interval fixes


def _open_bins(lists: Codes, first: Codes, second: Codes, shift: int, many: int) -> tuple[Bins, NDArray[np.int64]]:
    """The different bins in which places are looked for, and which of them each is in."""
    fields = np.column_stack([lists, first, second])
    bins, which = np.unique(fields, axis=0, return_inverse=True)
    start = np.searchsorted(bins[:, 0], np.arange(many + 1))
    return Bins(start, bins[:, 1].copy(), bins[:, 2].copy(), shift), which.ravel()


def _bin_of(order: Ordered, bins: Bins, batch: Batch) -> tuple[Codes, Codes, Codes, Codes]:
    """The open bin of each row, or NOWHERE, and the two halves of its place."""
    which, first, second = order(batch)
    found = np.empty(which.size, np.int64)
    interval_of(which, first, second, bins.start, bins.first, bins.second, found)
    rows = np.flatnonzero(found != NOWHERE)
    some = found[rows]
    if bins.shift >= BITS:
        inside = (
            (first[rows] - bins.first[some]) >> (bins.shift - BITS) == 0 if bins.shift < 2 * BITS else some >= 0
        )
    else:
        inside = (first[rows] == bins.first[some]) & ((second[rows] - bins.second[some]) >> bins.shift == 0)
    rows = rows[inside]
    return rows, found[rows], first[rows], second[rows]


def _keys(order: Ordered, bins: Bins, shift: int, step: int) -> Callable[[Batch], Codes]:
    """Of rows in open bins: the bin and the next bits of their place."""

    def keys(batch: Batch) -> Codes:
        _, found, first, second = _bin_of(order, bins, batch)
        word = first >> (shift - BITS) if shift >= BITS else second >> shift
        return (found << step) | (word & ((1 << step) - 1))

    return keys


def _look(
    spread: Spread, order: Ordered, bins: Bins, which: Codes, due: Codes, left: Codes, bound: Bound, shift: int
) -> None:
    """Look at the rows that are left in open bins, and set the bounds between them."""

    def rows(batch: Batch) -> Batch:
        _, found, first, second = _bin_of(order, bins, batch)
        return {"bin": found, "first": first, "second": second}

    seen = spread.some(rows)
    along = np.lexsort((seen["second"], seen["first"], seen["bin"]))
    found, first, second = seen["bin"][along], seen["first"][along], seen["second"][along]
    start = np.searchsorted(found, np.arange(bins.first.size))
    for i, b in zip(due.tolist(), which.tolist(), strict=True):
        at = int(start[b] + left[i])
        bound.first[i], bound.second[i] = first[at], second[at]
        if at > start[b] and first[at - 1] == first[at] and second[at - 1] == second[at]:
            raise BeyondReach("two rows drew the same number", where="cluster", remedy="run it again")
