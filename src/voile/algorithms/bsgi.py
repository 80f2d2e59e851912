"""BSGI: bucketize, select, group, incorporate (Ye et al. 2008), with an exact sub-quadratic search.

Buckets are the rows of one sensitive value. Max-l (section 3): each group takes one row from each
of the l largest buckets, the nearest one under IL(e + t). Residual rows, at most one per bucket
when the table is eligible (Corollary 1), join the group lacking their value where the total loss
grows least. Corrections of docs/facts/bsgi.md A4: a value a group already holds is never added, an
ineligible table is refused (or its surplus rows suppressed), and ties are fixed by row number.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from voile.algorithms.single_column import resolved_l
from voile.core.algorithm import Algorithm, Progress, Rung
from voile.core.eligibility import most_groups
from voile.core.information_loss import loss_of
from voile.core.order import canonical_order, distinct_values
from voile.core.parameters import AUTO, parameter
from voile.core.partition import SUPPRESSED, Partition
from voile.core.table import Table
from voile.kernels.compiled import kernel
from voile.kernels.kd_forest import CODES, LOWEST, ROW, plant, remove
from voile.kernels.kd_search import FAR, all_open, nearest_open
from voile.kernels.loss import grow_box, new_box, start_box
from voile.kernels.seating import assign, seat_rows, seated
from voile.kernels.z_order import z_order

ROUNDS = 32
CHUNK = 4096  # groups between two reports of progress


@dataclass(frozen=True, kw_only=True)
class BSGI(Algorithm):
    """Groups of l nearest rows from the l largest buckets.

    Guarantee: unique distinct l-diversity, so every value's share is at most 1/l.
    Not protected against: someone who knows the algorithm (docs/known-limits.md).

    >>> BSGI(l=2).settings()
    {'l': 2, 'residual': 'incorporate', 'ineligible': 'refuse', 'seed': 0}
    """

    key = "bsgi"
    title = "BSGI"
    paper = "Ye et al. 2008"
    promise = "unique_distinct_l_diversity"
    rung = Rung.RELEASE
    deterministic = True
    cost = "about n log n; 1M rows in seconds"
    meaning = "groups of l nearest rows, one from each of the l largest buckets"

    l: int | str = parameter(  # noqa: E741 the paper's name
        "rows per group, all values different; auto = the largest l the table allows",
        minimum=2,
        choices=(AUTO,),
    )
    residual: str = parameter(
        "rows left over after grouping join a group, or are suppressed",
        default="incorporate",
        choices=("incorporate", "suppress"),
    )
    ineligible: str = parameter(
        "when a value is too frequent for l: refuse, or suppress the fewest rows that help",
        default="refuse",
        choices=("refuse", "suppress"),
    )
    seed: int = parameter("which rows begin a group; harmless to privacy and quality", default=0, minimum=0)

    def resolve(self, table: Table) -> Self:
        """Fix l = "auto" as floor(n / n1) (docs/facts/bsgi.md A4.3)."""
        return replace(self, l=resolved_l(self.l, table, self.key, self.ineligible == "suppress"))

    def partition(self, table: Table, progress: Progress = lambda share: None) -> Partition:
        """Bucketize, select and group, incorporate."""
        ell = int(self.resolve(table).l)
        loss, values, _ = loss_of(table)
        order = order_of_rows(values, self.seed)
        bucket = distinct_values(table.single_sensitive(self.key).codes)[1][order]
        values = values[order]
        group = select_and_group(loss, values, bucket, ell, progress)
        if self.residual == "incorporate":
            incorporate(loss, values, bucket, group)
        in_table = np.empty_like(group)
        in_table[order] = group
        return Partition(in_table)


def order_of_rows(values, seed):
    """Which row is "lowest": it begins a group, and wins ties. Any order is right (docs/facts/bsgi.md A4.5).

    Random rows begin the best groups, neighbouring ones the fastest, since their searches touch the
    same memory. So rows are dealt into ROUNDS at random, and taken along a Z-order curve in each.
    """
    dealt = np.random.default_rng(seed).integers(0, ROUNDS, values.shape[0])
    return canonical_order([dealt, z_order(values, values.max(axis=0, initial=0) + 1)])


def select_and_group(loss, values, bucket, ell, progress):
    """Max-l over rows in the given order: group of each row, SUPPRESSED for the residual ones."""
    sizes = np.bincount(bucket)
    plan = max_l(sizes, ell, most_groups(sizes, ell))
    forest = plant(loss, values, bucket)
    group = np.full(bucket.size, SUPPRESSED, np.int64)
    for first in range(0, plan.shape[0], CHUNK):
        form_groups(forest, loss, all_open(), plan[first : first + CHUNK], group, first)
        progress(min(1.0, (first + CHUNK) / plan.shape[0]))
    return group


@kernel
def form_groups(forest, loss, anyone, plan, group, first):
    """Form the planned groups, numbered from `first`: the lowest row, then the nearest ones."""
    box = new_box(loss)
    best, best_cost = np.empty(1, np.int64), np.empty(1, np.int64)
    for g in range(plan.shape[0]):
        for i in range(plan.shape[1]):
            if i == 0:
                at = forest.place[forest.tree[forest.root[plan[g, 0]], LOWEST]]
                start_box(loss, box, forest.rows, at, CODES)
            else:
                nearest_open(forest, loss, forest.root[plan[g, i]], box, anyone, FAR, best_cost, best)
                at = best[0]
                grow_box(loss, box, forest.rows, at, CODES)
            group[forest.rows[at, ROW]] = first + g
            remove(forest, at)


@kernel
def sift_down(heap, place, size):
    """Restore the max-heap below a place."""
    while True:
        largest = place
        for child in range(2 * place + 1, 2 * place + 3):
            if child < size and heap[child] > heap[largest]:
                largest = child
        if largest == place:
            return
        heap[place], heap[largest] = heap[largest], heap[place]
        place = largest


@kernel
def sift_up(heap, place):
    """Restore the max-heap above a place."""
    while place > 0 and heap[(place - 1) // 2] < heap[place]:
        above = (place - 1) // 2
        heap[place], heap[above] = heap[above], heap[place]
        place = above


@kernel
def take_largest(heap, m, plan):
    """Fill each group's line of the plan with the buckets that are largest by then."""
    ell = plan.shape[1]
    for g in range(plan.shape[0]):
        for i in range(ell):
            last = heap.size - 1 - i
            heap[0], heap[last] = heap[last], heap[0]
            sift_down(heap, 0, last)
            plan[g, i] = m - 1 - heap[last] % m
        for i in range(ell):
            place = heap.size - ell + i
            heap[place] -= m  # one row less
            sift_up(heap, place)


def max_l(sizes, ell, groups):
    """The buckets of each group: the l largest, ties by value code (Ye et al. 2008, section 3).

    The heap holds size * m + (m - 1 - bucket), largest first.

    >>> max_l(np.array([2, 3, 1]), 2, 3).tolist()
    [[1, 0], [1, 0], [1, 2]]
    """
    m = sizes.size
    heap = np.sort(sizes * m + (m - 1 - np.arange(m)))[::-1].copy()
    plan = np.empty((groups, ell), np.int32)
    take_largest(heap, m, plan)
    return plan


def incorporate(loss, values, bucket, group):
    """Put each residual row, in order, where the total loss grows least; no value twice in a group.

    Rows for which every group already holds their value stay SUPPRESSED: with an eligible table
    there are none (docs/facts/bsgi.md A1), otherwise they are exactly the minimum suppression.
    """
    seats, residual = seated(group, int(group.max()) + 1, bucket.astype(np.int32)[:, None], 0)
    if residual.size == 0:
        return
    seat_rows(loss, values, seats, residual, 0)
    assign(seats, group)
