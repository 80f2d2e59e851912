"""Uniform numbers from random words, and uniform orders from such numbers (Fisher and Yates)."""

import numpy as np

from voile.kernels.compiled import kernel


@kernel
def reduce_words(words, bits, bounds, due, numbers):
    """numbers[due[i]] = words[i] modulo its bound. Returns which words must be drawn again: those of
    the last, incomplete round of the bound."""
    again = np.zeros(due.size, np.bool_)
    top = np.uint64(2 ** min(bits, 63) - 1)
    if bits == 64:
        top = np.uint64(2) * top + np.uint64(1)
    for i in range(due.size):
        bound = np.uint64(bounds[due[i]])
        # top + 1 words in all; the last (top + 1) % bound of them belong to no complete round
        excess = (top % bound + np.uint64(1)) % bound
        again[i] = words[i] > top - excess
        numbers[due[i]] = words[i] % bound
    return again


@kernel
def shuffle_runs(start, numbers):
    """Positions with each run in an order told by numbers[p] <= place of p in its run."""
    order = np.arange(numbers.size)
    for c in range(start.size - 1):
        first = start[c]
        for p in range(first, start[c + 1]):
            q = first + numbers[p]
            order[p], order[q] = order[q], order[p]
    return order
