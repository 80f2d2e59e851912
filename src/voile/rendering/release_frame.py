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
    rank = _group_rank(boxes, partition.group[rows], content)
    order = canonical_order([rank[partition.group[rows]], content])
    rows = rows[order]
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


def _content(table: Table, rows: NDArray[np.intp]) -> NDArray[np.int64]:
    """What tells rows of one group apart: a number per distinct combination of values shown."""
    return dense_rank([column.codes[rows] for column in (*table.sensitive, *table.kept)])


def _group_rank(boxes: Boxes, group: NDArray[np.int64], content: NDArray[np.int64]) -> NDArray[np.int64]:
    """Canonical number of each group: by box, then by content where boxes are equal."""
    box = dense_rank([end for side in boxes.sides for end in (side.low, side.high)])
    by_group = content[np.lexsort((content, group))]
    start = np.concatenate(([0], np.cumsum(boxes.sizes)))
    shared = np.flatnonzero(np.bincount(box)[box] > 1)
    bag = np.zeros(box.size, np.int64)
    keys = {int(g): by_group[start[g] : start[g + 1]].astype(">i8").tobytes() for g in shared}
    number = {key: i for i, key in enumerate(sorted(set(keys.values())))}
    for g, key in keys.items():
        bag[g] = number[key]
    rank = np.empty(box.size, np.int64)
    rank[canonical_order([box, bag])] = np.arange(box.size)
    return rank
