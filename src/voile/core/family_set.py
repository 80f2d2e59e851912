"""The family set of a partition: all partitions whose groups are unions of its groups (paper 000, section 2.2).

Privacy first, utility second. Once a safe partition is drawn, any choice among the unions of its groups that
looks only at the partition, its bags and the quasi-identifiers can be repeated by every reader, so it tells
nothing new: the rung is kept (docs/promise.md). Here groups are merged until they keep further promises, near
ones first. The finest partition is the meet of the family, as the correction of facts/streamliner.md A3 demands.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from voile.core.bags import Bags
from voile.core.boxes import Boxes
from voile.core.order import canonical_order
from voile.core.partition import SUPPRESSED, Partition
from voile.core.privacy_model import PrivacyModel
from voile.core.table import Table
from voile.errors import Infeasible
from voile.kernels.z_order import z_order


def merged_until(table: Table, partition: Partition, promises: Sequence[PrivacyModel]) -> Partition:
    """The partition with groups merged, each failing one with its neighbour, until all promises hold.

    Sees the partition, its bags and the quasi-identifiers; never who has what inside a group.
    """
    while promises:
        bags = table.bags(partition.group)
        broken = np.any([promise.broken(bags) for promise in promises], axis=0)
        if not broken.any():
            break
        if partition.groups == 1:
            _refuse(promises, bags)
        partition = _merged(partition, _along_curve(table, partition), broken)
    return partition


def _along_curve(table: Table, partition: Partition) -> NDArray[np.int64]:
    """The groups in order of the middle of their boxes on a curve through the quasi-identifiers."""
    sides = Boxes.around(table, partition).sides
    middles = np.column_stack([(side.low + side.high) // 2 - side.low.min() for side in sides])
    return canonical_order([z_order(middles, middles.max(axis=0) + 1)])


def _merged(partition: Partition, order: NDArray[np.int64], broken: NDArray[np.bool_]) -> Partition:
    """Each broken group joins the next one on the curve, the last one the one before it."""
    starts = np.ones(order.size, bool)  # whether a union begins at this place of the order
    for place in range(order.size - 1):
        if broken[order[place]] and starts[place]:
            starts[place + 1] = False
    if broken[order[-1]] and starts[-1]:
        starts[-1] = False
    union = np.empty(order.size, np.int64)
    union[order] = np.cumsum(starts) - 1
    return Partition(np.where(partition.group < 0, SUPPRESSED, union[partition.group]))


def _refuse(promises: Sequence[PrivacyModel], bags: Bags) -> None:
    names = [promise.title for promise in promises if promise.broken(bags).any()]
    raise Infeasible(
        f"even all rows in one group do not keep {' and '.join(names)}",
        where="also",
        largest_l=1,
        rows_to_suppress=0,
        rule="merging groups must reach every promise",
        remedy="relax the bound; the whole table is the most that merging can do",
    )
