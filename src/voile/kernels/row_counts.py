"""Exact counts of rows for many queries at once: one bit per query, so a row takes a few words.

The bits of 255 rows are added up eight to a word, a byte each, before they are counted out.
"""

import numpy as np

from voile.kernels.compiled import kernel

WORDS = 8  # of 64 queries each that are answered in one go
BLOCK = 64 * WORDS
_MOST = 255  # what a byte counts to


@kernel
def mark_queries(first, after, words):
    """Set bit q of words[v] for v = first[q] .. after[q]-1; `words` is zero before.

    Toggled where a range begins and ends, then carried from each value to the next.
    """
    one = np.uint64(1)
    for q in range(first.size):
        bit = one << np.uint64(q % 64)
        words[first[q], q // 64] ^= bit
        if after[q] < words.shape[0]:
            words[after[q], q // 64] ^= bit
    for v in range(1, words.shape[0]):
        for w in range(words.shape[1]):
            words[v, w] ^= words[v - 1, w]


@kernel
def count_rows(index, words):
    """How many rows have each bit set in the words of all their columns: index[i, j] is the line of
    `words` for row i and column j."""
    found = np.zeros((words.shape[1], 8, 8), np.int64)  # word, byte, bit: in the order of queries
    word, sums = np.empty(WORDS, np.uint64), np.zeros((8, WORDS), np.uint64)
    ones, low = np.uint64(0x0101010101010101), np.uint64(255)
    for begin in range(0, index.shape[0], _MOST):
        sums[:] = 0
        for i in range(begin, min(index.shape[0], begin + _MOST)):
            part = words[index[i, 0]]
            for w in range(WORDS):
                word[w] = part[w]
            for j in range(1, index.shape[1]):
                part = words[index[i, j]]
                for w in range(WORDS):
                    word[w] &= part[w]
            for k in range(8):
                for w in range(WORDS):
                    sums[k, w] += (word[w] >> np.uint64(k)) & ones
        for k in range(8):
            for w in range(WORDS):
                for byte in range(8):
                    found[w, byte, k] += np.int64((sums[k, w] >> np.uint64(8 * byte)) & low)
    return found.ravel()
