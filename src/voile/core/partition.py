"""Partition: the group of each row. No cell values, so none can leak."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

SUPPRESSED = -1


def _none() -> NDArray[np.int64]:
    return np.empty(0, np.int64)


@dataclass(frozen=True, repr=False, eq=False)
class Partition:
    """Group numbers 0 .. groups-1 of each row, or SUPPRESSED; every group has a row.

    >>> Partition(np.array([0, 1, 0, SUPPRESSED]))
    Partition(3 rows in 2 groups, 1 suppressed)

    Counterfeits are published rows that stand for nobody: the group each is in, and the code it carries in
    the (only) sensitive column (Xiao and Tao 2007, Definition 2). Sizes and boxes are of the real rows alone.

    An algorithm may publish values of the (only) sensitive column more generally than they are (Tian and Zhang
    2009): then `node` is the published node of each row, and `weight` that of each base value
    (core/base_values.py).

    An algorithm may decide itself what is published of the quasi-identifiers (Incognito: the node on a level):
    then `low` and `high` are codes per group and quasi-identifying column, around all that the group holds.
    `separate`: quasi-identifiers are published as they are in one table, sensitive values by group in another
    (Anatomy).
    """

    group: NDArray[np.int64]
    counterfeit_group: NDArray[np.int64] = field(default_factory=_none)
    counterfeit_value: NDArray[np.int64] = field(default_factory=_none)
    node: NDArray[np.int64] = field(default_factory=_none)
    weight: NDArray[np.int64] = field(default_factory=_none)
    low: NDArray[np.int64] = field(default_factory=_none)
    high: NDArray[np.int64] = field(default_factory=_none)
    separate: bool = False

    def __post_init__(self) -> None:
        for name in ("group", "counterfeit_group", "counterfeit_value", "node", "weight", "low", "high"):
            numbers = np.array(getattr(self, name), np.int64)
            numbers.setflags(write=False)
            object.__setattr__(self, name, numbers)
        if self.group.ndim != 1 or (self.group.size and self.group.min() < SUPPRESSED):
            raise ValueError("a partition is one group number, or -1, per row")
        if self.counterfeit_group.shape != self.counterfeit_value.shape:
            raise ValueError("a counterfeit is a group and a value")
        if (
            self.counterfeit_group.size
            and not 0 <= self.counterfeit_group.min() <= self.counterfeit_group.max() < self.groups
        ):
            raise ValueError("a counterfeit stands in a group of real rows")
        if self.generalises and (self.node.shape != self.group.shape or not self.weight.size or self.counterfeits):
            raise ValueError("generalised values are a node per row and a weight per base value")
        if self.low.shape != self.high.shape or (self.decides_boxes and len(self.low) != self.groups):
            raise ValueError("a box is a lowest and a highest code per group and column")
        if (self.sizes == 0).any():
            raise ValueError("group numbers have a gap")

    def __repr__(self) -> str:
        kept = int((self.group >= 0).sum())
        fakes = f", {self.counterfeits} counterfeit" if self.counterfeits else ""
        return f"Partition({kept} rows in {self.groups} groups, {self.suppressed} suppressed{fakes})"

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Rows of each group."""
        return np.bincount(self.group[self.group >= 0])

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return int(self.sizes.size)

    @property
    def everyone(self) -> NDArray[np.int64]:
        """The group of each row, then of each counterfeit."""
        return np.concatenate([self.group, self.counterfeit_group]) if self.counterfeits else self.group

    @cached_property
    def published_sizes(self) -> NDArray[np.int64]:
        """Rows of each group as published, counterfeits included."""
        return self.sizes + np.bincount(self.counterfeit_group, minlength=self.groups)

    @property
    def counterfeits(self) -> int:
        """How many published rows stand for nobody."""
        return int(self.counterfeit_group.size)

    @property
    def generalises(self) -> bool:
        """Whether sensitive values may be published more generally than they are."""
        return self.node.size > 0

    @property
    def decides_boxes(self) -> bool:
        """Whether the algorithm says what is published of the quasi-identifiers."""
        return self.low.size > 0

    @property
    def suppressed(self) -> int:
        """How many rows are not published."""
        return int(self.group.size - self.sizes.sum())

    def __len__(self) -> int:
        return int(self.group.size)
