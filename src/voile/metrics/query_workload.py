"""Workloads: many random count queries, answered from the boxes of a release and from the source.

A query is one range of codes in each of its columns: some quasi-identifying ones and one sensitive
column. A column's domain is what occurs in the source, in ascending order (of a tree: in the
order of its leaves).
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from voile.core.bags import Bag
from voile.core.base_values import BaseValues
from voile.core.boxes import LONGEST_SET, Boxes, Side
from voile.core.order import dense_rank, distinct_values
from voile.core.table import Column
from voile.errors import ParameterError
from voile.kernels.overlap import expected_counts, fill_shares
from voile.kernels.row_counts import BLOCK, WORDS, count_rows, mark_queries

_T = TypeVar("_T", np.int64, np.float64)
Numbers = NDArray[np.int64]
ALL = "all"
_TOGETHER = 128  # queries that one pass over the groups answers; single precision suffices, sums are double
_ROOM = 2**20  # shares that a thread holds at once, about what a cache does


@dataclass(frozen=True, repr=False, eq=False)
class Workload:
    """Queries: on each side, then on the sensitive column, a lowest and a highest code per query."""

    sides: tuple[Side, ...]
    sensitive: Column
    low: tuple[Numbers, ...]
    high: tuple[Numbers, ...]

    @property
    def queries(self) -> int:
        """How many there are."""
        return int(self.low[0].size)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that queries look at, the sensitive one last."""
        return (*(side.column for side in self.sides), self.sensitive)


def chosen_names(quasi: Sequence[str], on: str) -> Sequence[str]:
    """The quasi-identifying columns that a parameter names.

    >>> chosen_names(["age", "sex", "zip"], "zip + age")
    ['zip', 'age']
    """
    if on == ALL:
        return quasi
    wanted = [name.strip() for name in on.split("+")]
    if not set(wanted) <= set(quasi) or len(set(wanted)) < len(wanted):
        raise ParameterError(
            "not different quasi-identifying columns of this table",
            where="parameter on",
            rule=f"{ALL}, or some of {', '.join(quasi)} joined by +",
        )
    return wanted


def chosen_sides(boxes: Boxes, on: str) -> tuple[Side, ...]:
    """The sides of the columns that a parameter names."""
    sides = {side.column.name: side for side in boxes.sides}
    return tuple(sides[name] for name in chosen_names(list(sides), on))


def require_share(theta: Fraction) -> None:
    """Refuse a selectivity above 1: no query covers more than everything.

    >>> require_share(Fraction(1, 10))
    """
    if theta > 1:
        raise ParameterError(
            "not an accepted value",
            where="parameter theta",
            rule="a number above 0 and at most 1",
            remedy="for example theta=0.1",
        )


def range_length(values: int, selectivity: Fraction, power: int) -> int:
    """The largest length with (length / values)**power <= selectivity, but at least 1; exact.

    >>> range_length(79, Fraction(1, 10), 5), range_length(2, Fraction(1, 10), 5), range_length(7, Fraction(1), 2)
    (49, 1, 7)
    """
    low, high = 1, max(1, values)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if Fraction(middle, values) ** power <= selectivity else (low, middle - 1)
    return low


Length = Callable[[int], int]  # of a range, from the number of the column's values


def drawn(
    seed: int, queries: int, sides: Sequence[Side], length: Length, sensitive: Column, last: Length
) -> Workload:
    """Random queries: a run of each side's values, and of the sensitive ones."""
    rng = np.random.default_rng(seed)
    lows, highs = [], []
    for column, size_of in [(side.column, length) for side in sides] + [(sensitive, last)]:
        values, _ = distinct_values(column.codes)
        size = size_of(values.size)
        first = rng.integers(0, values.size - size + 1, queries)
        lows.append(values[first])
        highs.append(values[first + size - 1])
    return Workload(tuple(sides), sensitive, tuple(lows), tuple(highs))


def truths(workload: Workload) -> Numbers:
    """Rows of the source, suppressed ones included, that each query counts."""
    coded = [distinct_values(column.codes) for column in workload.columns]
    lines = np.cumsum([0, *(values.size for values, _ in coded)])
    narrow = np.int16 if lines[-1] < 2**15 else np.int32  # what is read for every row and block of queries
    index = np.column_stack([(at + own).astype(narrow) for at, (_, own) in zip(lines, coded, strict=False)])

    def count(block: slice) -> Numbers:
        words = np.zeros((int(lines[-1]), WORDS), np.uint64)
        for j, (values, _) in enumerate(coded):
            first = np.searchsorted(values, workload.low[j][block])
            after = np.searchsorted(values, workload.high[j][block], "right")
            mark_queries(first, after, words[lines[j] : lines[j + 1]])
        found: Numbers = count_rows(index, words)
        return found[: workload.low[0][block].size]

    return _in_blocks(count, workload.queries, BLOCK)


