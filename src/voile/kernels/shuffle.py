"""Uniform orders from uniform numbers (Fisher and Yates)."""

import numpy as np

from voile.kernels.compiled import kernel


@kernel
def shuffle_runs(start, numbers):
    """Positions with each run in an order told by numbers[p] <= place of p in its run."""
    order = np.empty(numbers.size, np.int64)
    for p in range(numbers.size):
        order[p] = p
    for c in range(start.size - 1):
        first = start[c]
        for p in range(first, start[c + 1]):
            q = first + numbers[p]
            order[p], order[q] = order[q], order[p]
    return order
