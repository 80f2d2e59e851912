"""Groups whose rows differ in two columns: an even edge colouring of a bipartite graph.

A row is an edge between its value in the first column and its value in the second; a group is a
colour, a matching. If no value has more rows than there are groups, a colouring exists (Koenig), and
one whose groups differ by at most one row (de Werra, McDiarmid; docs/facts/safety.md section 10).

Rows in order of their first value are dealt to the groups like cards, which settles the first column
and the sizes. A second value twice in a group g and missing in a group h is then moved along an
alternating walk: its row goes to h; if h holds that row's first value, that row goes to g in exchange;
if g holds the second value of that one, one such row goes to h; and so on. Every value that the walk
passes keeps its number in g and in h, so one clash is gone and none is new. The same walk, begun at a
row with a free end, takes a row more out of g than it brings: that evens out the sizes.
"""

import numpy as np

from voile.kernels.compiled import inlined_kernel, kernel

NONE = -1


@inlined_kernel
def find(head, following, marks, passed, g, column, mark):
    """A row of group g with a mark in a column that no walk has passed yet; NONE if there is none."""
    row = head[g]
    while row != NONE and (marks[row, column] != mark or passed[row]):
        row = following[row]
    return row


@inlined_kernel
def move(head, following, group, taken, row, h):
    """Take a row out of its group and put it into group h."""
    g = group[row]
    if head[g] == row:
        head[g] = following[row]
    else:
        before = head[g]
        while following[before] != row:
            before = following[before]
        following[before] = following[row]
    following[row] = head[h]
    head[h] = row
    group[row] = h
    taken[g] -= 1
    taken[h] += 1


@kernel
def trace(head, following, marks, passed, path, row, g, h, column):
    """Write the alternating walk from a row of g into `path`: out by one column, back by the other.
    Returns its length, odd if g loses a row and h wins one."""
    length = 0
    while row != NONE:
        path[length], passed[row] = row, True
        length += 1
        row = find(head, following, marks, passed, h, column, marks[row, column])
        if row == NONE:
            break
        path[length], passed[row] = row, True
        length += 1
        row = find(head, following, marks, passed, g, 1 - column, marks[row, 1 - column])
    for i in range(length):
        passed[path[i]] = False
    return length


@kernel
def exchange(head, following, group, taken, path, length, g, h):
    """Rows of a walk change sides."""
    for i in range(length):
        move(head, following, group, taken, path[i], h if i % 2 == 0 else g)


@kernel
def settle_second_column(start, rows, marks, head, following, group, taken, passed, path):
    """Give every row of each second value a group of its own. rows[start[v]:start[v+1]] have value v."""
    holds = np.full(head.size, NONE, np.int64)  # the last value for which a group was seen to hold it
    clashing = np.empty(np.diff(start).max(), np.int64)
    free = 0
    for v in range(start.size - 1):
        count = 0
        for i in range(start[v], start[v + 1]):
            if holds[group[rows[i]]] == v:
                clashing[count] = rows[i]
                count += 1
            holds[group[rows[i]]] = v
        for i in range(count):
            while holds[free] == v:
                free = (free + 1) % head.size
            g = group[clashing[i]]
            length = trace(head, following, marks, passed, path, clashing[i], g, free, 0)
            exchange(head, following, group, taken, path, length, g, free)
            holds[free] = v


@kernel
def pass_surplus(head, following, marks, group, taken, passed, path, g, h):
    """Exchange a walk that begins and ends in g, and has a row more of g than of h. There is one if g is
    larger: the rows of both groups hang together in paths and rings, and only such a path differs."""
    row = head[g]
    while True:
        for column in range(2):
            if find(head, following, marks, passed, h, 1 - column, marks[row, 1 - column]) == NONE:
                length = trace(head, following, marks, passed, path, row, g, h, column)
                if length % 2 == 1:
                    exchange(head, following, group, taken, path, length, g, h)
                    return
        row = following[row]


@kernel
def even_out(marks, head, following, group, taken, passed, path):
    """Bring all groups to n // groups rows, or one more."""
    small, large = group.size // head.size, -(-group.size // head.size)
    other = 0
    for g in range(head.size):
        while taken[g] > large:
            while taken[other] >= large:
                other += 1
            pass_surplus(head, following, marks, group, taken, passed, path, g, other)
    other = 0
    for h in range(head.size):
        while taken[h] < small:
            while taken[other] <= small:
                other += 1
            pass_surplus(head, following, marks, group, taken, passed, path, other, h)


@kernel
def matchings(marks, start, rows, groups):
    """The group of each row; rows are in order of their first mark, `rows` in order of the second."""
    n = marks.shape[0]
    group = np.arange(n) % groups
    following, path = np.empty(n, np.int64), np.empty(n, np.int64)
    head, taken = np.full(groups, NONE, np.int64), np.zeros(groups, np.int64)
    passed = np.zeros(n, np.bool_)
    for row in range(n):
        following[row] = head[group[row]]
        head[group[row]] = row
        taken[group[row]] += 1
    settle_second_column(start, rows, marks, head, following, group, taken, passed, path)
    even_out(marks, head, following, group, taken, passed, path)
    return group
