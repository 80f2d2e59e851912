"""Boxes: what a grouping publishes of the quasi-identifiers, as codes."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.bags import Bag
from voile.core.order import distinct_values, places_among, value_counts
from voile.core.partition import SUPPRESSED, Partition
from voile.core.table import Column, Table
from voile.kernels.boxes import common_ancestors, enclose_groups

LONGEST_SET = 8  # values listed in {a, b}; a longer set is published as everything


@dataclass(frozen=True, repr=False, eq=False)
class Side:
    """One column of all boxes: from low to high; of a tree also the node. Where quasi-identifiers are published as
    they are, each value there is has its cell, and `group` says which is a row's."""

    column: Column
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    node: NDArray[np.int64] | None
    widths: NDArray[np.int64]  # of the groups' own codes, before they were widened: greatest - least
    group: NDArray[np.int64]  # of each row of the source
    rows: NDArray[np.int64]  # that have each cell
    decided: bool = False  # by the algorithm: the node is published, however few values under it the group holds

    @cached_property
    def source(self) -> "Source":
        """What the column held before it was generalised."""
        if self.low is self.high and (self.group >= 0).all():  # a cell for each value: nothing was
            cell = np.arange(self.low.size)
            return Source(self.rows, cell, cell + 1)
        values, rows = value_counts(self.column.codes)
        return Source(rows, *places_among(values, self.low, self.high))

    @cached_property
    def held(self) -> Bag:
        """The values that each group holds, and how often."""
        if np.array_equal(self.low, self.high):
            return Bag(np.arange(self.low.size + 1), self.low, self.rows)
        published = self.group >= 0
        if published.all():
            return Bag.of(self.group, self.column.codes, self.low.size)
        return Bag.of(self.group[published], self.column.codes[published], self.low.size)

    @cached_property
    def listed(self) -> NDArray[np.int64]:
        """Groups published as a set of values: of a column without a hierarchy, those with several values,
        where there are few of them but not all there are."""
        domain = self.column.domain
        if self.decided or isinstance(domain, Axis) or not domain.is_flat:
            return np.empty(0, np.int64)
        sizes = self.held.distinct()
        return np.flatnonzero((sizes > 1) & (sizes <= LONGEST_SET) & (sizes < domain.leaves))


@dataclass(frozen=True, repr=False, eq=False)
class Source:
    """Rows per distinct value in ascending order; group g's cell covers values first[g] .. after[g]-1."""

    rows: NDArray[np.int64]
    first: NDArray[np.int64]
    after: NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class Boxes:
    """The smallest publishable box around each group: ancestors in trees, snapped ends on axes.

    >>> from voile.core.hierarchy import Hierarchy
    >>> from voile.core.schema import Role
    >>> tree = Hierarchy.from_lines([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]])
    >>> table = Table([Column("letter", Role.QUASI_IDENTIFYING, tree, np.array([0, 1, 2]))])
    >>> side = Boxes.around(table, Partition(np.array([0, 0, 1]))).sides[0]
    >>> [tree.labels[node] for node in side.node]
    ['x', 'c']
    """

    sides: tuple[Side, ...]
    sizes: NDArray[np.int64]
    suppressed: int
    group: NDArray[np.int64]  # of each row of the source
    sensitive: tuple[Column, ...] = ()  # for private metrics only: they compare with the truth
    counterfeit_group: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    counterfeit_value: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    node: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))  # as in a Partition
    weight: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    separate: bool = False  # sides are of rows, not of groups: nothing joins the columns but the row

    @classmethod
    def around(cls, table: Table, partition: Partition) -> "Boxes":
        """The boxes of a partition of a table."""
        if partition.separate:
            sides = tuple(_exact_side(column, partition.group >= 0) for column in table.quasi)
        else:
            sides = tuple(_side(column, partition, j) for j, column in enumerate(table.quasi))
        shown = (partition.counterfeit_group, partition.counterfeit_value, partition.node, partition.weight)
        rows = (partition.sizes, partition.suppressed, partition.group)
        return cls(sides, *rows, table.sensitive, *shown, separate=partition.separate)

    @property
    def rows(self) -> int:
        """All rows of the source, suppressed ones included."""
        return int(self.sizes.sum()) + self.suppressed

    @cached_property
    def mixed(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Of each sensitive column, how many values there are in a group, and in groups of how many rows."""
        published, found = self.group >= 0, []
        for column in self.sensitive:
            held = Bag.of(self.group[published], column.codes[published], self.sizes.size).distinct()
            values, which = distinct_values(held)
            found.append((values, np.bincount(which, weights=self.sizes).astype(np.int64)))
        return found


def _side(column: Column, partition: Partition, j: int) -> Side:
    least, greatest = enclose_groups(column.codes, partition.group, partition.groups)
    low, high = (partition.low[:, j], partition.high[:, j]) if partition.decides_boxes else (least, greatest)
    if (low > least).any() or (high < greatest).any():
        raise ValueError("a box leaves out rows of its group")
    domain, own = column.domain, (greatest - least, partition.group, partition.sizes, partition.decides_boxes)
    if isinstance(domain, Axis):
        low, high = domain.snap(low, high)
        return Side(column, low, high, None, *own)
    node = common_ancestors(domain.high, domain.parent, low, high)
    return Side(column, domain.low[node], domain.high[node], node, *own)


def _exact_side(column: Column, published: NDArray[np.bool_]) -> Side:
    """A cell for each value, leaves of a tree being its first nodes."""
    shown = column.codes if published.all() else column.codes[published]
    values, group = distinct_values(shown)
    rows, node = np.bincount(group), None if isinstance(column.domain, Axis) else values
    if shown is not column.codes:
        which, group = group, np.full(published.size, SUPPRESSED)
        group[published] = which
    return Side(column, values, values, node, np.zeros_like(values), group, rows)
