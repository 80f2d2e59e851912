"""BaseValues: what a generalised sensitive value stands for (Tian and Zhang 2009, Definition 2).

A published node counts for each base value a under it with p(a) / sum of p over its leaves, where the weight p is
what a reader believes beforehand. Frequencies are whole multiples of 1/unit: the least common denominator of the
tree's nodes; where that does not fit 64-bit products, a power of two, and frequencies are rounded up, so that an
upper bound on them is never kept by rounding. Models that ask for more than upper bounds then decide nothing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from voile.core.hierarchy import Hierarchy

NODES = "value, or node of its hierarchy"  # how a certificate says that a sensitive column is generalised
MOST_WEIGHT = 2**32  # of all base values together; times a unit it fits 63 bits
LARGEST = 2**45  # rows * unit: times a small number it fits 63 bits


@dataclass(frozen=True, repr=False, eq=False)
class BaseValues:
    """The leaves of a tree with a whole weight each; those of weight 0 are not possible.

    >>> tree = Hierarchy.from_lines([["flu", "lung", "*"], ["asthma", "lung", "*"], ["gout", "gout", "*"]])
    >>> values = BaseValues(tree, np.array([1, 1, 1]))
    >>> values.unit(10), values.total.tolist()
    (6, [1, 1, 1, 2, 3])
    """

    tree: Hierarchy
    weight: NDArray[np.int64]

    @classmethod
    def plain(cls, values: int) -> "BaseValues":
        """So many values of equal weight that nothing stands above."""
        return cls(Hierarchy.flat([""] * values), np.ones(values, np.int64))

    @cached_property
    def possible(self) -> NDArray[np.int64]:
        """The leaves of positive weight, depth first."""
        return np.flatnonzero(self.weight)

    @cached_property
    def total(self) -> NDArray[np.int64]:
        """The weight under each node."""
        upto = np.concatenate(([0], np.cumsum(self.weight)))
        return upto[self.tree.high + 1] - upto[self.tree.low]

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """Of each node the place in `possible` of the first leaf under it."""
        return np.searchsorted(self.possible, self.tree.low)

    @cached_property
    def after(self) -> NDArray[np.int64]:
        """Of each node the place in `possible` behind the last leaf under it."""
        return np.searchsorted(self.possible, self.tree.high, side="right")

    @cached_property
    def _denominator(self) -> int:
        return math.lcm(*(int(total) for total in np.unique(self.total) if total))

    def generalised(self, nodes: NDArray[np.int64]) -> int:
        """How many of some published nodes are not a single value.

        >>> BaseValues(Hierarchy.flat(["flu", "gout"]), np.array([1, 1])).generalised(np.array([0, 2, 2]))
        2
        """
        return int((self.tree.low[nodes] < self.tree.high[nodes]).sum())

    def unit(self, rows: int, largest: int = LARGEST) -> int:
        """How many parts make one person, in a table of so many rows; rows * unit stay below `largest`."""
        most = max(1, largest // max(1, rows))
        return self._denominator if self._denominator <= most else 1 << most.bit_length() - 1

    def is_exact(self, unit: int) -> bool:
        """Whether frequencies are whole multiples of 1/unit, so that nothing is rounded."""
        return unit % self._denominator == 0


@dataclass(frozen=True, repr=False, eq=False)
class Alternatives(BaseValues):
    """What each cell of a published column may be, where no tree says it: cell c is one of the values
    `places[start[c]:start[c + 1]]`, which count alike.

    >>> cells = Alternatives.of([[0], [0, 1], [0, 1, 2]], 3)  # a, {a, b} and *
    >>> cells.total.tolist(), cells.unit(10), cells.generalised(np.array([0, 1, 1]))
    ([1, 2, 3], 6, 2)
    """

    start: NDArray[np.int64]
    places: NDArray[np.int64]

    @classmethod
    def of(cls, each: Sequence[Sequence[int]], values: int, tree: Hierarchy | None = None) -> "Alternatives":
        """The values of each cell, of so many, which are the leaves of a tree where there is one."""
        start = np.cumsum([0, *map(len, each)])
        places = np.concatenate([np.asarray(own, np.int64) for own in each]) if each else start[:0]
        flat = BaseValues.plain(values)
        return cls(flat.tree if tree is None else tree, flat.weight, start, places)

    @cached_property
    def possible(self) -> NDArray[np.int64]:
        """The values of all cells, one cell after the other."""
        return self.places

    @cached_property
    def total(self) -> NDArray[np.int64]:
        """How many values each cell may be."""
        return np.diff(self.start)

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """Of each cell the place in `possible` of its first value."""
        return self.start[:-1]

    @cached_property
    def after(self) -> NDArray[np.int64]:
        """Of each cell the place in `possible` behind its last value."""
        return self.start[1:]

    def generalised(self, nodes: NDArray[np.int64]) -> int:
        """How many of some published cells may be several values."""
        return int((self.total[nodes] > 1).sum())
