"""Group trees: the groups of some functions inside one cell, and in how many ways they can all pass.

The groups are laminar: two of them are disjoint, or one lies in the other. How many assignments of values to the
rows of a cell make every tested group pass is a product of sums over the tree (docs/facts/k_jump.md, section 4.5);
in how many of them a person has a value follows by going down again. Parts of equal shape are interchangeable, and
so are the persons in them: they are one kind.
"""

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import count

import numpy as np
from numpy.typing import NDArray

from voile.kernels.histograms import (
    convolve,
    correlate,
    list_histograms,
    multinomials,
    remainders,
    weighted_counts,
)
from voile.theory.residues import Residues
from voile.theory.set_properties import SetProperty

Numbers = NDArray[np.int64]
Sums = NDArray[np.uint64]


@dataclass(frozen=True, order=True)
class GroupTree:
    """The shape of a tree: rows, whether the group is tested, and its parts; () for a group without parts."""

    size: int
    tested: bool
    parts: tuple["GroupTree", ...]


Kind = tuple[GroupTree, ...]  # the shapes on the way down to a person


def tree_of(rows: Numbers, functions: list[Numbers], tested: bool = False) -> tuple[GroupTree, dict[int, Kind]]:
    """The tree of the functions' groups inside some rows, and the kind of each row.

    >>> shape, kinds = tree_of(np.arange(5), [np.array([0, 0, 1, 1, 2])])
    >>> [part.size for part in shape.parts], kinds[0] == kinds[2], kinds[0] == kinds[4]
    ([1, 2, 2], True, False)
    """
    home = np.zeros(rows.size, np.int64)
    largest = np.zeros(rows.size, np.int64)
    for f, groups in enumerate(functions):
        own = groups[rows]
        size = np.bincount(own)[own]
        better = (size < rows.size) & (size > largest)
        largest[better], home[better] = size[better], (f * groups.size + own)[better] + 1
    if not largest.any():
        shape = GroupTree(int(rows.size), tested, ())
        return shape, {row: () for row in rows.tolist()}
    parts: list[GroupTree] = []
    kinds: dict[int, Kind] = {}
    for part in np.unique(home):
        shape, inner = tree_of(rows[home == part], functions, tested=True)
        parts.append(shape)
        kinds |= {row: (shape, *kind) for row, kind in inner.items()}
    return GroupTree(int(rows.size), tested, tuple(sorted(parts))), kinds


def histograms(size: int, bound: Numbers) -> Numbers:
    """All histograms of a size below a bound, one per line.

    >>> histograms(2, np.array([1, 2])).tolist()
    [[0, 2], [1, 1]]
    """
    number = list_histograms(size, bound, np.empty((0, bound.size), np.int64))
    found = np.empty((number, bound.size), np.int64)
    list_histograms(size, bound, found)
    return found


@dataclass(frozen=True, repr=False, eq=False)
class _Spread:
    """Histograms of some rows, and in how many ways each comes about. Of a group of the tree its shape; of what is
    made of two parts, these."""

    lines: Numbers
    place: Numbers
    number: Sums
    shape: GroupTree | None
    pair: "tuple[_Spread, _Spread] | None"

    def groups(self) -> set[GroupTree]:
        """The shapes of the groups it is made of."""
        if self.shape is not None or self.pair is None:
            return {self.shape} if self.shape is not None else set()
        return self.pair[0].groups() | self.pair[1].groups()


