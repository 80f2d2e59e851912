"""Partition: the group of each row. No cell values, so none can leak."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

SUPPRESSED = -1


@dataclass(frozen=True, repr=False, eq=False)
class Partition:
    """Group numbers 0 .. groups-1 of each row, or SUPPRESSED; every group has a row.

    >>> Partition(np.array([0, 1, 0, SUPPRESSED]))
    Partition(3 rows in 2 groups, 1 suppressed)
    """

    group: NDArray[np.int64]

    def __post_init__(self) -> None:
        group = np.array(self.group, np.int64)
        if group.ndim != 1 or (group.size and group.min() < SUPPRESSED):
            raise ValueError("a partition is one group number, or -1, per row")
        group.setflags(write=False)
        object.__setattr__(self, "group", group)
        if (self.sizes == 0).any():
            raise ValueError("group numbers have a gap")

    def __repr__(self) -> str:
        kept = int((self.group >= 0).sum())
        return f"Partition({kept} rows in {self.groups} groups, {self.suppressed} suppressed)"

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Rows of each group."""
        return np.bincount(self.group[self.group >= 0])

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return int(self.sizes.size)

    @property
    def suppressed(self) -> int:
        """How many rows are not published."""
        return int(self.group.size - self.sizes.sum())

    def __len__(self) -> int:
        return int(self.group.size)
