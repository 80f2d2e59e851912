"""Table and partition -> the published rows, in canonical order."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.boxes import Boxes
from voile.core.order import canonical_order, dense_rank
from voile.core.partition import Partition
from voile.core.schema import GROUP, Role
from voile.core.table import Table
from voile.rendering.labels import box_labels, value_labels


def render(table: Table, partition: Partition, boxes: Boxes) -> pl.DataFrame:
    """The release: a group number, then the published columns in the table's order.

    Groups are numbered by their boxes and contents, rows of a group sorted by content: nothing
    follows the order of the source.
    """
    rows = np.flatnonzero(partition.group >= 0)
    content = _content(table, rows)
    by_group = canonical_order([partition.group[rows], content])
    labels = [box_labels(side, partition.group) for side in boxes.sides]
    rank = _group_rank(boxes, labels, content[by_group])
    rows = rows[by_group][_blocks_in_order(boxes.sizes, canonical_order([rank]))]
    group = partition.group[rows]
    published = {side.column.name: label for side, label in zip(boxes.sides, labels, strict=True)}
    columns = [pl.Series(GROUP, rank[group] + 1)]
    for column in table.columns:
        if column.role == Role.SUBJECT:
            continue
        if column.name in published:
            columns.append(published[column.name].gather(group).alias(column.name))
        else:
            columns.append(value_labels(column, column.codes[rows]))
    return pl.DataFrame(columns)


def _content(table: Table, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """What tells rows of one group apart: a number per distinct combination of values shown."""
    return dense_rank([column.codes[rows] for column in (*table.sensitive, *table.kept)])


def _group_rank(boxes: Boxes, labels: list[pl.Series], content: NDArray[np.int64]) -> NDArray[np.int64]:
    """Canonical number of each group: by box, then by label (sets differ where nodes do not), then
    by content. `content` is that of all rows, group by group, sorted in each.
    """
    keys = [end for side in boxes.sides for end in (side.low, side.high)]
    keys += [_label_codes(label) for label in labels if label.str.starts_with("{").any()]
    box = dense_rank(keys)
    start = np.concatenate(([0], np.cumsum(boxes.sizes)))
    shared = np.flatnonzero(np.bincount(box)[box] > 1)
    bag = np.zeros(box.size, np.int64)
    bags = {int(g): content[start[g] : start[g + 1]].astype(">i8").tobytes() for g in shared}
    number = {key: i for i, key in enumerate(sorted(set(bags.values())))}
    for g, key in bags.items():
        bag[g] = number[key]
    rank = np.empty(box.size, np.int64)
    rank[canonical_order([box, bag])] = np.arange(box.size)
    return rank


def _label_codes(labels: pl.Series) -> NDArray[np.int64]:
    """Which label each group has, numbered in sorted order."""
    return labels.cast(pl.Enum(labels.unique().sort())).to_physical().cast(pl.Int64).to_numpy()


def _blocks_in_order(sizes: NDArray[np.int64], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions of consecutive blocks of rows, the blocks taken in another order."""
    start = np.cumsum(sizes) - sizes
    end = np.cumsum(sizes[order])
    return np.arange(sizes.sum()) + np.repeat(start[order] - end + sizes[order], sizes[order])
