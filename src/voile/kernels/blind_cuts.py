"""CUT: where to cut a node, by quasi-identifiers alone (docs/facts/safety.md 1.1).

Rows stand along a curve, and parts keep that order. Each column is cut in the middle: exactly, rows of the middle
code in the order of the curve, or between two codes as near to it as can be. Of all cuts the one is taken whose
parts have the nearest rows, judged by pairs that are picked without looking at anything.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.kernels.compiled import inlined_kernel, kernel
from voile.kernels.loss import side_cost
from voile.kernels.middle import BINS, middle

PAIRS = 300  # of rows by which a cut is judged, at most
NOWHERE = -1
_MULTIPLIER, _MODULUS = 48271, 2147483647  # of Park and Miller: which pairs are looked at must not matter


class Cut(NamedTuple):
    """A cut of a column: rows below the code go left, and of those at the code so many, the first along the
    curve."""

    column: int
    code: int
    ties: int
    run: int  # rows at the code
    left: int  # rows that go left


class Room(NamedTuple):
    """Room to work in."""

    bins: NDArray[np.int64]
    pair: NDArray[np.int64]  # two rows of each
    cost: NDArray[np.int64]  # of a group of the two


@kernel
def new_room():
    """Room for one node at a time."""
    return Room(np.empty(BINS, np.int64), np.empty((PAIRS, 2), np.int64), np.empty(PAIRS, np.int64))


@kernel
def pick_pairs(loss, room, rows, begin, end, d):
    """Fill in pairs of rows of a node, and what they cost; returns how many there are."""
    size = end - begin
    pairs, state = min(PAIRS, 2 * size), 1
    for p in range(pairs):
        for side in range(2):
            state = state * _MULTIPLIER % _MODULUS
            room.pair[p, side] = begin + state % size
        cost, a, b = 0, room.pair[p, 0], room.pair[p, 1]
        for j in range(d):
            cost += side_cost(loss, j, min(rows[a, j], rows[b, j]), max(rows[a, j], rows[b, j]))
        room.cost[p] = cost
    return pairs


@inlined_kernel
def middle_cuts(room, rows, begin, end, j, low, high):
    """The cuts of a column in its middle: exactly, and between two codes."""
    size = end - begin
    code, below, upto = middle(room.bins, rows, begin, end, j, low, high)
    at_code = below == 0 or (upto < size and 2 * upto - size < size - 2 * below)
    half = Cut(j, code, size // 2 - below, upto - below, size // 2)
    return half, Cut(j, code + at_code, 0, 1, upto if at_code else below)


@inlined_kernel
def likely_left(rows, i, begin, size, cut):
    """On which side a row falls; of rows at the code, as if the curve had them evenly."""
    own = rows[i, cut.column]
    return own < cut.code or (own == cut.code and (i - begin) * cut.run < cut.ties * size)


@kernel
def judged(room, rows, begin, end, cut, pairs):
    """What rows cost with another of their part, on average."""
    size = end - begin
    cost, count = np.zeros(2), np.zeros(2)
    for p in range(pairs):
        side = likely_left(rows, room.pair[p, 0], begin, size, cut)
        if side == likely_left(rows, room.pair[p, 1], begin, size, cut):
            cost[int(side)] += room.cost[p]
            count[int(side)] += 1
    return cost[1] / max(1, count[1]) * cut.left + cost[0] / max(1, count[0]) * (size - cut.left)


@kernel
def cut_of(loss, room, rows, begin, end, d, exact, between):
    """The best cut, if `exact` of those in the middle, and of those between two codes that leave `between` rows or
    more on both sides; its column is NOWHERE if there is none."""
    best, found, pairs = np.inf, Cut(NOWHERE, 0, 0, 0, 0), 0
    for j in range(d):
        low = high = rows[begin, j]
        for i in range(begin + 1, end):
            low, high = min(low, rows[i, j]), max(high, rows[i, j])
        if low == high:
            continue
        if pairs == 0:
            pairs = pick_pairs(loss, room, rows, begin, end, d)
        half, apart = middle_cuts(room, rows, begin, end, j, low, high)
        if exact:
            cost = judged(room, rows, begin, end, half, pairs)
            if cost < best:
                best, found = cost, half
        if between <= apart.left <= end - begin - between:
            cost = judged(room, rows, begin, end, apart, pairs)
            if cost < best:
                best, found = cost, apart
    return found


@inlined_kernel
def goes_left(own, cut, tied):
    """Whether a row goes left, `tied` rows at the code having come before."""
    return own < cut.code or (own == cut.code and tied < cut.ties)
