"""Exact searches in a k-d forest: which living row adds least to a group's box?

A node's box bounds the cost of every row below from below, and its sets of marks say which rows
cannot be there. A search that skips only nodes which cannot hold a cheaper row (or an equally
cheap one of lower number) is exact (docs/facts/bsgi.md A5).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.kernels.compiled import inlined_kernel, kernel
from voile.kernels.kd_forest import ALIVE, BOX, CHILD, CODES, LOWEST, NONE, ROW, START
from voile.kernels.loss import joined_cost, least_joined_cost

FAR = np.iinfo(np.int64).max


class Open(NamedTuple):
    """Which rows a search may find: those whose every mark is open.

    Mark v of column c stands at `first[c] + v` of the lists. It is open if it is not `used` by the
    group `user[0]`, and has at least `bar[c]` rows left. Only the `bits[c]` can belong to open marks.
    """

    first: NDArray[np.int64]
    used: NDArray[np.int64]
    left: NDArray[np.int64]
    user: NDArray[np.int64]
    bar: NDArray[np.int64]
    bits: NDArray[np.int64]


def all_open():
    """The Open of rows without marks."""
    none = np.empty(0, np.int64)
    return Open(none, none, none, none, none, none)


@inlined_kernel
def may_hold(open_, tree, node, first_set):
    """Whether a node with living rows may hold one whose marks are all open."""
    if tree[node, ALIVE] == 0:
        return False
    for c in range(open_.bits.size):
        if tree[node, first_set + c] & open_.bits[c] == 0:
            return False
    return True


@inlined_kernel
def is_open(open_, rows, at, first_mark):
    """Whether all marks of the row at a place are open."""
    for c in range(open_.bits.size):
        mark = open_.first[c] + rows[at, first_mark + c]
        if open_.used[mark] == open_.user[0] or open_.left[mark] < open_.bar[c]:
            return False
    return True


@kernel
def nearest_open(forest, loss, root, box, open_, limit, best_cost, best):
    """The places of the living rows that add least to a box, cheapest first, lowest row on ties; how many.

    Searches the tree of a root for open rows cheaper than `limit`, at most as many as `best` has room.

    >>> from voile.kernels.kd_forest import plant
    >>> from voile.kernels.loss import Box, Loss
    >>> none, best = np.empty(0, np.int64), np.empty(1, np.int64)
    >>> loss = Loss(np.array([1]), *[none] * 8)
    >>> forest = plant(loss, np.array([[5], [9], [7]]), np.array([0, 1, 1]))
    >>> box = Box(np.array([6]), np.array([6]), none, none)
    >>> int(nearest_open(forest, loss, forest.root[1], box, all_open(), FAR, best.copy(), best))
    1
    >>> int(forest.rows[best[0], ROW])
    2
    """
    tree, rows, todo, todo_cost = forest.tree, forest.rows, forest.todo, forest.todo_cost
    d = loss.step.size + loss.leaf.size
    sets, marks = BOX + 2 * d, CODES + d
    found, worst, worst_row = 0, limit - 1, FAR
    waiting = 0
    if may_hold(open_, tree, root, sets):
        todo[0], todo_cost[0] = root, 0
        waiting = 1
    while waiting > 0:
        waiting -= 1
        here, cost = todo[waiting], todo_cost[waiting]
        if cost > worst or (cost == worst and tree[here, LOWEST] >= worst_row):
            continue
        first = tree[here, CHILD]
        if first == NONE:
            begin = tree[here, START]
            for at in range(begin, begin + tree[here, ALIVE]):
                if not is_open(open_, rows, at, marks):
                    continue
                cost = joined_cost(loss, box, rows, at, CODES, worst)
                if cost < worst or (cost == worst and rows[at, ROW] < worst_row):
                    found = insert(best, best_cost, found, rows, at, cost)
                    if found == best.size:
                        worst, worst_row = best_cost[found - 1], rows[best[found - 1], ROW]
            continue
        near, far = first, first + 1
        near_cost = far_cost = FAR
        if may_hold(open_, tree, near, sets):
            near_cost = least_joined_cost(loss, box, tree, near, BOX, worst)
        if may_hold(open_, tree, far, sets):
            far_cost = least_joined_cost(loss, box, tree, far, BOX, worst)
        if far_cost < near_cost or (far_cost == near_cost and tree[far, LOWEST] < tree[near, LOWEST]):
            near, far = far, near
            near_cost, far_cost = far_cost, near_cost
        if far_cost <= worst:
            todo[waiting], todo_cost[waiting] = far, far_cost
            waiting += 1
        if near_cost <= worst:
            todo[waiting], todo_cost[waiting] = near, near_cost
            waiting += 1
    return found


@inlined_kernel
def insert(best, best_cost, found, rows, at, cost):
    """Put a place among the best, in order; the last one falls out when there is no room."""
    i = min(found, best.size - 1)
    while i > 0 and (
        best_cost[i - 1] > cost or (best_cost[i - 1] == cost and rows[best[i - 1], ROW] > rows[at, ROW])
    ):
        best[i], best_cost[i] = best[i - 1], best_cost[i - 1]
        i -= 1
    best[i], best_cost[i] = at, cost
    return min(found + 1, best.size)
