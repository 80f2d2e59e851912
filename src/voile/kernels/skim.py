"""SKIM: set rows of the most frequent values aside, so that what is left has slack (docs/facts/safety.md 1.1).

One row of each of the l most frequent values is taken, again and again, until the most frequent has at most the
share tau / l of the rest. Sees counts only; which rows of a value go is drawn by the caller. What is taken is
l-diverse by itself.
"""

import numpy as np

from voile.kernels.colours import rows_by_colour
from voile.kernels.compiled import kernel
from voile.kernels.most_frequent import sift_down, sift_up

FAILED = -1


@kernel
def skim_quotas(counts, ell, tau, most, quotas):
    """Fill in how many rows of each value are taken, for counts that descend; returns how many in all, or FAILED
    if more than `most` of them would go. `tau` is a numerator and a denominator.

    >>> quotas = np.empty(4, np.int64)
    >>> skim_quotas(np.array([4, 2, 1, 1]), 2, (1, 2), 6, quotas), quotas.tolist()
    (-1, [3, 2, 1, 0])
    >>> skim_quotas(np.array([4, 2, 2, 2]), 2, (3, 4), 6, quotas), quotas.tolist()
    (2, [1, 1, 0, 0])
    """
    values, rest = counts.size, 0
    for v in range(values):
        quotas[v] = 0
        rest += counts[v]
    if counts[0] * ell * tau[1] <= tau[0] * rest:
        return 0
    heap = np.empty(values, np.int64)  # rows left * values + (values - 1 - value): the most, then the first
    for v in range(values):
        heap[v] = counts[v] * values + values - 1 - v
        sift_up(heap, v)
    taken, size, keys = 0, values, np.empty(ell, np.int64)
    while heap[0] // values * ell * tau[1] > tau[0] * rest:
        if size < ell or taken + ell > most or rest <= ell:
            return FAILED
        for i in range(ell):
            keys[i] = heap[0]
            size -= 1
            heap[0] = heap[size]
            sift_down(heap, size, 0)
        for i in range(ell):
            quotas[values - 1 - keys[i] % values] += 1
            if keys[i] >= 2 * values:
                heap[size] = keys[i] - values
                sift_up(heap, size)
                size += 1
        taken += ell
        rest -= ell
        if size == 0:
            return FAILED
    return taken


@kernel
def skim_pairs(counts, pairs, group, start, left, ell, tau, most, quotas, tops):
    """The same for pairs of values, of which neither column may have a too frequent one: whole groups are taken
    that differ in both columns, those with the most frequent values first.

    Pair v has `counts[v]` places from start[v] on, and group[place] is the group of a place. `left` are the rows
    of each value of each column; lowered by what is taken. Fills in the most frequent of what is left in `tops`.
    """
    quotas[:] = 0
    rest, taken = counts.sum(), 0
    owner = np.empty(group.size, np.int64)
    weight = np.zeros(group.max() + 1, np.int64)
    for v in range(counts.size):
        for place in range(start[v], start[v] + counts[v]):
            owner[place] = v
            weight[group[place]] += left[pairs[v, 0], 0] + left[pairs[v, 1], 1]
    for c in range(2):
        tops[c] = left[:, c].max()
    having = np.zeros((tops.max() + 1, 2), np.int64)  # how many values of each column have so many rows
    for c in range(2):
        for value in range(left.shape[0]):
            having[left[value, c], c] += 1
    places, first = rows_by_colour(group, weight.size)
    for g in np.argsort(-weight, kind="mergesort"):
        if tops.max() * ell * tau[1] <= tau[0] * rest:
            return taken
        size = first[g + 1] - first[g]
        if taken + size > most or rest - size < ell:
            return FAILED
        for i in range(first[g], first[g + 1]):
            v = owner[places[i]]
            quotas[v] += 1
            for c in range(2):
                having[left[pairs[v, c], c], c] -= 1
                left[pairs[v, c], c] -= 1
                having[left[pairs[v, c], c], c] += 1
        for c in range(2):
            while having[tops[c], c] == 0:
                tops[c] -= 1
        taken += size
        rest -= size
    return FAILED
