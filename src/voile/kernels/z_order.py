"""A curve through the space of codes, along which neighbours in space are neighbours in memory."""

import numpy as np

from voile.kernels.compiled import kernel

GRID_BITS = 4  # per attribute


@kernel
def z_order(values, spans):
    """Where each row stands on a Z-order curve over a grid of 2**GRID_BITS cells per attribute.

    >>> z_order(np.array([[0, 0], [9, 0], [0, 9]]), np.array([10, 10])).tolist()
    [0, 168, 84]
    """
    curve = np.zeros(values.shape[0], np.int64)
    attributes = min(values.shape[1], 32 // GRID_BITS)
    for i in range(values.shape[0]):
        for bit in range(GRID_BITS):
            for j in range(attributes):
                cell = values[i, j] * 2 ** (bit + 1) // spans[j]
                curve[i] = 2 * curve[i] + cell % 2
    return curve
