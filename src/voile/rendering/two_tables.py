"""Table and partition -> quasi-identifiers as they are, and sensitive values by group (Anatomy's QIT and ST)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.bags import Bag
from voile.core.order import canonical_order, dense_rank
from voile.core.partition import Partition
from voile.core.schema import COUNT, GROUP, Role
from voile.core.table import Column, Table
from voile.kernels.colours import rows_by_colour
from voile.rendering.group_order import bag_numbers
from voile.rendering.labels import value_labels

Numbers = NDArray[np.int64]


def render_two_tables(table: Table, partition: Partition) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Group number, quasi-identifying and kept columns of each row; and group, value, count of each value.

    Rows are sorted by what they show, then by group. Groups are numbered by what their rows show, then by their
    values. A row's number in the table must not matter: rows that look alike stand there in the order of their
    sensitive values.
    """
    published = np.flatnonzero(partition.group >= 0)
    groups = _groups_in_order(table, partition, published)
    rank = np.empty(groups.size, np.int64)
    rank[groups] = np.arange(groups.size)
    group = rank[partition.group[published]]
    order = canonical_order([table.look[published], group])
    first = rows_as_they_are(table.columns, published[order], group[order] + 1)
    secret = table.sensitive[0]
    return first, values_by_group(replace(secret, codes=secret.codes[published]), group, 1)


def rows_as_they_are(columns: Sequence[Column], rows: Numbers, number: Numbers) -> pl.DataFrame:
    """Of these rows the numbers of their groups, and all that is published apart from the values."""
    shown = [c for c in columns if c.role in (Role.QUASI_IDENTIFYING, Role.INSENSITIVE)]
    return pl.DataFrame([_numbers(number), *(value_labels(column, column.codes[rows]) for column in shown)])


def values_by_group(secret: Column, group: Numbers, first: int) -> pl.DataFrame:
    """How often each value is in each group; groups are numbered from `first`."""
    bag = Bag.of(group, secret.codes, int(group.max(initial=-1)) + 1)
    counts = pl.Series(COUNT, bag.counts, pl.UInt32)
    return pl.DataFrame([_numbers(bag.owner + first), value_labels(secret, bag.codes), counts])


def _numbers(group: Numbers) -> pl.Series:
    return pl.Series(GROUP, group, pl.UInt32 if group.max(initial=0) < 2**32 else pl.Int64)


def _groups_in_order(table: Table, partition: Partition, rows: Numbers) -> Numbers:
    """Groups by the look of their first two rows, of all their rows, and then by their values."""
    if table.kept:  # else rows stand in the order of their looks
        rows = rows[canonical_order([table.look[rows]])]
    by_group, start = rows_by_colour(partition.group[rows], partition.groups)
    some = (rows[by_group[np.minimum(start[:-1] + i, start[1:] - 1)]] for i in (0, 1))
    keys = [table.look[row] for row in some]
    for content in (table.look, table.sensitive[0].codes):
        rank = dense_rank(keys)
        shared = np.bincount(rank)[rank] > 1
        if not shared.any():
            break
        keys = [rank, bag_numbers(partition, shared, content)]
    return canonical_order(keys)
