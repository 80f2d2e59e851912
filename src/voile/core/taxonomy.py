"""Taxonomy: a quasi-identifying column as a tree of levels, whatever its type (Tian and Zhang 2009, section III).

A hierarchy is its own taxonomy. An axis is cut into 4, 16 and 64 intervals of equal width, which depend on the
ends of the column alone. Shallow leaves are repeated on deeper levels, so that information never falls with depth
and every row has a node on every level (docs/facts/sweep.md B2.3).
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.order import distinct_values
from voile.core.table import Column

Numbers = NDArray[np.int64]
PARTS = (64, 16, 4, 1)  # intervals of an axis, fine to coarse


@dataclass(frozen=True, repr=False, eq=False)
class Taxonomy:
    """Nodes as intervals of leaves, leaves first, parents after their children; `size` base values lie under each.

    >>> from voile.core.hierarchy import Hierarchy
    >>> from voile.core.schema import Role
    >>> tree = Hierarchy.from_lines([["a", "x", "*"], ["b", "x", "*"], ["c", "c", "*"]])
    >>> taxonomy = Taxonomy.of(Column("letter", Role.QUASI_IDENTIFYING, tree, np.array([0, 1, 2])))
    >>> taxonomy.levels().tolist(), taxonomy.information()
    ([[4, 4, 4], [3, 3, 2], [0, 1, 2]], [Fraction(1, 3), Fraction(2, 3), Fraction(1, 1)])
    """

    low: Numbers
    high: Numbers
    parent: Numbers
    size: Numbers
    leaf: Numbers  # of each row
    leaves: int
    first: Numbers  # the least base value under each node, as a code of the column

    @classmethod
    def of(cls, column: Column) -> "Taxonomy":
        """The taxonomy of a column."""
        domain = column.domain
        if isinstance(domain, Axis):
            return cls._of_axis(domain, column.codes)
        size = domain.high - domain.low + 1
        return cls(domain.low, domain.high, domain.parent, size, column.codes, domain.leaves, domain.low)

    @classmethod
    def _of_axis(cls, axis: Axis, codes: Numbers) -> "Taxonomy":
        values, leaf = distinct_values(codes)
        n, steps = values.size, axis.high - axis.low + 1
        low, high, size, least = [np.arange(n)], [np.arange(n)], [np.ones(n, np.int64)], [values]
        parent, below = [], np.arange(n)  # the node of each value on the level before
        nodes = n
        for parts in (parts for parts in PARTS if parts < steps):
            cell = (values - axis.low) * parts // steps
            first = np.flatnonzero(np.concatenate(([True], cell[1:] != cell[:-1]))) if n else np.arange(0)
            node = nodes + np.searchsorted(first, np.arange(n), side="right") - 1
            ends = np.append(first[1:], n) - 1
            begin = -(-cell[first] * steps // parts)
            low, high, least = [*low, first], [*high, ends], [*least, axis.low + begin]
            size.append(-(-(cell[first] + 1) * steps // parts) - begin)
            parent.append(node[np.flatnonzero(np.concatenate(([True], below[1:] != below[:-1]))) if n else below])
            below, nodes = node, nodes + first.size
        parent.append(np.full(nodes - sum(p.size for p in parent), -1))
        nodes_low, nodes_high, above, sizes, begins = map(np.concatenate, (low, high, parent, size, least))
        return cls(nodes_low, nodes_high, above, sizes, leaf, n, begins)

    def levels(self) -> Numbers:
        """The node above each leaf on each level, from the root down."""
        chain = [np.arange(self.leaves)]
        while self.leaves and (self.parent[chain[-1]] >= 0).any():
            above = self.parent[chain[-1]]
            chain.append(np.where(above >= 0, above, chain[-1]))
        nodes = np.array(chain[::-1])  # every line the root repeated above, a leaf at the bottom
        depth = nodes.shape[0] - 1 - (nodes == nodes[0]).sum(axis=0) + 1
        place = np.minimum(np.arange(nodes.shape[0])[:, None], depth) + nodes.shape[0] - 1 - depth
        return np.take_along_axis(nodes, place, axis=0)

    def information(self) -> list[Fraction]:
        """I(S_j) of each level: the mean of 1 / size over the base values that occur."""
        present = distinct_values(self.leaf)[0]
        found = []
        for nodes in self.levels():
            sizes, counts = np.unique(self.size[nodes[present]], return_counts=True)
            total = sum((Fraction(int(c), int(s)) for s, c in zip(sizes, counts, strict=True)), Fraction(0))
            found.append(total / max(1, present.size))
        return found
