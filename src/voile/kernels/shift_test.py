"""The test of GLASS: would both parts be l-diverse if the values of every bucket were turned around
(docs/facts/safety.md 1.2)?

Row j of a group's list gets the value of row j + k: the answer for all k together is the same whoever of a
bucket has which of its values, and that is why it tells nothing. Buckets with equally many values turn together,
others independently, which for l and l + 1 values is what turning all of them l (l + 1) times comes to.
"""

import numpy as np

from voile.kernels.compiled import kernel


@kernel
def passes(start, listed, within, counts, left, size, ell):
    """Whether no value has more than 1/ell of either part, whichever way the buckets are turned.

    Signatures are listed[start[b]:start[b+1]], as planned; `within` says how many rows of each of their places
    went left. `counts` are the rows of each value, `left` of all `size` rows went left.

    >>> start, listed, counts = np.array([0, 2]), np.array([0, 1]), np.array([4, 4])
    >>> [passes(start, listed, np.array(within), counts, 4, 8, 2) for within in ([2, 2], [3, 1])]
    [True, False]
    """
    if 0 < left < ell or 0 < size - left < ell:  # one row is too many; for l near n the turns would take hours
        return False
    buckets = start.size - 1
    most, least = np.zeros(counts.size, np.int64), np.zeros(counts.size, np.int64)
    turned = np.empty(counts.size, np.int64)
    high, low = np.empty(counts.size, np.int64), np.empty(counts.size, np.int64)
    width = 0
    while True:
        following = np.int64(2**62)
        for b in range(buckets):
            values = start[b + 1] - start[b]
            if width < values < following:
                following = values
        if following == 2**62:
            break
        width = following
        for v in range(counts.size):
            high[v], low[v] = 0, 2**62
        for k in range(width):
            for v in range(counts.size):
                turned[v] = 0
            for b in range(buckets):
                if start[b + 1] - start[b] == width:
                    for i in range(width):
                        turned[listed[start[b] + i]] += within[start[b] + (i + width - k) % width]
            for v in range(counts.size):
                high[v] = max(high[v], turned[v])
                low[v] = min(low[v], turned[v])
        for v in range(counts.size):
            most[v] += high[v]
            least[v] += low[v]
    for v in range(counts.size):
        if most[v] * ell > left or (counts[v] - least[v]) * ell > size - left:
            return False
    return True
