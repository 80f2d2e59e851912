"""The exact k-d forest of docs/facts/bsgi.md A5 and A6: one tree of rows per bucket.

A tree node keeps the smallest box around its living rows, the lowest of their row numbers and, of
each *mark* of the rows (a value that must differ inside a group), which marks occur below, as a
set of bits. `kd_search` skips what these rule out. A node that has lost so many rows that the rest
fit into a leaf becomes one.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.kernels.colours import rows_by_colour
from voile.kernels.compiled import inlined_kernel, kernel
from voile.kernels.loss import side_cost

LEAF = 16
NONE = -1
BITS = 31  # mark v is bit v % BITS of a node's set: exact for few marks, cautious for many

# Columns of a tree node: one record, since a search misses the cache once per node it looks at.
CHILD, ALIVE, LOWEST, START, PARENT, BOX = range(6)  # low and high of each attribute in turn, then sets of marks
# Columns of a row: its number, its codes, its marks.
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
    for j in range(loss.step.size + loss.leaf.size):
        low, high = tree[i, BOX + 2 * j], tree[i, BOX + 2 * j + 1]
        if low == high:
            continue
        cost = side_cost(loss, j, low, high)
        if cost > best_cost:
            best, best_cost = j, cost
    return best


@inlined_kernel
def copy_row(source, i, target, k):
    """Copy row i of one array to row k of another."""
    for column in range(source.shape[1]):
        target[k, column] = source[i, column]


@kernel
def bar_of(values, low, high):
    """Where to cut values from low to high: in the middle of the range, or as near to it as leaves an
    eighth of the rows on either side. Half-size boxes bound better than halves of the rows."""
    middle, under = low + (high - low) // 2, 0
    for i in range(values.size):
        under += values[i] <= middle
    few = values.size // 8
    if under < few:
        return kth_smallest(values, few)
    if values.size - under < few:
        return kth_smallest(values, values.size - few)
    return middle


@kernel
def cut(rows, spare, scratch, column, low, high):
    """Split rows at a value of a column that runs from low to high; both sides are non-empty.

    Stable, so rows stay in the order of their numbers. `spare` and `scratch` are room to work in.
    """
    size = rows.shape[0]
    if column == NONE:  # all alike: by row number, so that ties find the lowest quickly
        return size // 2
    for i in range(size):
        scratch[i] = rows[i, column]
    bar = min(bar_of(scratch[:size], low, high), high - 1)
    kept, moved = 0, 0
    for i in range(size):
        if rows[i, column] <= bar:
            if kept < i:
                copy_row(rows, i, rows, kept)
            kept += 1
        else:
            copy_row(rows, i, spare, moved)
            moved += 1
    for i in range(moved):
        copy_row(spare, i, rows, kept + i)
    return kept


@inlined_kernel
def attributes(tree, rows):
    """How many codes a row has; the rest of its columns are marks."""
    return (tree.shape[1] - BOX) - (rows.shape[1] - CODES)


@inlined_kernel
def note_marks(tree, node, rows):
    """Set a leaf's sets of marks from its living rows; says if they changed."""
    d = attributes(tree, rows)
    begin, changed = tree[node, START], False
    for mark in range(rows.shape[1] - CODES - d):
        bits = 0
        for at in range(begin, begin + tree[node, ALIVE]):
            bits |= 1 << (rows[at, CODES + d + mark] % BITS)
        changed |= tree[node, BOX + 2 * d + mark] != bits
        tree[node, BOX + 2 * d + mark] = bits
    return changed


@kernel
def enclose(tree, node, rows):
    """Set a new node's box, lowest row and marks from its living rows."""
    begin, d = tree[node, START], attributes(tree, rows)
    for column in range(CODES, CODES + d):
        tree[node, BOX + 2 * (column - CODES)] = rows[begin, column]
        tree[node, BOX + 2 * (column - CODES) + 1] = rows[begin, column]
    lowest = rows[begin, ROW]
    for at in range(begin + 1, begin + tree[node, ALIVE]):
        lowest = min(lowest, rows[at, ROW])
        for column in range(CODES, CODES + d):
            low = BOX + 2 * (column - CODES)
            code = rows[at, column]
            tree[node, low] = min(tree[node, low], code)
            tree[node, low + 1] = max(tree[node, low + 1], code)
    tree[node, LOWEST] = lowest
    note_marks(tree, node, rows)


@kernel
def grow_trees(loss, rows, bucket_start, root, tree):
    """Build all trees over rows that stand bucket by bucket; rows are reordered in place.

    Returns the number of nodes and the depth.
    """
    spare, scratch = np.empty_like(rows), np.empty(rows.shape[0], rows.dtype)
    todo = np.empty(rows.shape[0] + 1, np.int64)
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
            enclose(tree, node, rows)
            tree[node, CHILD] = NONE
            if size <= LEAF:
                continue
            widest = widest_attribute(loss, tree, node)
            column = widest if widest == NONE else CODES + widest
            low, high = tree[node, BOX + 2 * widest], tree[node, BOX + 2 * widest + 1]
            boundary = cut(rows[begin : begin + size], spare, scratch, column, low, high)
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


def places(rows, tree):
    """Where each row stands, and in which leaf each place is."""
    index = np.int32 if len(rows) < 2**30 else np.int64
    place = np.empty(len(rows), index)
    place[rows[:, ROW]] = np.arange(len(rows), dtype=index)
    leaves = np.flatnonzero(tree[:, CHILD] == NONE).astype(index)
    leaves = leaves[np.argsort(tree[leaves, START])]
    return place, np.repeat(leaves, tree[leaves, ALIVE])


