"""What a tree over rows looks like from inside: every node, what was skimmed, how it was cut. For tests only."""

from typing import NamedTuple

import numpy as np

from voile.algorithms.streamliner.rda import sensitive_columns
from voile.algorithms.tree_levels import rows_along_curve
from voile.core.order import dense_rank
from voile.kernels.blind_cut import grow_blindly, places_of_pairs, places_of_values
from voile.kernels.glass import Seats, grow
from voile.kernels.node_bags import BEGIN, END, GROWING, LEAF, bounds_of_draws, most_frequent_first


class Tree(NamedTuple):
    """Rows along the curve, where trees begin, the kernel that grows them, and what it fills in."""

    rows: object
    roots: object
    grow: object
    filled: object  # the group of each row, or its Seats
    pairs: object


class Node(NamedTuple):
    """A node that was visited: its rows, by their place along the curve, and those of its children."""

    members: tuple
    skimmed: tuple
    parts: tuple


def glass_tree(table, rule, draws):
    """The tree of `glass` before it grows."""
    (value,) = sensitive_columns(table, "glass").values()
    rows, roots = rows_along_curve(table, value, draws)
    seats = Seats(np.empty(table.n, np.int64), np.empty(table.n, np.int32), np.empty(table.n, np.int64))

    def level(matrix, spare, nodes, first, numbers, children):
        return grow(rows.loss, rule, matrix, spare, rows.different, nodes, first, numbers, seats, children)

    return Tree(rows, roots, level, seats, None)


def blind_tree(table, rule, draws):
    """The tree of `blind_cut` before it grows."""
    columns = list(sensitive_columns(table, "blind_cut").values())
    value = columns[0] if len(columns) == 1 else dense_rank(columns)
    pairs = np.empty((int(value.max()) + 1, len(columns) if len(columns) > 1 else 0), np.int64)
    if len(columns) > 1:
        pairs[value] = np.column_stack(columns)
    rows, roots = rows_along_curve(table, value, draws)
    group = np.empty(table.n, np.int64)

    def level(matrix, spare, nodes, first, numbers, children):
        return grow_blindly(rows.loss, rule, matrix, spare, pairs, nodes, first, numbers, group, children)

    return Tree(rows, roots, level, group, pairs)


def transcript(tree, numbers_of):
    """Grow a tree node by node; `numbers_of(begin, stretch of rows, bounds)` are the draws of a node's rows."""
    matrix = tree.rows.matrix
    spare, counts = np.empty_like(matrix), np.zeros(tree.rows.different, np.int64)
    waiting = [(int(a), int(b), GROWING) for a, b in zip(tree.roots[:-1], tree.roots[1:], strict=True)]
    found = []
    while waiting:
        begin, end, _ = waiting[0]
        nodes, first = np.array([waiting.pop(0)], np.int64), np.zeros(1, np.int64)
        bounds = np.empty(end - begin, np.int64)
        bounds_of_draws(matrix, nodes, first, counts, bounds)
        members = tuple(matrix[begin:end, -1].tolist())
        numbers = numbers_of(begin, matrix[begin:end].copy(), bounds)
        assert (numbers < bounds).all()
        children = np.empty((3, 3), np.int64)
        born = children[: tree.grow(matrix, spare, nodes, first, numbers, children)].tolist()
        held = [(tuple(matrix[child[BEGIN] : child[END], -1].tolist()), child[2]) for child in born]
        parts = tuple(rows for rows, kind in held if kind == GROWING)
        found.append(Node(members, next((rows for rows, kind in held if kind == LEAF), ()), parts))
        waiting += [tuple(child) for child in born]
    return found


def drawn_by(draws):
    """Numbers from a source of draws."""
    return lambda begin, stretch, bounds: draws.below(bounds)


def towards(tree, nodes, group, ell):
    """Numbers that lead to these nodes and groups again, whoever has what now, if anything can. The rows of a node
    draw in order; what is wanted of each is known."""
    wanted = {node.members: node for node in nodes}

    def numbers_of(begin, stretch, bounds):
        node = wanted[tuple(stretch[:, -1].tolist())]
        counts = np.zeros(tree.rows.different, np.int64)
        rank = np.empty(tree.rows.different, np.int64)
        values, number = most_frequent_first(stretch, 0, len(stretch), counts, rank)
        if node.parts:
            return _skimming(stretch, set(node.skimmed))
        if tree.pairs.shape[1]:
            places, start = places_of_pairs(values, number, tree.pairs, ell)
        else:
            places, start = places_of_values(number, ell)
        return _dealing(stretch, rank, places, start, number, group[stretch[:, -1]] - begin)

    return numbers_of


def _skimming(stretch, skimmed):
    left = np.zeros(int(stretch[:, -2].max()) + 1, np.int64)
    for row in stretch:
        left[row[-2]] += int(row[-1]) in skimmed
    numbers = []
    for row in stretch:
        apart = int(row[-1]) in skimmed
        numbers.append(0 if apart else int(left[row[-2]]))
        left[row[-2]] -= apart
    return np.array(numbers, np.int64)


def _dealing(stretch, rank, places, start, counts, groups):
    left, places, numbers = counts.copy(), places.copy(), []
    for row, group in zip(stretch, groups.tolist(), strict=True):
        v = rank[row[-2]]
        at = next(i for i in range(start[v], start[v] + left[v]) if places[i] == group)
        numbers.append(at - start[v])
        left[v] -= 1
        places[at] = places[start[v] + left[v]]
    return np.array(numbers, np.int64)
