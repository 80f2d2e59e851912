"""The exact k-d forest of facts/bsgi.md A5: one tree of rows per bucket, nearest row under IL.

A tree node keeps the smallest box around its living rows and the lowest of their row numbers.
The box bounds the cost of every row below from below, so a search that skips only nodes which
cannot hold a cheaper row (or an equally cheap one of lower number) is exact. A node that has
lost so many rows that the rest fit into a leaf becomes one.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.kernels.compiled import inlined_kernel, kernel
from voile.kernels.loss import ancestor, joined_cost, least_joined_cost

LEAF = 16
NONE = -1

# Columns of a tree node: one record, since a search misses the cache once per node it looks at.
CHILD, ALIVE, LOWEST, START, PARENT, BOX = range(6)  # then low and high of each attribute in turn
# Columns of a row: its number, then its codes.
ROW, CODES = range(2)


class Forest(NamedTuple):
    """Trees over rows that are laid out leaf by leaf.

    Leaf i holds its living rows at the places START up to START + ALIVE; CHILD is NONE. The second
    child of an inner node follows the first.
    """

    tree: NDArray[Any]  # node, columns as above
    rows: NDArray[Any]  # place, columns as above
    place: NDArray[Any]  # row number -> place
    leaf: NDArray[Any]  # place -> node
    root: NDArray[np.int64]  # bucket -> node
    todo: NDArray[np.int64]  # the search's stack: nodes, one per level of the deepest tree
    todo_cost: NDArray[np.int64]


@kernel
def kth_smallest(values, k):
    """Quickselect, in place."""
    left, right = 0, values.size - 1
    while left < right:
        pivot = values[(left + right) // 2]
        i, j = left, right
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if k <= j:
            right = j
        elif k >= i:
            left = i
        else:
            break
    return values[k]


@kernel
def widest_attribute(loss, tree, i):
    """The attribute with the largest loss over a node's box, or NONE when all rows are alike."""
    best, best_cost = NONE, -1
    axes = loss.step.size
    for j in range(axes + loss.leaf.size):
        low, high = tree[i, BOX + 2 * j], tree[i, BOX + 2 * j + 1]
        if low == high:
            continue
        if j < axes:
            cost = (high - low) * loss.step[j]
        else:
            cost = loss.cost[ancestor(loss, j - axes, loss.leaf[j - axes] + low, high)]
        if cost > best_cost:
            best, best_cost = j, cost
    return best


