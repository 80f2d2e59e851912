"""Exact counts of rows for many queries at once: one bit per query, so a row takes a few words.

The bits of 255 rows are added up eight to a word, a byte each, before they are counted out.
"""

import numpy as np
from numpy.typing import NDArray

from voile.kernels.compiled import kernel

WORDS = 8  # of 64 queries each that are answered in one go
BLOCK = 64 * WORDS
_MOST = 255  # what a byte counts to


def mark_queries(first: NDArray[np.int64], after: NDArray[np.int64], words: NDArray[np.uint64]) -> None:
    """Set bit q of words[v] for v = first[q] .. after[q]-1; `words` is zero before.

    Toggled where a range begins and ends, then carried from each value to the next.
    """
    query = np.arange(first.size)
    bit = np.uint64(1) << (query % 64).astype(np.uint64)
    ends = after < len(words)
    np.bitwise_xor.at(words, (first, query // 64), bit)
    np.bitwise_xor.at(words, (after[ends], query[ends] // 64), bit[ends])
    np.bitwise_xor.accumulate(words, axis=0, out=words)


@kernel
def count_rows(index, words):
    """How many rows have each bit set in the words of all their columns: index[i, j] is the line of
    `words` for row i and column j."""
    found = np.zeros(words.shape[1] * 64, np.int64)
    word, sums = np.empty(WORDS, np.uint64), np.zeros((8, WORDS), np.uint64)
    ones, low = np.uint64(0x0101010101010101), np.uint64(255)
    for begin in range(0, index.shape[0], _MOST):
        for k in range(8):
            for w in range(WORDS):
                sums[k, w] = 0
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
                    found[64 * w + 8 * byte + k] += np.int64((sums[k, w] >> np.uint64(8 * byte)) & low)
    return found
