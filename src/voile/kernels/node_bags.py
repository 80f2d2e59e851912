"""Nodes of a tree over rows, and what is known of one: how often each sensitive value occurs in it.

A node is a stretch of rows, begin to end, and what may become of it. A row is its quasi-identifying codes, its
sensitive value and its number along the curve. What a row draws is a place among those its value has left in the
node.
"""

import numpy as np

from voile.kernels.blind_cuts import goes_left
from voile.kernels.compiled import inlined_kernel, kernel
from voile.kernels.frequency_line import sort_descending

BEGIN, END, KIND = range(3)  # columns of a node
GROWING, LEAF = range(2)


@kernel
def longest(nodes):
    """The rows of the largest node."""
    most = 0
    for i in range(nodes.shape[0]):
        most = max(most, nodes[i, END] - nodes[i, BEGIN])
    return most


@inlined_kernel
def add_child(children, born, begin, end, kind):
    """One more node of the next level."""
    children[born, BEGIN], children[born, END], children[born, KIND] = begin, end, kind
    return born + 1


@kernel
def runs_of_alike(values):
    """Where rows that look alike begin, where they stand together; one more at the end.

    >>> runs_of_alike(np.array([[1, 2], [1, 2], [1, 3]])).tolist()
    [0, 2, 3]
    """
    starts = np.empty(values.shape[0] + 1, np.int64)
    runs = 0
    for i in range(values.shape[0]):
        alike = i > 0
        for j in range(values.shape[1] if alike else 0):
            alike &= values[i, j] == values[i - 1, j]
        if not alike:
            starts[runs] = i
            runs += 1
    starts[runs] = values.shape[0]
    return starts[: runs + 1].copy()


@kernel
def lay_out(values, value, order, first, matrix):
    """Fill in the rows in an order: quasi-identifying codes, sensitive value, place; places count from `first`."""
    d = values.shape[1]
    for i in range(order.size):
        for j in range(d):
            matrix[i, j] = values[order[i], j]
        matrix[i, d], matrix[i, d + 1] = value[order[i]], first + i


@kernel
def bounds_of_draws(rows, nodes, first, counts, bounds):
    """Fill in the bound of each row's draw: how many rows of its value are still to come, itself included. Node
    i's rows draw from first[i] on; `counts` is all zeros, and will be."""
    value = rows.shape[1] - 2
    for i in range(nodes.shape[0]):
        for r in range(nodes[i, BEGIN], nodes[i, END]):
            counts[rows[r, value]] += 1
        shift = first[i] - nodes[i, BEGIN]
        for r in range(nodes[i, BEGIN], nodes[i, END]):
            bounds[r + shift] = counts[rows[r, value]]
            counts[rows[r, value]] -= 1


@kernel
def most_frequent_first(rows, begin, end, counts, rank):
    """The values of a node by descending count, ties by value, and their counts; sets the rank of each. `counts`
    is all zeros, and will be."""
    value = rows.shape[1] - 2
    different = 0
    for r in range(begin, end):
        v = rows[r, value]
        if counts[v] == 0:
            rank[different] = v  # only a list so far
            different += 1
        counts[v] += 1
    keys = np.empty(different, np.int64)
    for i in range(different):
        keys[i] = counts[rank[i]] * counts.size + counts.size - 1 - rank[i]
    sort_descending(keys, different)
    values, number = np.empty(different, np.int64), np.empty(different, np.int64)
    for i in range(different):
        v = counts.size - 1 - keys[i] % counts.size
        values[i], number[i] = v, counts[v]
        counts[v] = 0
    for i in range(different):
        rank[values[i]] = i
    return values, number


@kernel
def set_aside(rows, spare, seat, begin, end, apart):
    """Move the rows whose seat is `apart` behind the others; all keep their order. `seat` moves along, from 0 on
    for the row at `begin`. Returns where they begin."""
    width = rows.shape[1]
    place, moved = begin, 0
    for r in range(begin, end):
        if seat[r - begin] == apart:
            for c in range(width):
                spare[begin + moved, c] = rows[r, c]
            moved += 1
        else:
            if place < r:
                for c in range(width):
                    rows[place, c] = rows[r, c]
                seat[place - begin] = seat[r - begin]
            place += 1
    for i in range(moved):
        for c in range(width):
            rows[place + i, c] = spare[begin + i, c]
    return place


@kernel
def part_rows(rows, spare, begin, end, cut):
    """Move the rows that a cut sends left before the others; all keep their order."""
    width = rows.shape[1]
    place, moved, tied = begin, 0, 0
    for r in range(begin, end):
        own = rows[r, cut.column]
        left = goes_left(own, cut, tied)
        tied += own == cut.code
        if left:
            if place < r:
                for c in range(width):
                    rows[place, c] = rows[r, c]
            place += 1
        else:
            for c in range(width):
                spare[begin + moved, c] = rows[r, c]
            moved += 1
    for i in range(moved):
        for c in range(width):
            rows[place + i, c] = spare[begin + i, c]
