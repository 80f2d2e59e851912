"""Cut a table into boxes while a promise holds (LeFevre et al. 2006).

Rows move in memory as they are cut, so that a part is a stretch of them. A row is its quasi-identifying codes, its
sensitive value and its number. Parts keep the order in which rows came.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.kernels.bin_tables import STALE, BinTables, move_line, new_tables, shift_of, tabulate
from voile.kernels.compiled import inlined_kernel, kernel
from voile.kernels.loss import side_cost
from voile.kernels.middle import BINS, middle
from voile.kernels.stop_rule import keeps

FREE_BINS = 256  # places at which a column may be cut freely, at most; part of what the algorithm promises to find
NOWHERE = -1


class Part(NamedTuple):
    """What is known of the rows that are looked at, and room for what is tried."""

    low: NDArray[np.int64]  # per column
    high: NDArray[np.int64]
    cost: NDArray[np.int64]
    turn: NDArray[np.int64]  # columns, the costliest first
    counts: NDArray[np.int64]  # per sensitive value
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    held: NDArray[np.int64]  # values that occur, and in the last place how many
    bins: NDArray[np.int64]
    order: NDArray[np.int64]  # values of rows by bin
    cut: NDArray[np.int64]  # column, code, run, ties: rows below the code go left, and so many of the run at it
    tables: BinTables


def new_part(columns, values, rows):
    """Room for parts of up to so many rows."""
    wide, tall = (np.zeros(columns, np.int64) for _ in range(4)), (np.zeros(values, np.int64) for _ in range(3))
    held, bins = np.zeros(values + 1, np.int64), np.zeros(max(BINS, 3 * FREE_BINS), np.int64)
    room = np.empty(rows, np.int64), np.empty(4, np.int64)
    return Part(*wide, *tall, held, bins, *room, new_tables(columns, values, FREE_BINS))


@kernel
def look(loss, part, rows, begin, end):
    """Find the box of a stretch of rows, and count its values."""
    d = part.low.size
    for i in range(part.held[-1]):
        value = part.held[i]
        part.counts[value] = part.left[value] = part.right[value] = 0
    different = 0
    for j in range(d):
        part.low[j] = part.high[j] = rows[begin, j]
    for i in range(begin, end):
        for j in range(d):
            code = rows[i, j]
            if code < part.low[j]:
                part.low[j] = code
            if code > part.high[j]:
                part.high[j] = code
        value = rows[i, d]
        if part.counts[value] == 0:
            part.held[different] = value
            part.tables.place[value] = different
            different += 1
        part.counts[value] += 1
    part.held[-1] = different
    part.tables.state[0] = STALE
    for j in range(d):
        part.cost[j] = side_cost(loss, j, part.low[j], part.high[j])
        place = j
        while place > 0 and part.cost[part.turn[place - 1]] < part.cost[j]:
            part.turn[place] = part.turn[place - 1]
            place -= 1
        part.turn[place] = j


@inlined_kernel
def goes_left(i, run, ties):
    """Whether the i-th of a run of equal rows is one of the `ties` that go left: these are spread evenly, since
    rows that look alike stand in the order of their sensitive values, and a cut through that order would tell."""
    return (i + 1) * ties // run > i * ties // run


@kernel
def both_keep(rule, part, rows, begin, end, j, code, run, ties, left):
    """Whether both sides of a cut, the left one of so many rows, keep the promise."""
    if left < rule.least or end - begin - left < rule.least:
        return False
    held, d = part.held[: part.held[-1]], part.low.size
    for value in held:
        part.left[value] = 0
    tied = 0
    for i in range(begin, end):
        own = rows[i, j]
        if own < code or (own == code and goes_left(tied, run, ties)):
            part.left[rows[i, d]] += 1
        tied += own == code
    if not keeps(rule, part.left, held, left):
        return False
    for value in held:
        part.right[value] = part.counts[value] - part.left[value]
    return keeps(rule, part.right, held, end - begin - left)


@kernel
def keep_by_table(rule, part, size, j, code, left):
    """The same as `both_keep`, of a column whose every code has a bin in the tables."""
    if left < rule.least or size - left < rule.least:
        return False
    held, first = part.held[: part.held[-1]], part.tables.first[j]
    for value in held:
        part.left[value], part.right[value] = 0, part.counts[value]
    for line in range(first, first + code - part.low[j]):
        move_line(part.tables, line, held, part.left, part.right)
    return keeps(rule, part.left, held, left) and keeps(rule, part.right, held, size - left)


@kernel
def cut_at_median(rule, part, rows, begin, end, relaxed):
    """Find the first column, costliest first, that can be cut in the middle: `relaxed` exactly there, else between
    two codes as near to it as can be. Returns how many rows go left, or NOWHERE. Where the first column cannot be
    cut, the others are counted all at once."""
    size, tabled = end - begin, False
    for turn in range(part.turn.size):
        j = part.turn[turn]
        if part.cost[j] == 0:
            break
        if turn == 1 and not relaxed:
            tabled = tabulate(part.tables, rows, begin, end, part.low, part.high, part.held[-1], FREE_BINS)
        by_table = tabled and part.tables.shift[j] == 0
        if by_table:
            after, bin = part.tables.after[part.tables.first[j] :], 0
            while 2 * after[bin] < size:
                bin += 1
            code, below, upto = part.low[j] + bin, after[bin - 1] if bin else 0, after[bin]
        else:
            code, below, upto = middle(part.bins, rows, begin, end, j, part.low[j], part.high[j])
        left, run, ties = size // 2, upto - below, size // 2 - below
        if not relaxed:
            at_code = below == 0 or (upto < size and 2 * upto - size < size - 2 * below)
            left, code, run, ties = upto if at_code else below, code + at_code, 1, 0
        if (
            keep_by_table(rule, part, size, j, code, left)
            if by_table
            else both_keep(rule, part, rows, begin, end, j, code, run, ties, left)
        ):
            part.cut[0], part.cut[1], part.cut[2], part.cut[3] = j, code, run, ties
            return left
    return NOWHERE


@kernel
def sort_into_bins(part, rows, begin, end, j, shift, after, least, greatest):
    """Order the values of rows by bin of a column; fill in of each bin its end in that order, its least and its
    greatest code."""
    last = after.size - 1
    for place in range(last + 1):
        least[place], greatest[place], after[place] = part.high[j], part.low[j], 0
    for i in range(begin, end):
        code = rows[i, j]
        place = (code - part.low[j]) >> shift
        after[place] += 1
        if code < least[place]:
            least[place] = code
        if code > greatest[place]:
            greatest[place] = code
    total = 0
    for place in range(last + 1):
        total, after[place] = total + after[place], total
    for i in range(begin, end):
        place = (rows[i, j] - part.low[j]) >> shift
        part.order[after[place]] = rows[i, part.low.size]
        after[place] += 1


@kernel
def cut_anywhere(loss, rule, part, rows, begin, end):
    """Of all cuts between two codes (of a wide column between two of FREE_BINS bins) whose sides keep the promise,
    find the one that saves most of its column's cost. Returns how many rows go left, or NOWHERE."""
    size, best, found = end - begin, 0, NOWHERE
    held, tables = part.held[: part.held[-1]], part.tables
    tabled = tabulate(tables, rows, begin, end, part.low, part.high, held.size, FREE_BINS)
    for j in part.turn:
        if part.cost[j] == 0:
            break
        shift = shift_of(part.high[j] - part.low[j], FREE_BINS)
        last = (part.high[j] - part.low[j]) >> shift
        least, greatest = part.bins[: last + 1], part.bins[FREE_BINS : FREE_BINS + last + 1]
        after, first = part.bins[2 * FREE_BINS : 2 * FREE_BINS + last + 1], tables.first[j]
        if tabled:
            after, least, greatest = tables.after[first:], tables.least[first:], tables.greatest[first:]
        else:
            sort_into_bins(part, rows, begin, end, j, shift, after, least, greatest)
        for value in held:
            part.left[value], part.right[value] = 0, part.counts[value]
        left, place = 0, 0
        while place < last:
            if tabled:
                move_line(tables, first + place, held, part.left, part.right)
            else:
                for i in range(left, after[place]):
                    part.left[part.order[i]] += 1
                    part.right[part.order[i]] -= 1
            left, following = after[place], place + 1
            while following < last and after[following] == left:
                following += 1
            saved = size * part.cost[j] - left * side_cost(loss, j, part.low[j], greatest[place])
            saved -= (size - left) * side_cost(loss, j, least[following], part.high[j])
            if saved > best and keeps(rule, part.left, held, left) and keeps(rule, part.right, held, size - left):
                best, found = saved, left
                part.cut[0], part.cut[1], part.cut[2], part.cut[3] = j, least[following], 1, 0
            place = following
    return found


