"""The family set of a partition: all partitions whose groups are unions of its groups
(Liu and Wang 2012, section 2.2).

Privacy first, utility second. Once a safe partition is drawn, any choice among the unions of its groups that
looks only at the partition, its bags and the quasi-identifiers can be repeated by every reader, so it tells
nothing new: the rung is kept (docs/promise.md). Here groups are merged until they keep further promises, near
ones first. The finest partition is the meet of the family, as the correction of docs/facts/streamliner.md A3
demands.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

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


def merged_until(
    table: Table,
    partition: Partition,
    promises: Sequence[PrivacyModel],
    blocks: NDArray[np.int64] | None = None,
) -> Partition:
    """The partition with groups merged, each failing one with its neighbour, until all promises hold.

    Sees the partition, its bags and the quasi-identifiers; never who has what inside a group. `blocks` is the
    block of each row: groups of different blocks are not merged.
    """
    while promises:
        bags = table.bags(partition.group, partition)
        broken = np.any([promise.broken(bags) for promise in promises], axis=0)
        if not broken.any():
            break
        block = np.zeros(partition.groups, np.int64)
        if blocks is not None:
            published = partition.group >= 0
            block[partition.group[published]] = blocks[published]
        if (broken & (np.bincount(block)[block] == 1)).any():
            _refuse(promises, bags, partition.groups == 1)
        partition = _merged(partition, _along_curve(table, partition, block), block, broken)
    return partition


def _along_curve(table: Table, partition: Partition, block: NDArray[np.int64]) -> NDArray[np.int64]:
    """The groups of each block in order of the middle of their boxes on a curve through the quasi-identifiers."""
    sides = Boxes.around(table, partition).sides
    middles = np.column_stack([(side.low + side.high) // 2 - side.low.min() for side in sides])
    return canonical_order([block, z_order(middles, middles.max(axis=0) + 1)])


def _merged(
    partition: Partition, order: NDArray[np.int64], block: NDArray[np.int64], broken: NDArray[np.bool_]
) -> Partition:
    """Each broken group joins the next one of its block on the curve, the last one the one before it."""
    last_of_block = np.append(block[order][1:] != block[order][:-1], True)
    starts = np.ones(order.size, bool)  # whether a union begins at this place of the order
    for place in np.flatnonzero(broken[order]):
        if starts[place]:
            starts[place if last_of_block[place] else place + 1] = False
    union = np.empty(order.size, np.int64)
    union[order] = np.cumsum(starts) - 1
    return replace(partition, group=np.where(partition.group < 0, SUPPRESSED, union[partition.group]))


def _refuse(promises: Sequence[PrivacyModel], bags: Bags, whole: bool) -> NoReturn:
    names = [promise.title for promise in promises if promise.broken(bags).any()]
    raise Infeasible(
        f"even all rows {'' if whole else 'of a block '}in one group do not keep {' and '.join(names)}",
        where="also",
        largest_l=1,
        rows_to_suppress=0,
        rule="merging groups must reach every promise" + ("" if whole else "; blocks are not crossed"),
        remedy="relax the bound: the whole table is the most that merging can do"
        if whole
        else "relax the bound, or use coarser blocks",
    )
