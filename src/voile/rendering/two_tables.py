"""Table and partition -> quasi-identifiers as they are, and sensitive values by group (Anatomy's QIT and ST)."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.bags import Bag
from voile.core.order import canonical_order, dense_rank
from voile.core.partition import Partition
from voile.core.schema import COUNT, GROUP, Role
from voile.core.table import Table
from voile.kernels.colours import rows_by_colour
from voile.rendering.group_order import bag_numbers
from voile.rendering.labels import value_labels

Numbers = NDArray[np.int64]


def render_two_tables(table: Table, partition: Partition) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Group number, quasi-identifying and kept columns of each row; and group, value, count of each value.

    Groups are numbered by what their rows show, then by their values; rows of a group are in the order of that.
    A row's number in the table must not matter: rows alike in quasi-identifiers stand there in the order of their
    sensitive values.
    """
    order = _by_look(table, partition)
    groups = _groups_in_order(table, partition, order)
    rank = np.empty(groups.size, np.int64)
    rank[groups] = np.arange(groups.size)
    rows = order[rows_by_colour(rank[partition.group[order]], groups.size)[0]]
    group = pl.Series(GROUP, np.repeat(np.arange(1, groups.size + 1), partition.sizes[groups]))
    shown = [c for c in table.columns if c.role in (Role.QUASI_IDENTIFYING, Role.INSENSITIVE)]
    first = pl.DataFrame([group, *(value_labels(column, column.codes[rows]) for column in shown)])
    secret = table.sensitive[0]
    bag = Bag.of(rank[partition.group[rows]], secret.codes[rows], groups.size)
    second = [pl.Series(GROUP, bag.owner + 1), value_labels(secret, bag.codes), pl.Series(COUNT, bag.counts)]
    return first, pl.DataFrame(second)


def _by_look(table: Table, partition: Partition) -> Numbers:
    """Published rows by what they show; a table stands so already if only quasi-identifiers are shown."""
    order = canonical_order([table.look]) if table.kept else np.arange(table.n)
    return order[partition.group[order] >= 0]


def _groups_in_order(table: Table, partition: Partition, order: Numbers) -> Numbers:
    """Groups by the look of their first two rows, of all their rows, and then by their values."""
    rows, start = rows_by_colour(partition.group[order], partition.groups)
    first, second = (order[rows[np.minimum(start[:-1] + i, start[1:] - 1)]] for i in (0, 1))
    keys = [table.look[first], table.look[second]]
    for content in (table.look, table.sensitive[0].codes):
        rank = dense_rank(keys)
        shared = np.bincount(rank)[rank] > 1
        if not shared.any():
            break
        keys = [rank, bag_numbers(partition, shared, content)]
    return canonical_order(keys)
