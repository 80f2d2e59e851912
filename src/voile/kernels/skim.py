"""SKIM: set rows of the most frequent values aside, so that what is left has slack (facts/safety.md 1.1).

One row of each of the l most frequent values is taken, again and again, until the most frequent has at most the
share tau / l of the rest. Sees counts only; which rows of a value go is drawn by the caller. What is taken is
l-diverse by itself.
"""

import numpy as np

from voile.kernels.compiled import kernel
from voile.kernels.most_frequent import sift_down, sift_up

FAILED = -1


@kernel
def skim_quotas(counts, ell, tau, most, quotas):
    """Fill in how many rows of each value are taken, for counts that descend; returns how many in all, or FAILED
    if more than `most` of them would go. `tau` is a numerator and a denominator.

    >>> quotas = np.empty(4, np.int64)
    >>> skim_quotas(np.array([4, 2, 1, 1]), 2, (1, 2), 6, quotas), quotas.tolist()
    (-1, [2, 1, 1, 0])
    >>> skim_quotas(np.array([4, 2, 2, 2]), 2, (3, 4), 6, quotas), quotas.tolist()
    (2, [1, 1, 0, 0])
    """
    values, rest = counts.size, counts.sum()
    quotas[:] = 0
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