@kernel
def part_rows(part, rows, spare, begin, end):
    """Move the rows that go left before the others; both keep their order. `spare` is room for the others."""
    j, code, run, ties = part.cut[0], part.cut[1], part.cut[2], part.cut[3]
    place, moved, tied, width = begin, 0, 0, rows.shape[1]
    for i in range(begin, end):
        own = rows[i, j]
        left = own < code or (own == code and goes_left(tied, run, ties))
        tied += own == code
        if left:
            for c in range(width):
                rows[place, c] = rows[i, c]
            place += 1
        else:
            for c in range(width):
                spare[moved, c] = rows[i, c]
            moved += 1
    for i in range(moved):
        for c in range(width):
            rows[place + i, c] = spare[i, c]


@kernel
def cut_rows(loss, rule, part, rows, spare, begin, end, relaxed, free, small, ends):
    """Cut a stretch of rows until nothing can be cut, or parts have at most `small` rows and are left to others;
    writes where parts end, in ascending order, and returns how many there are."""
    parts, waiting = 0, 1
    until = np.empty((end - begin) // max(1, rule.least) + 2, np.int64)
    until[0] = end
    while waiting > 0:
        end, left = until[waiting - 1], NOWHERE
        if end - begin >= 2 * rule.least and end - begin > small:
            look(loss, part, rows, begin, end)
            left = cut_at_median(rule, part, rows, begin, end, relaxed)
            if left == NOWHERE and free:
                left = cut_anywhere(loss, rule, part, rows, begin, end)
        if left == NOWHERE:
            ends[parts] = begin = end
            parts += 1
            waiting -= 1
        else:
            part_rows(part, rows, spare, begin, end)
            until[waiting] = begin + left
            waiting += 1
    return parts