def plant(loss, values, bucket, marks=None):
    """Build one tree per bucket; `bucket[i]` is the bucket of row i, 0..m-1, none empty.

    `marks[i]` are the marks of row i, whole numbers from 0, if any.

    >>> from voile.kernels.loss import Loss
    >>> none = np.empty(0, np.int64)
    >>> loss = Loss(np.array([1]), *[none] * 8)
    >>> forest = plant(loss, np.array([[5], [9], [7]]), np.array([0, 1, 1]))
    >>> forest.tree[forest.root[1], BOX:].tolist()
    [7, 9]
    """
    n, d = values.shape
    marks = np.empty((n, 0), values.dtype) if marks is None else marks
    order, bucket_start = rows_by_colour(bucket, int(bucket.max(initial=-1)) + 1)
    rows = np.empty((n, CODES + d + marks.shape[1]), values.dtype)
    rows[:, ROW], rows[:, CODES : CODES + d], rows[:, CODES + d :] = order, values[order], marks[order]
    root = np.empty(bucket_start.size - 1, np.int64)
    # Every leaf holds a row; pages beyond the last node are never touched.
    tree = np.empty((2 * n, BOX + 2 * d + marks.shape[1]), values.dtype)
    nodes, deepest = grow_trees(loss, rows, bucket_start, root, tree)
    tree = tree[:nodes].copy()
    todo, todo_cost = np.empty(deepest + 2, np.int64), np.empty(deepest + 2, np.int64)
    return Forest(tree, rows, *places(rows, tree), root, todo, todo_cost)


@inlined_kernel
def tighten_leaf(forest, node, gone):
    """Shrink a leaf to its living rows after the row at place `gone` has left; says if it changed.

    Only ends that the row stood on can move.
    """
    tree, rows = forest.tree, forest.rows
    begin = tree[node, START]
    end = begin + tree[node, ALIVE]
    changed = False
    if rows[gone, ROW] == tree[node, LOWEST]:
        lowest = rows[begin, ROW]
        for at in range(begin + 1, end):
            lowest = min(lowest, rows[at, ROW])
        tree[node, LOWEST] = lowest
        changed = True
    for j in range(attributes(tree, rows)):
        code = rows[gone, CODES + j]
        was_low, was_high = tree[node, BOX + 2 * j], tree[node, BOX + 2 * j + 1]
        if was_low == was_high or was_low < code < was_high:
            continue
        low = high = rows[begin, CODES + j]
        for at in range(begin + 1, end):
            low = min(low, rows[at, CODES + j])
            high = max(high, rows[at, CODES + j])
        tree[node, BOX + 2 * j] = low
        tree[node, BOX + 2 * j + 1] = high
        changed |= low != was_low or high != was_high
    return note_marks(tree, node, rows) or changed


@inlined_kernel
def tighten_node(tree, node, d):
    """Shrink an inner node of d attributes to its living children; says whether anything changed."""
    a, b = tree[node, CHILD], tree[node, CHILD] + 1
    if tree[a, ALIVE] == 0:
        a = b
    elif tree[b, ALIVE] == 0:
        b = a
    lowest = min(tree[a, LOWEST], tree[b, LOWEST])
    changed = lowest != tree[node, LOWEST]
    tree[node, LOWEST] = lowest
    for column in range(BOX, BOX + 2 * d, 2):
        low = min(tree[a, column], tree[b, column])
        high = max(tree[a, column + 1], tree[b, column + 1])
        changed |= low != tree[node, column] or high != tree[node, column + 1]
        tree[node, column] = low
        tree[node, column + 1] = high
    for column in range(BOX + 2 * d, tree.shape[1]):
        bits = tree[a, column] | tree[b, column]
        changed |= bits != tree[node, column]
        tree[node, column] = bits
    return changed


@inlined_kernel
def move_row(forest, source, target):
    """Swap the rows at two places."""
    for column in range(forest.rows.shape[1]):
        kept = forest.rows[target, column]
        forest.rows[target, column] = forest.rows[source, column]
        forest.rows[source, column] = kept
    forest.place[forest.rows[target, ROW]] = target
    forest.place[forest.rows[source, ROW]] = source


@kernel
def absorb_leaves(forest, node):
    """Make a node whose two children are leaves with few living rows a leaf; says if it did."""
    tree = forest.tree
    first = tree[node, CHILD]
    second = first + 1
    few = tree[first, ALIVE] + tree[second, ALIVE] <= LEAF
    if not few or tree[first, CHILD] != NONE or tree[second, CHILD] != NONE:
        return False
    at = tree[node, START] + tree[first, ALIVE]  # the first child's rows stand there already
    for source in range(tree[second, START], tree[second, START] + tree[second, ALIVE]):
        move_row(forest, source, at)
        at += 1
    tree[node, ALIVE] = at - tree[node, START]
    tree[node, CHILD] = NONE
    for place in range(tree[node, START], at):
        forest.leaf[place] = node
    return True


@kernel
def remove(forest, at):
    """Take the row at a place out of its tree.

    An inner node has always more than LEAF living rows below it (else it would have become a leaf),
    so only the ALIVE of leaves is kept up, and most removals touch a leaf, its sibling and parent.
    """
    tree, d = forest.tree, attributes(forest.tree, forest.rows)
    node = forest.leaf[at]
    tree[node, ALIVE] -= 1
    last = tree[node, START] + tree[node, ALIVE]
    if at != last:
        move_row(forest, last, at)
    changed = True
    if tree[node, ALIVE] > 0:
        changed = tighten_leaf(forest, node, last)
    shrinking = True
    node = tree[node, PARENT]
    while node != NONE and (changed or shrinking):
        if changed:
            changed = tighten_node(tree, node, d)
        if shrinking:
            shrinking = absorb_leaves(forest, node)
        node = tree[node, PARENT]
