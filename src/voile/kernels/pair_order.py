"""The ascending order of pairs of words whose first word is as good as random: digests."""

import numpy as np

from voile.kernels.compiled import kernel

_IN_A_BUCKET = 4


@kernel
def ascending_pairs(pairs):
    """The pairs in ascending order of both words, and where each came from.

    Spread by the first bits into buckets of a few, then one insertion sort over all: hardly anything moves.

    >>> ascending_pairs(np.array([[3, 0], [1, 2], [1, 1]], np.uint64))[1]
    array([2, 1, 0])
    """
    n = pairs.shape[0]
    bits = 1
    while _IN_A_BUCKET << bits < n:
        bits += 1
    shift = np.uint64(64 - bits)
    start = np.zeros((1 << bits) + 1, np.int64)
    for i in range(n):
        start[np.int64(pairs[i, 0] >> shift) + 1] += 1
    for b in range(1 << bits):
        start[b + 1] += start[b]
    found, origin = np.empty((n, 2), np.uint64), np.empty(n, np.int64)
    for i in range(n):
        b = np.int64(pairs[i, 0] >> shift)
        j = start[b]
        start[b] += 1
        found[j, 0], found[j, 1], origin[j] = pairs[i, 0], pairs[i, 1], i
    for i in range(1, n):
        first, second, came = found[i, 0], found[i, 1], origin[i]
        j = i
        while j > 0 and (found[j - 1, 0] > first or (found[j - 1, 0] == first and found[j - 1, 1] > second)):
            found[j, 0], found[j, 1], origin[j] = found[j - 1, 0], found[j - 1, 1], origin[j - 1]
            j -= 1
        found[j, 0], found[j, 1], origin[j] = first, second, came
    return found, origin