class PassingCounts:
    """For cells of one shape below one bound: in how many assignments all tested groups pass.

    >>> from fractions import Fraction
    >>> from voile.theory.set_properties import HighestRatio
    >>> shape, kinds = tree_of(np.arange(4), [np.array([0, 0, 1, 1])])
    >>> half = PassingCounts(shape, np.array([2, 2]), HighestRatio(Fraction(1, 2)), Residues.for_numbers_up_to(99))
    >>> passing, persons = half.of(np.array([2, 2]))
    >>> passing.tolist(), persons[kinds[0]].tolist()  # ab ab, ab ba, ba ab, ba ba
    ([4], [[2], [2]])
    """

    def __init__(self, shape: GroupTree, bound: Numbers, wanted: SetProperty, system: Residues) -> None:
        self.bound, self.wanted, self.system = bound, wanted, system
        radix = np.append(bound[:-1] + 1, 1)
        self.stride = np.append(np.cumprod(radix[::-1])[::-1][1:], 0)
        self.places = int(np.prod(radix))
        self.factorials = system.factorials(shape.size)
        self._known: dict[GroupTree, _Spread] = {}
        self.halves = self._halves(shape)
        self._dense_halves = [self._dense(half, half.number) for half in self.halves]

    def of(self, whole: Numbers) -> tuple[Sums, dict[Kind, Sums]]:
        """Assignments with this histogram in which all groups pass; and for each kind of person, in how many of
        them the person has each value."""
        found: dict[Kind, Sums] = {}
        place = int(whole @ self.stride)
        total = np.zeros(self.system.length, np.uint64)
        for half, other in zip(self.halves, self._dense_halves[::-1], strict=True):
            outside = remainders(half.lines, half.place, whole, place, other)
            total = weighted_counts(half.lines, half.number, outside, self.system.primes)[0]
            if half.groups() - {way[0] for way in found}:
                self._descend(half, outside, (), found)
        return total, found

    def _halves(self, shape: GroupTree) -> tuple[_Spread, _Spread]:
        """The parts of a group as two, each multiplied out: the small ones first."""
        number = count()
        heap = [(len(part.lines), next(number), part) for part in map(self._group, shape.parts)]
        heapify(heap)
        while len(heap) > 2:
            product = self._product(heappop(heap)[2], heappop(heap)[2])
            heappush(heap, (len(product.lines), next(number), product))
        return heap[0][2], heap[1][2]

    def _group(self, shape: GroupTree) -> _Spread:
        """The ways of a group, without those in which it fails."""
        if shape not in self._known:
            if shape.parts:
                whole = self._product(*self._halves(shape))
            else:
                lines = histograms(shape.size, self.bound)
                number = multinomials(lines, *self.factorials, self.system.primes)
                whole = _Spread(lines, lines @ self.stride, number, None, None)
            kept = self.wanted.holds_in(whole.lines)
            self._known[shape] = _Spread(
                whole.lines[kept], whole.place[kept], whole.number[kept], shape, whole.pair
            )
        return self._known[shape]

    def _product(self, left: _Spread, right: _Spread) -> _Spread:
        """The ways of two parts together."""
        out = np.zeros((self.places, self.system.length), np.uint64)
        if len(left.lines) == 0 or len(right.lines) == 0:
            return _Spread(left.lines[:0], left.place[:0], left.number[:0], None, (left, right))
        convolve(
            left.lines, left.place, left.number, right.lines, right.place, right.number,
            self.bound, self.system.primes, out,
        )  # fmt: skip
        lines = histograms(int(left.lines[0].sum() + right.lines[0].sum()), self.bound)
        place = lines @ self.stride
        some = out[place].any(axis=1)
        return _Spread(lines[some], place[some], out[place[some]], None, (left, right))

    def _dense(self, spread: _Spread, number: Sums) -> Sums:
        found = np.zeros((self.places, self.system.length), np.uint64)
        found[spread.place] = number
        return found

    def _descend(self, node: _Spread, outside: Sums, way: Kind, found: dict[Kind, Sums]) -> None:
        """Count for the persons under a node, given in how many ways the rest goes with each of its histograms."""
        primes = self.system.primes
        if node.shape is not None:
            way = (*way, node.shape)
            if node.pair is None:
                counts = weighted_counts(node.lines, node.number, outside, primes)[1:]
                found[way] = counts * self.system.inverse_of(node.shape.size) % primes
        if node.pair is None:
            return
        whole = self._dense(node, outside)
        for one, other in (node.pair, node.pair[::-1]):
            if one.groups() - {key[len(way)] for key in found if key[: len(way)] == way}:
                rest = correlate(
                    one.lines, one.place, other.lines, other.place, other.number, self.bound, primes, whole
                )
                self._descend(one, rest, way, found)
