"""Table and partition -> the published rows, in canonical order."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.boxes import Boxes
from voile.core.order import canonical_order, dense_rank
from voile.core.partition import Partition
from voile.core.schema import Role
from voile.core.table import Table
from voile.errors import SpecError
from voile.rendering.labels import box_labels, value_labels

GROUP = "group"


def render(table: Table, partition: Partition, boxes: Boxes) -> pl.DataFrame:
    """The release: a group number, then the published columns in the table's order.

    Groups are numbered by their boxes and contents, rows of a group sorted by content: nothing
    follows the order of the source.
    """
    if any(column.name == GROUP for column in table.columns):
        raise SpecError("a column is named group", where="spec", rule="a release has a group column",
                        remedy="rename the column")  # fmt: skip
    rows = np.flatnonzero(partition.group >= 0)
    content = _content(table, rows)
    by_group = canonical_order([partition.group[rows], content])
    rank = _group_rank(boxes, content[by_group])
    rows = rows[by_group][_blocks_in_order(boxes.sizes, canonical_order([rank]))]
    group = partition.group[rows]
    sides = {side.column.name: side for side in boxes.sides}
    columns = [pl.Series(GROUP, rank[group] + 1)]
    for column in table.columns:
        if column.role == Role.SUBJECT:
            continue
        if column.name in sides:
            label = box_labels(sides[column.name], partition.group)
            columns.append(label.gather(group).alias(column.name))
        else:
            columns.append(value_labels(column, column.codes[rows]))
    return pl.DataFrame(columns)


def _content(table: Table, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """What tells rows of one group apart: a number per distinct combination of values shown."""
    return dense_rank([column.codes[rows] for column in (*table.sensitive, *table.kept)])


def _group_rank(boxes: Boxes, content: NDArray[np.int64]) -> NDArray[np.int64]:
    """Canonical number of each group: by box, then by content where boxes are equal.

    `content` is that of all rows, group by group, sorted in each.
    """
    box = dense_rank([end for side in boxes.sides for end in (side.low, side.high)])
    start = np.concatenate(([0], np.cumsum(boxes.sizes)))
    shared = np.flatnonzero(np.bincount(box)[box] > 1)
    bag = np.zeros(box.size, np.int64)
    keys = {int(g): content[start[g] : start[g + 1]].astype(">i8").tobytes() for g in shared}
    number = {key: i for i, key in enumerate(sorted(set(keys.values())))}
    for g, key in keys.items():
        bag[g] = number[key]
    rank = np.empty(box.size, np.int64)
    rank[canonical_order([box, bag])] = np.arange(box.size)
    return rank


def _blocks_in_order(sizes: NDArray[np.int64], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions of consecutive blocks of rows, the blocks taken in another order."""
    start = np.cumsum(sizes) - sizes
    end = np.cumsum(sizes[order])
    return np.arange(sizes.sum()) + np.repeat(start[order] - end + sizes[order], sizes[order])
