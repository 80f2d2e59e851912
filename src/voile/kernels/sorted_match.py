"""Where the pairs of one sorted list stand in another: one pass over both, exact on both words."""

import numpy as np

from voile.kernels.compiled import kernel


@kernel
def sorted_match(asked, known):
    """The position in `known` of each pair in `asked`, or -1; both (n, 2) and ascending, `known` without twins.

    >>> sorted_match(np.array([[1, 1], [1, 2], [3, 0]], np.uint64), np.array([[1, 2], [3, 0]], np.uint64))
    array([-1,  0,  1])
    """
    position = np.full(asked.shape[0], -1, np.int64)
    j = 0
    for i in range(asked.shape[0]):
        first, second = asked[i, 0], asked[i, 1]
        while j < known.shape[0] and (known[j, 0] < first or (known[j, 0] == first and known[j, 1] < second)):
            j += 1
        if j < known.shape[0] and known[j, 0] == first and known[j, 1] == second:
            position[i] = j
    return position
