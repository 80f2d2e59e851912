"""Table and partition -> the published rows, in canonical order."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.boxes import Boxes
from voile.core.order import canonical_order, dense_rank
from voile.core.partition import Partition
from voile.core.schema import COUNTERFEITS, GROUP, Role
from voile.core.table import Column, Table
from voile.rendering.group_order import bag_numbers
from voile.rendering.labels import box_labels, value_labels
from voile.rendering.two_tables import render_two_tables
from voile.rendering.value_sets import ValueSets


def rendered(
    table: Table, partition: Partition, boxes: Boxes
) -> tuple[pl.DataFrame, pl.DataFrame | None, pl.DataFrame | None]:
    """The published rows, and what goes with them: counterfeits by group, or sensitive values by group."""
    if partition.separate:
        rows, sensitive = render_two_tables(table, partition)
        return rows, None, sensitive
    return *render(table, partition, boxes), None


def render(table: Table, partition: Partition, boxes: Boxes) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The release: a group number, then the published columns in the table's order; and the auxiliary relation of
    Xiao and Tao 2007, Definition 3: how many counterfeits are in each group that has some.

    Groups are numbered by their boxes and contents, rows of a group sorted by content: nothing
    follows the order of the source, and nothing tells a counterfeit from a real row.
    """
    labels, sets = zip(*(box_labels(side) for side in boxes.sides), strict=True)
    content = _content(table, partition)
    groups = _groups_in_order(boxes, partition, [found for found in sets if found is not None], content)
    rows = _rows_in_order(partition, groups, content)
    sizes = partition.published_sizes[groups]
    group = pl.Series(np.repeat(groups, sizes), dtype=pl.UInt32)
    published = {side.column.name: label for side, label in zip(boxes.sides, labels, strict=True)}
    columns = [pl.Series(GROUP, np.repeat(np.arange(1, groups.size + 1), sizes))]
    for column in table.columns:
        if column.role == Role.SUBJECT:
            continue
        if column.name in published:
            columns.append(published[column.name].gather(group).alias(column.name))
        else:
            columns.append(value_labels(column, _shown(column, partition)[rows]))
    return pl.DataFrame(columns), _auxiliary(partition, groups)


def _shown(column: Column, partition: Partition) -> NDArray[np.int64]:
    """The codes of a column that is not a quasi-identifier, of rows and then of counterfeits; where an algorithm
    generalises the sensitive values, nodes."""
    if partition.generalises and column.role == Role.SENSITIVE:
        return partition.node
    return np.concatenate([column.codes, partition.counterfeit_value]) if partition.counterfeits else column.codes


def _auxiliary(partition: Partition, groups: NDArray[np.int64]) -> pl.DataFrame:
    number = np.bincount(partition.counterfeit_group, minlength=partition.groups)[groups]
    having = np.flatnonzero(number)
    return pl.DataFrame({GROUP: having + 1, COUNTERFEITS: number[having]})


def _content(table: Table, partition: Partition) -> NDArray[np.int64]:
    """What tells rows of one group apart: a number per distinct combination of values shown."""
    return dense_rank([_shown(column, partition) for column in (*table.sensitive, *table.kept)])


def _groups_in_order(
    boxes: Boxes, partition: Partition, sets: list[ValueSets], content: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Groups in canonical order: by box, then by label (sets differ where nodes do not), then by
    content."""
    ends = [end for side in boxes.sides for end in (side.low, side.high)]
    box = dense_rank([*ends, *(word for found in sets for word in found.words)])
    shared = np.bincount(box)[box] > 1
    return canonical_order([box, bag_numbers(partition, shared, content)] if shared.any() else [box])


def _rows_in_order(
    partition: Partition, groups: NDArray[np.int64], content: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Published rows, group by group in this order, sorted by content in each."""
    rank = np.empty(groups.size + 1, np.int64)
    rank[groups] = np.arange(groups.size)
    rank[-1] = -1  # of suppressed rows, whose group is -1: they come first
    return canonical_order([rank[partition.everyone], content])[partition.suppressed :]