@kernel
def cut(order, scratch, values, column):
    """Split rows near the median of a column, at a value boundary; both sides are non-empty."""
    if column == NONE:  # all alike: by row number, so that ties find the lowest quickly
        return order.size // 2
    for i in range(order.size):
        scratch[i] = values[order[i], column]
    bar = kth_smallest(scratch[: order.size], order.size // 2)
    below, upto, predecessor = 0, 0, bar
    for i in range(order.size):
        value = values[order[i], column]
        upto += value <= bar
        if value < bar:
            below += 1
            predecessor = value if predecessor == bar else max(predecessor, value)
    if upto == order.size or (below > 0 and order.size - below <= upto):
        bar = predecessor
    kept, moved = 0, 0
    for i in range(order.size):  # stable, so rows stay in the order of their numbers
        if values[order[i], column] <= bar:
            order[kept] = order[i]
            kept += 1
        else:
            scratch[moved] = order[i]
            moved += 1
    order[kept:] = scratch[:moved]
    return kept


@kernel
def enclose(tree, node, order, values):
    """Set a node's box and lowest row from rows given by number."""
    lowest = order[0]
    for i in range(order.size):
        lowest = min(lowest, order[i])
    tree[node, LOWEST] = lowest
    for j in range(values.shape[1]):
        low = high = values[order[0], j]
        for i in range(1, order.size):
            low = min(low, values[order[i], j])
            high = max(high, values[order[i], j])
        tree[node, BOX + 2 * j] = low
        tree[node, BOX + 2 * j + 1] = high


@kernel
def grow_trees(loss, values, order, bucket_start, root, tree):
    """Build all trees over `order`, the rows by bucket; returns the number of nodes and the depth."""
    scratch = np.empty(order.size, np.int64)
    todo = np.empty(order.size + 1, np.int64)
    depth = np.zeros(tree.shape[0], np.int64)
    nodes, deepest = 0, 1
    for bucket in range(root.size):
        root[bucket] = nodes
        tree[nodes, PARENT] = NONE
        tree[nodes, START] = bucket_start[bucket]
        tree[nodes, ALIVE] = bucket_start[bucket + 1] - bucket_start[bucket]
        todo[0] = nodes
        waiting = 1
        nodes += 1
        while waiting > 0:
            waiting -= 1
            node = todo[waiting]
            begin, size = tree[node, START], tree[node, ALIVE]
            mine = order[begin : begin + size]
            enclose(tree, node, mine, values)
            tree[node, CHILD] = NONE
            if size <= LEAF:
                continue
            boundary = cut(mine, scratch, values, widest_attribute(loss, tree, node))
            tree[node, CHILD] = nodes
            for child in range(nodes, nodes + 2):
                second = child - nodes
                tree[child, PARENT] = node
                tree[child, START] = begin + second * boundary
                tree[child, ALIVE] = size - boundary if second else boundary
                depth[child] = depth[node] + 1
                todo[waiting] = child
                waiting += 1
            deepest = max(deepest, depth[nodes] + 1)
            nodes += 2
    return nodes, deepest


@kernel
def lay_out(forest, values, order):
    """Copy the rows leaf by leaf and note where each one went."""
    for at in range(order.size):
        forest.place[order[at]] = at
        forest.rows[at, ROW] = order[at]
        for j in range(values.shape[1]):
            forest.rows[at, CODES + j] = values[order[at], j]
    for node in range(forest.tree.shape[0]):
        if forest.tree[node, CHILD] == NONE:
            begin = forest.tree[node, START]
            forest.leaf[begin : begin + forest.tree[node, ALIVE]] = node


def plant(loss, values, bucket):  # type: ignore[no-untyped-def]
    """Build one tree per bucket; `bucket[i]` is the bucket of row i, 0..m-1, none empty.

    >>> import numpy as np
    >>> from voile.kernels.loss import Loss
    >>> none = np.empty(0, np.int64)
    >>> loss = Loss(np.array([1]), *[none] * 8)
    >>> forest = plant(loss, np.array([[5], [9], [7]]), np.array([0, 1, 1]))
    >>> box = np.array([6])
    >>> int(forest.rows[nearest(forest, loss, 1, box, box, none), ROW])
    2
    """
    n, d = values.shape
    order = np.argsort(bucket, kind="stable")
    bucket_start = np.concatenate(([0], np.cumsum(np.bincount(bucket))))
    root = np.empty(bucket_start.size - 1, np.int64)
    # Every leaf holds a row; pages beyond the last node are never touched.
    tree = np.empty((2 * n, BOX + 2 * d), values.dtype)
    nodes, deepest = grow_trees(loss, values, order, bucket_start, root, tree)
    forest = Forest(
        tree[:nodes].copy(),
        np.empty((n, CODES + d), values.dtype),
        np.empty(n, np.int32 if n < 2**31 else np.int64),
        np.empty(n, np.int32 if n < 2**30 else np.int64),
        root,
        np.empty(deepest + 2, np.int64),
        np.empty(deepest + 2, np.int64),
    )
    lay_out(forest, values, order)
    return forest


@kernel
def nearest(forest, loss, bucket, low, high, node):
    """The place of the living row of a bucket that adds least to a box; lowest row on ties.

    The bucket must not be empty.
    """
    tree, rows, todo, todo_cost = forest.tree, forest.rows, forest.todo, forest.todo_cost
    best, best_row, best_cost = NONE, np.iinfo(np.int64).max, np.iinfo(np.int64).max
    todo[0], todo_cost[0] = forest.root[bucket], 0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        here, cost = todo[waiting], todo_cost[waiting]
        if cost > best_cost or (cost == best_cost and tree[here, LOWEST] >= best_row):
            continue
        first = tree[here, CHILD]
        if first == NONE:
            begin = tree[here, START]
            for at in range(begin, begin + tree[here, ALIVE]):
                cost = joined_cost(loss, low, high, node, rows, at, CODES, best_cost)
                if cost < best_cost or (cost == best_cost and rows[at, ROW] < best_row):
                    best, best_row, best_cost = at, rows[at, ROW], cost
            continue
        near, far = first, first + 1
        near_cost = far_cost = np.iinfo(np.int64).max
        if tree[near, ALIVE] > 0:
            near_cost = least_joined_cost(loss, low, high, node, tree, near, BOX, best_cost)
        if tree[far, ALIVE] > 0:
            far_cost = least_joined_cost(loss, low, high, node, tree, far, BOX, best_cost)
        if far_cost < near_cost or (far_cost == near_cost and tree[far, LOWEST] < tree[near, LOWEST]):
            near, far = far, near
            near_cost, far_cost = far_cost, near_cost
        if tree[far, ALIVE] > 0 and far_cost <= best_cost:
            todo[waiting], todo_cost[waiting] = far, far_cost
            waiting += 1
        if near_cost <= best_cost:
            todo[waiting], todo_cost[waiting] = near, near_cost
            waiting += 1
    return best


@inlined_kernel
def tighten_leaf(forest, node):
    """Shrink a leaf's box and lowest row to its living rows."""
    tree, rows = forest.tree, forest.rows
    begin = tree[node, START]
    end = begin + tree[node, ALIVE]
    lowest = rows[begin, ROW]
    for at in range(begin + 1, end):
        lowest = min(lowest, rows[at, ROW])
    tree[node, LOWEST] = lowest
    for j in range(rows.shape[1] - CODES):
        low = high = rows[begin, CODES + j]
        for at in range(begin + 1, end):
            low = min(low, rows[at, CODES + j])
            high = max(high, rows[at, CODES + j])
        tree[node, BOX + 2 * j] = low
        tree[node, BOX + 2 * j + 1] = high


@inlined_kernel
def tighten_node(tree, node):
    """Shrink an inner node's box to its living children; says whether anything changed."""
    a, b = tree[node, CHILD], tree[node, CHILD] + 1
    if tree[a, ALIVE] == 0:
        a = b
    elif tree[b, ALIVE] == 0:
        b = a
    lowest = min(tree[a, LOWEST], tree[b, LOWEST])
    changed = lowest != tree[node, LOWEST]
    tree[node, LOWEST] = lowest
    for column in range(BOX, tree.shape[1], 2):
        low = min(tree[a, column], tree[b, column])
        high = max(tree[a, column + 1], tree[b, column + 1])
        changed |= low != tree[node, column] or high != tree[node, column + 1]
        tree[node, column] = low
        tree[node, column + 1] = high
    return changed


@inlined_kernel
def move_row(forest, source, target):
    """Copy a row to another place."""
    for column in range(forest.rows.shape[1]):
        forest.rows[target, column] = forest.rows[source, column]
    forest.place[forest.rows[target, ROW]] = target


@kernel
def become_leaf(forest, node):
    """Gather the few living rows of two leaves into their parent."""
    tree = forest.tree
    first = tree[node, CHILD]
    at = tree[node, START]
    for child in range(first, first + 2):
        begin = tree[child, START]
        for source in range(begin, begin + tree[child, ALIVE]):
            move_row(forest, source, at)
            forest.leaf[at] = node
            at += 1
    tree[node, CHILD] = NONE


@kernel
def remove(forest, at):
    """Take the row at a place out of its tree."""
    tree = forest.tree
    node = forest.leaf[at]
    tree[node, ALIVE] -= 1
    last = tree[node, START] + tree[node, ALIVE]
    if at != last:
        move_row(forest, last, at)
    if tree[node, ALIVE] > 0:
        tighten_leaf(forest, node)
    node = tree[node, PARENT]
    changed = True
    while node != NONE:
        tree[node, ALIVE] -= 1
        if changed and tree[node, ALIVE] > 0:
            changed = tighten_node(tree, node)
        if tree[node, ALIVE] <= LEAF:
            become_leaf(forest, node)
        node = tree[node, PARENT]
