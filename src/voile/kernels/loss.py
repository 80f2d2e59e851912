"""Information loss of a growing group, in exact integer units.

A group is a box: per attribute a range [low, high] of codes. An *axis* (numbers, dates, ordinals)
costs its range; a *tree* costs the leaves under the lowest common ancestor of its codes, nothing
at a leaf (docs/facts/bsgi.md, `gcp_leaves`). Costs are whole multiples of one unit chosen by the
caller, so comparing two of them is exact and a tie is a tie.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.kernels.compiled import inlined_kernel, kernel

NO_TABLE = -1
TABLE_LIMIT = 2**15  # nodes x leaves of a tree whose costs are tabulated instead of climbed to


class Loss(NamedTuple):
    """How attributes are charged: first the axes, then the trees.

    `step[j]` is the cost of one code step of axis j. Nodes of all trees stand in one list; the
    t-th tree's leaf of code x is node `leaf[t] + x`. Of a small tree, the cost of the ancestor of
    node v and leaf x is `joint[table[t] + (v - leaf[t]) * leaves[t] + x]`.
    """

    step: NDArray[np.int64]
    leaf: NDArray[np.int64]
    leaves: NDArray[np.int64]
    table: NDArray[np.int64]
    joint: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    parent: NDArray[np.int64]
    cost: NDArray[np.int64]


class Box(NamedTuple):
    """The codes a group spans, and of each tree its node and that node's line in `joint`."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    node: NDArray[np.int64]
    line: NDArray[np.int64]


@kernel
def climb(loss, node, code):
    """The lowest ancestor of `node` (itself included) above leaf `code`."""
    while code < loss.low[node] or code > loss.high[node]:
        node = loss.parent[node]
    return node


@kernel
def tabulate_costs(loss):
    """Fill `joint` for every tree that has a table."""
    for t in range(loss.leaf.size):
        end = loss.leaf[t + 1] if t + 1 < loss.leaf.size else loss.low.size
        if loss.table[t] != NO_TABLE:
            for node in range(loss.leaf[t], end):
                for code in range(loss.leaves[t]):
                    at = loss.table[t] + (node - loss.leaf[t]) * loss.leaves[t] + code
                    loss.joint[at] = loss.cost[climb(loss, node, code)]


@kernel
def new_box(loss):
    """Room for a box."""
    d, trees = loss.step.size + loss.leaf.size, loss.leaf.size
    return Box(np.empty(d, np.int64), np.empty(d, np.int64), np.empty(trees, np.int64), np.empty(trees, np.int64))


@kernel
def settle_in_tree(loss, box, t, node):
    """Let a box span a node of the t-th tree."""
    j = loss.step.size + t
    box.node[t], box.low[j], box.high[j] = node, loss.low[node], loss.high[node]
    box.line[t] = NO_TABLE
    if loss.table[t] != NO_TABLE:
        box.line[t] = loss.table[t] + (node - loss.leaf[t]) * loss.leaves[t]


@kernel
def start_box(loss, box, points, i, first):
    """Make the box of row i of `points`, whose codes begin at column `first`."""
    axes = loss.step.size
    for j in range(axes):
        box.low[j] = box.high[j] = points[i, first + j]
    for t in range(loss.leaf.size):
        settle_in_tree(loss, box, t, loss.leaf[t] + points[i, first + axes + t])


@kernel
def grow_box(loss, box, points, i, first):
    """Widen the box to take in row i of `points`."""
    axes = loss.step.size
    for j in range(axes):
        box.low[j] = min(box.low[j], points[i, first + j])
        box.high[j] = max(box.high[j], points[i, first + j])
    for t in range(loss.leaf.size):
        settle_in_tree(loss, box, t, climb(loss, box.node[t], points[i, first + axes + t]))


@kernel
def box_cost(loss, box):
    """What one row of this group costs."""
    total = 0
    for j in range(loss.step.size):
        total += (box.high[j] - box.low[j]) * loss.step[j]
    for t in range(loss.leaf.size):
        total += loss.cost[box.node[t]]
    return total


@inlined_kernel
def tree_cost(loss, box, t, code):
    """The cost of the t-th tree once leaf `code` has joined the box."""
    if box.line[t] != NO_TABLE:
        return loss.joint[box.line[t] + code]
    return loss.cost[climb(loss, box.node[t], code)]


@inlined_kernel
def joined_cost(loss, box, points, i, first, limit):
    """`box_cost` after row i of `points` joins; its codes begin at column `first`.

    May stop early, with some cost above `limit`, once that is exceeded.
    """
    total = 0
    axes = loss.step.size
    for j in range(axes):
        code = points[i, first + j]
        total += (max(box.high[j], code) - min(box.low[j], code)) * loss.step[j]
    if total > limit:
        return total
    for t in range(box.node.size):
        total += tree_cost(loss, box, t, points[i, first + axes + t])
    return total


@inlined_kernel
def least_joined_cost(loss, box, ranges, i, first, limit):
    """The least `joined_cost` of any point inside row i of `ranges`, where the lowest and highest
    code of each attribute stand in turn from column `first`.

    The cost of an ancestor is monotone in the distance on either side of the box, so the nearer
    end of a range bounds it (docs/facts/bsgi.md A5).
    """
    total = 0
    axes = loss.step.size
    for j in range(axes):
        begin, end = ranges[i, first + 2 * j], ranges[i, first + 2 * j + 1]
        total += (max(box.high[j], begin) - min(box.low[j], end)) * loss.step[j]
    if total > limit:
        return total
    for t in range(box.node.size):
        column = first + 2 * (axes + t)
        code = max(ranges[i, column], min(box.low[axes + t], ranges[i, column + 1]))
        total += tree_cost(loss, box, t, code)
    return total


@inlined_kernel
def side_cost(loss, j, low, high):
    """What the range of codes of one column costs a row."""
    if j < loss.step.size:
        return (high - low) * loss.step[j]
    node = loss.leaf[j - loss.step.size] + low
    while loss.high[node] < high:
        node = loss.parent[node]
    return loss.cost[node]
