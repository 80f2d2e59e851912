"""MATCH, the fine tier: balanced buckets become groups of nearest rows (docs/facts/safety.md 1.1).

A bucket has alpha rows of each of its values. The rows that lie farthest out begin groups, and each takes the
nearest row of every other value: ELIG, where all values are critical. Places among the values of a bucket are
only compared with one another, and ties go to the first row along an order that does not know values: so whoever
turned the values of a bucket around would get the same groups.
"""

import numpy as np

from voile.kernels.compiled import inlined_kernel, kernel
from voile.kernels.kd_forest import BITS, CODES, LOWEST, NONE, ROW, remove
from voile.kernels.kd_search import FAR, Open, nearest_open
from voile.kernels.loss import grow_box, new_box, start_box


@kernel
def places_of_widest(width):
    """The Open of marks that are places among so many values, of which the largest counts."""
    first, most = np.zeros(2, np.int64), 0
    for many in width:
        most = max(most, many)
    first[1] = most
    used, left = np.empty(most, np.int64), np.empty(most, np.int64)
    for place in range(most):
        used[place], left[place] = NONE, 1
    return Open(first, used, left, np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64))


@inlined_kernel
def open_all_places(open_, width, group):
    """No place of a new group is taken."""
    open_.user[0] = group
    open_.bits[0] = (1 << width) - 1 if width <= BITS else -1


@inlined_kernel
def close_place(open_, width, place):
    """A row has taken its place."""
    open_.used[place] = open_.user[0]
    if width <= BITS:
        open_.bits[0] &= ~(1 << place)


@kernel
def match_buckets(forest, loss, width, alpha, first_group, buckets, group):
    """The groups of some buckets: bucket b has a tree of its own, width[b] values and alpha[b] groups, the first
    of them first_group[b]. A row's mark is its place among the values."""
    box, d = new_box(loss), loss.step.size + loss.leaf.size
    best, best_cost = np.empty(1, np.int64), np.empty(1, np.int64)
    open_ = places_of_widest(width)
    for b in buckets:
        for g in range(first_group[b], first_group[b] + alpha[b]):
            open_all_places(open_, width[b], g)
            at = forest.place[forest.tree[forest.root[b], LOWEST]]
            start_box(loss, box, forest.rows, at, CODES)
            for i in range(width[b]):
                if i > 0:
                    nearest_open(forest, loss, forest.root[b], box, open_, FAR, best_cost, best)
                    at = best[0]
                    grow_box(loss, box, forest.rows, at, CODES)
                group[forest.rows[at, ROW]] = g
                close_place(open_, width[b], forest.rows[at, CODES + d])
                remove(forest, at)
