"""How often each sensitive value occurs in each bin of each column of some rows, counted in one pass.

A bin is a run of 2**shift codes. Trying cuts along one column after the other reads every row again for each.
Where values are few, a table per column fits the processor's cache, and rows are read once for all of them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.kernels.compiled import inlined_kernel, kernel

MOST_CELLS = 2**17  # of all tables together: half a megabyte
CELLS_PER_ROW = 4  # at most, or emptying the tables would take longer than reading the rows
STALE, FULL, REFUSED = range(3)


class BinTables(NamedTuple):
    """Line first[j] + b of `counts` is bin b of column j; its places are those of the values that occur."""

    place: NDArray[np.int64]  # of each value
    shift: NDArray[np.int64]  # per column
    first: NDArray[np.int64]
    counts: NDArray[np.int32]
    after: NDArray[np.int64]  # per line: rows of the column up to the end of the bin
    least: NDArray[np.int64]  # and codes of the bin
    greatest: NDArray[np.int64]
    state: NDArray[np.int64]  # STALE, FULL or REFUSED


def new_tables(columns, values, bins):
    """Room for tables of up to so many bins a column."""
    place, state = np.zeros(values, np.int64), np.array([STALE])
    lines = (np.zeros(columns * bins, np.int64) for _ in range(3))
    cells = np.zeros(min(MOST_CELLS, columns * bins * values), np.int32)
    return BinTables(place, np.zeros(columns, np.int64), np.zeros(columns + 1, np.int64), cells, *lines, state)


@inlined_kernel
def shift_of(across, bins):
    """By how many bits codes are shortened so that a range of them has at most so many bins."""
    shift = 0
    while across >> shift >= bins:
        shift += 1
    return shift


@kernel
def tabulate(tables, rows, begin, end, low, high, values, bins):
    """Count some rows, whose codes are from low to high and which have so many values; false if they are too few
    for it or values too many. Nothing is done where it was done already."""
    if tables.state[0] != STALE:
        return tables.state[0] == FULL
    d, lines = low.size, 0
    for j in range(d):
        tables.shift[j], tables.first[j] = shift_of(high[j] - low[j], bins), lines
        lines += ((high[j] - low[j]) >> tables.shift[j]) + 1
    tables.first[d] = lines
    tables.state[0] = REFUSED
    if lines * values > min(tables.counts.size, CELLS_PER_ROW * (end - begin)):
        return False
    tables.state[0] = FULL
    tables.counts[: lines * values] = 0
    for j in range(d):
        for line in range(tables.first[j], tables.first[j + 1]):
            tables.least[line], tables.greatest[line] = high[j], low[j]
            if tables.shift[j] == 0:
                tables.least[line] = tables.greatest[line] = low[j] + line - tables.first[j]
    for i in range(begin, end):
        place = tables.place[rows[i, d]]
        for j in range(d):
            code = rows[i, j]
            line = tables.first[j] + ((code - low[j]) >> tables.shift[j])
            tables.counts[line * values + place] += 1
            if tables.shift[j] > 0:
                tables.least[line] = min(tables.least[line], code)
                tables.greatest[line] = max(tables.greatest[line], code)
    for j in range(d):
        total = 0
        for line in range(tables.first[j], tables.first[j + 1]):
            total += tables.counts[line * values : (line + 1) * values].sum()
            tables.after[line] = total
    return True


@inlined_kernel
def move_line(tables, line, held, left, right):
    """Move the rows of a bin from the right to the left: counts per value; `held` are those that occur."""
    for i in range(held.size):
        count = tables.counts[line * held.size + i]
        left[held[i]] += count
        right[held[i]] -= count