def estimates(boxes: Boxes, workload: Workload) -> NDArray[np.float64]:
    """What a reader of the release expects each query to count, rows spread evenly in their boxes."""
    cells = [_cells(side) for side in workload.sides]
    first = np.cumsum([0, *(begin.size - 1 for _, begin, _, _ in cells)])
    published = boxes.group >= 0
    group = np.concatenate([boxes.group[published], boxes.counterfeit_group])
    codes = boxes.node if boxes.node.size else workload.sensitive.codes
    shown = np.concatenate([codes[published], boxes.counterfeit_value])
    bag = Bag.of(group, shown, boxes.sizes.size)
    real = (boxes.sizes / bag.totals).astype(np.float32)  # the release says how many rows stand for nobody
    if boxes.separate:  # each row is a box of its own, and has each value of its group by its share
        bag, real = bag.gathered(group), (1 / boxes.sizes[group]).astype(np.float32)
    own = [side.group[published] if boxes.separate else slice(None) for side in workload.sides]
    cell = np.column_stack([at + which[mine] for at, (which, *_), mine in zip(first, cells, own, strict=False)])
    values, value = distinct_values(bag.codes)
    count = bag.counts.astype(np.float32)
    cell, value = cell.astype(np.int32), value.astype(np.int32)

    def expect(block: slice) -> NDArray[np.float64]:
        *lows, last_low = (low[block] for low in workload.low)
        *highs, last_high = (high[block] for high in workload.high)
        share = np.empty((int(first[-1]), last_low.size), np.float32)
        for at, (_, begin, low, high), a, b in zip(first, cells, lows, highs, strict=False):
            fill_shares(begin, low, high, a, b, at, share)
        match = _matches(boxes, workload.sensitive, values, last_low, last_high)
        expected: NDArray[np.float64] = expected_counts(cell, bag.start, value, count, real, share, match)
        return expected

    room = min(_TOGETHER, max(16, _ROOM // max(1, int(first[-1]))))
    return _in_blocks(expect, workload.queries, room)


def relative_errors(
    boxes: Boxes, sides: Sequence[Side], theta: Fraction, queries: int, seed: int
) -> NDArray[np.float64]:
    """|actual - estimated| / actual of random queries of an expected selectivity; of those that count anything.

    A query is a random range of each of the d sides and of the first sensitive column, |A| theta^(1/(d+1)) of the
    column's |A| values each (Xiao and Tao 2007).
    """
    if boxes.rows == 0:
        return np.empty(0)

    def length(values: int) -> int:
        return range_length(values, theta, len(sides) + 1)

    workload = drawn(seed, queries, sides, length, boxes.sensitive[0], length)
    actual = truths(workload)
    some = actual > 0
    errors: NDArray[np.float64] = np.abs(actual - estimates(boxes, workload))[some] / actual[some]
    return errors


def _matches(boxes: Boxes, sensitive: Column, values: Numbers, low: Numbers, high: Numbers) -> NDArray[np.float32]:
    """Of each published value and query the share that the query accepts: all or nothing; of a node by the weights
    of its base values."""
    if not boxes.node.size:
        return ((values[:, None] >= low) & (values[:, None] <= high)).astype(np.float32)
    base = BaseValues(sensitive.tree(), boxes.weight)
    upto = np.concatenate(([0], np.cumsum(base.weight)))
    first = np.maximum(base.tree.low[values][:, None], low)
    after = np.maximum(first, np.minimum(base.tree.high[values][:, None], high) + 1)
    share: NDArray[np.float32] = ((upto[after] - upto[first]) / base.total[values][:, None]).astype(np.float32)
    return share


def _in_blocks(answer: Callable[[slice], NDArray[_T]], queries: int, size: int) -> NDArray[_T]:
    """Answers of all queries, a block at a time, on all cores; kernels let other threads run."""
    blocks = [slice(begin, min(queries, begin + size)) for begin in range(0, queries, size)]
    with ThreadPoolExecutor(max(1, min(8, os.cpu_count() or 1))) as pool:
        return np.concatenate(list(pool.map(answer, blocks)))


def _cells(side: Side) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Which distinct cell each group has; where the ranges of each cell begin; their ends."""
    sets = np.full((side.low.size, LONGEST_SET if side.listed.size else 1), -1, np.int64)
    if side.listed.size:
        sizes = side.held.distinct()
        for j in range(LONGEST_SET):
            more = side.listed[sizes[side.listed] > j]
            sets[more, j] = side.held.codes[side.held.start[more] + j]
    which = dense_rank([side.low, side.high, *sets.T])
    example = np.empty(int(which.max(initial=-1)) + 1, np.int64)
    example[which] = np.arange(which.size)
    sizes = np.maximum(1, (sets[example] >= 0).sum(axis=1))
    begin = np.concatenate(([0], np.cumsum(sizes)))
    low, high = np.repeat(side.low[example], sizes), np.repeat(side.high[example], sizes)
    single = np.repeat(sets[example, 0] >= 0, sizes)
    members = sets[example][sets[example] >= 0]
    low[single] = high[single] = members
    return which, begin, low, high
