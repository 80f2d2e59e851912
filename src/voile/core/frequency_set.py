"""Frequency sets: how many rows have each combination of nodes and sensitive value (LeFevre et al. 2005).

That of a coarser node of the lattice is rolled up from a finer one's: its groups are unions of groups, so their
counts are sums. The rows are counted once, on the finest levels.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voile.core.bags import Bags
from voile.core.full_domain import FullDomain

Levels = tuple[int, ...]


@dataclass(frozen=True, repr=False, eq=False)
class FrequencySet:
    """The groups of one node of the lattice: a row of each (which stands for all, on these levels and above), and
    what they hold.

    >>> from voile.core.hierarchy import Hierarchy
    >>> from voile.core.schema import Role
    >>> from voile.core.table import Column, Table
    >>> tree = Hierarchy.from_lines([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"], ["d", "y", "*"]])
    >>> letter = Column("letter", Role.QUASI_IDENTIFYING, tree, np.array([0, 0, 1, 2]))
    >>> illness = Column("illness", Role.SENSITIVE, Hierarchy.flat(["flu", "gout"]), np.array([0, 1, 1, 0]))
    >>> finest = FrequencySet.of_rows(FullDomain(Table([letter, illness])))
    >>> finest.bags.sizes.tolist(), finest.rolled_up((1,)).bags.sizes.tolist()
    ([2, 1, 1], [3, 1])
    """

    domain: FullDomain
    levels: Levels
    row: NDArray[np.int64]
    bags: Bags

    @classmethod
    def of_rows(cls, domain: FullDomain) -> "FrequencySet":
        """That of the finest levels, counted from the rows."""
        levels = (0,) * len(domain.highest)
        group = domain.groups(levels)
        return cls(domain, levels, np.unique(group, return_index=True)[1], domain.table.bags(group))

    def rolled_up(self, levels: Levels) -> "FrequencySet":
        """That of levels none of which is below these."""
        union = self.domain.groups_of(self.row, levels)
        groups = int(union.max(initial=-1)) + 1
        row = np.empty(groups, np.int64)
        row[union] = self.row
        sizes = np.bincount(union, weights=self.bags.sizes, minlength=groups).astype(np.int64)  # below 2**53 rows
        bags = Bags(sizes, tuple(bag.merged(union, groups) for bag in self.bags.columns), sizes)
        return FrequencySet(self.domain, levels, row, bags)

    @property
    def entries(self) -> int:
        """Counts that are kept."""
        return sum(bag.counts.size for bag in self.bags.columns) + self.row.size

    def ends(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The least and the greatest code of each group's nodes, per column."""
        return self.domain.boxes_of(self.row, self.levels)
