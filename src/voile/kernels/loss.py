"""Information loss of a growing group, in exact integer units.

A group is a box: per attribute a range [low, high] of codes. An *axis* (numbers, dates, ordinals)
costs its range; a *tree* costs the leaves under the lowest common ancestor of its codes, nothing
at a leaf (facts/bsgi.md, `gcp_leaves`). Costs are whole multiples of one unit chosen by the
caller, so comparing two of them is exact and a tie is a tie.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.kernels.compiled import inlined_kernel, kernel

NO_TABLE = -1
TABLE_LIMIT = 2**15  # nodes x leaves of a tree whose ancestors are tabulated instead of climbed to


class Loss(NamedTuple):
    """How attributes are charged: first the axes, then the trees.

    `step[j]` is the cost of one code step of axis j. Nodes of all trees stand in one list; the
    t-th tree's leaf of code x is node `leaf[t] + x`. Of a small tree, the ancestor of node v and
    leaf x is `joint[table[t] + (v - leaf[t]) * leaves[t] + x]`.
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


@kernel
def climb(low, high, parent, node, code):
    """The lowest ancestor of `node` (itself included) above leaf `code`."""
    while code < low[node] or code > high[node]:
        node = parent[node]
    return node


@kernel
def tabulate_ancestors(low, high, parent, leaf, leaves, table, joint):
    """Fill `joint` for every tree that has a table."""
    for t in range(leaf.size):
        end = leaf[t + 1] if t + 1 < leaf.size else low.size
        if table[t] != NO_TABLE:
            for node in range(leaf[t], end):
                for code in range(leaves[t]):
                    at = table[t] + (node - leaf[t]) * leaves[t] + code
                    joint[at] = climb(low, high, parent, node, code)


@inlined_kernel
def ancestor(loss, t, node, code):
    """The lowest ancestor in tree t of `node` and leaf `code`."""
    if loss.table[t] != NO_TABLE:
        return loss.joint[loss.table[t] + (node - loss.leaf[t]) * loss.leaves[t] + code]
    return climb(loss.low, loss.high, loss.parent, node, code)


@kernel
def start_box(loss, points, i, first, low, high, node):
    """Make the box of row i of `points`, whose codes begin at column `first`."""
    axes = loss.step.size
    for j in range(low.size):
        low[j] = high[j] = points[i, first + j]
        if j >= axes:
            node[j - axes] = loss.leaf[j - axes] + points[i, first + j]


@kernel
def grow_box(loss, points, i, first, low, high, node):
    """Widen the box to take in row i of `points`."""
    axes = loss.step.size
    for j in range(axes):
        low[j] = min(low[j], points[i, first + j])
        high[j] = max(high[j], points[i, first + j])
    for t in range(node.size):
        node[t] = ancestor(loss, t, node[t], points[i, first + axes + t])
        low[axes + t] = loss.low[node[t]]
        high[axes + t] = loss.high[node[t]]


@kernel
def box_cost(loss, low, high, node):
    """What one row of this group costs."""
    total = 0
    for j in range(loss.step.size):
        total += (high[j] - low[j]) * loss.step[j]
    for t in range(node.size):
        total += loss.cost[node[t]]
    return total


@inlined_kernel
def joined_cost(loss, low, high, node, points, i, first, limit):
    """`box_cost` after row i of `points` joins; its codes begin at column `first`.

    May stop early, with some cost above `limit`, once that is exceeded.
    """
    total = 0
    axes = loss.step.size
    for j in range(axes):
        code = points[i, first + j]
        total += (max(high[j], code) - min(low[j], code)) * loss.step[j]
    if total > limit:
        return total
    for t in range(node.size):
        total += loss.cost[ancestor(loss, t, node[t], points[i, first + axes + t])]
    return total


@inlined_kernel
def least_joined_cost(loss, low, high, node, ranges, i, first, limit):
    """The least `joined_cost` of any point inside row i of `ranges`, where the lowest and highest
    code of each attribute stand in turn from column `first`.

    The cost of an ancestor is monotone in the distance on either side of the box, so the nearer
    end of a range bounds it (facts/bsgi.md A5).
    """
    total = 0
    axes = loss.step.size
    for j in range(axes):
        begin, end = ranges[i, first + 2 * j], ranges[i, first + 2 * j + 1]
        total += (max(high[j], begin) - min(low[j], end)) * loss.step[j]
    if total > limit:
        return total
    for t in range(node.size):
        column = first + 2 * (axes + t)
        code = max(ranges[i, column], min(low[axes + t], ranges[i, column + 1]))
        total += loss.cost[ancestor(loss, t, node[t], code)]
    return total
