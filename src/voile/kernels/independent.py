"""RIA's candidates: l - 1 rows of other colours for every row, drawn for each colour by itself.

Colours are numbered by descending size. Colour i may use min(n_j, n_i) rows of colour j; (l - 1) n_i of
these uses are drawn. They are then dealt to the rows of colour i like cards, colour by colour, so that
the candidates of a row have different colours (docs/facts/streamliner.md A5).
"""

import numpy as np

from voile.kernels.compiled import inlined_kernel, kernel


@inlined_kernel
def uses(start, below, larger, i):
    """How many uses colour i has: n_i of each of the `larger` other colours that are not smaller, all rows
    of the smaller ones, of which there are `below`."""
    return larger * (start[i + 1] - start[i]) + below


@kernel
def use_bounds(start, ell, served):
    """Bounds of the draws that choose the uses of the served colours, without replacement."""
    bounds = np.empty((ell - 1) * np.diff(start)[served].sum(), np.int64)
    at = 0
    for i in served:
        size = start[i + 1] - start[i]
        larger = not_smaller(start, i)
        left = uses(start, start[-1] - start[larger + 1], larger, i)
        for _ in range((ell - 1) * size):
            bounds[at] = left
            left -= 1
            at += 1
    return bounds


@kernel
def not_smaller(start, i):
    """How many other colours have at least as many rows as colour i; sizes descend."""
    size = start[i + 1] - start[i]
    low, high = i, start.size - 2
    while low < high:  # the last colour of this size
        middle = (low + high + 1) // 2
        if start[middle + 1] - start[middle] >= size:
            low = middle
        else:
            high = middle - 1
    return low


@kernel
def used_colours(start, ell, served, drawn):
    """The colour of each use that was drawn, ascending for each served colour."""
    colour = np.empty(drawn.size, np.int64)
    deck = np.arange(start[-1])
    at = 0
    for i in served:
        size = start[i + 1] - start[i]
        larger = not_smaller(start, i)
        left = uses(start, start[-1] - start[larger + 1], larger, i)
        count = (ell - 1) * size
        for k in range(count):  # deal from the top, Fisher and Yates
            last = left - 1 - k
            q = drawn[at + k]
            deck[q], deck[last] = deck[last], deck[q]
        for k in range(count):
            use = deck[left - 1 - k]
            if use < larger * size:
                j = use // size
                colour[at + k] = j + (j >= i)
            else:
                row = start[larger + 1] + use - larger * size
                colour[at + k] = np.searchsorted(start, row, side="right") - 1
        for k in range(count - 1, -1, -1):  # put the deck in order again
            last = left - 1 - k
            q = drawn[at + k]
            deck[q], deck[last] = deck[last], deck[q]
        colour[at : at + count].sort()
        at += count
    return colour


@kernel
def row_bounds(start, ell, served, colour):
    """Bounds of the draws that choose rows: of every used colour without replacement, then of the served
    colour itself, in which order its rows are dealt to."""
    bounds = np.empty(colour.size + np.diff(start)[served].sum(), np.int64)
    at = use = 0
    for i in served:
        size = start[i + 1] - start[i]
        repeats = 0
        for k in range((ell - 1) * size):
            repeats = repeats + 1 if k > 0 and colour[use] == colour[use - 1] else 0
            bounds[at] = start[colour[use] + 1] - start[colour[use]] - repeats
            at += 1
            use += 1
        for k in range(size):
            bounds[at] = size - k
            at += 1
    return bounds


@kernel
def merge_candidates(start, ell, served, colour, drawn, root):
    """Join every row of the served colours with its candidates, in a forest of roots. Rows are numbered
    by colour."""
    rows = np.arange(start[-1])
    at = use = 0
    for i in served:
        size = start[i + 1] - start[i]
        chosen = np.empty((ell - 1) * size, np.int64)
        repeats = 0
        for k in range(chosen.size):
            repeats = repeats + 1 if k > 0 and colour[use] == colour[use - 1] else 0
            chosen[k] = take(rows, start, colour[use], repeats, drawn[at])
            at += 1
            use += 1
        for k in range(size):
            row = take(rows, start, i, k, drawn[at])
            at += 1
            for c in range(k, chosen.size, size):
                join(root, row, chosen[c])


@inlined_kernel
def take(rows, start, c, taken, drawn):
    """The row of colour c that a draw picks among those not yet taken; it goes to the end."""
    p, last = start[c] + drawn, start[c + 1] - 1 - taken
    rows[p], rows[last] = rows[last], rows[p]
    return rows[last]


@inlined_kernel
def top_of(root, row):
    """The root of a row, halving the path to it."""
    while root[row] != row:
        root[row] = root[root[row]]
        row = root[row]
    return row


@inlined_kernel
def join(root, a, b):
    """Put two rows into one group."""
    a, b = top_of(root, a), top_of(root, b)
    root[max(a, b)] = min(a, b)


@kernel
def merged_groups(root):
    """The group of each row, numbered in order of their first row."""
    group = np.empty(root.size, np.int64)
    groups = 0
    for row in range(root.size):
        if root[row] == row:
            group[row] = groups
            groups += 1
        else:
            group[row] = group[top_of(root, row)]
    return group
