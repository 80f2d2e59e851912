"""Several small integers in one, without arrays in between: at ten million rows those cost more than
the arithmetic."""

import numpy as np

from voile.kernels.compiled import kernel


@kernel
def append_bits(keys, column, low, bits):
    """Shift each key to make room for `column - low`, in place."""
    for i in range(keys.size):
        keys[i] = (keys[i] << bits) | (column[i] - low)


@kernel
def cut_bits(keys, low, bits):
    """Undo `append_bits`: the column, and the keys in place without it."""
    column = np.empty(keys.size, np.int64)
    mask = (1 << bits) - 1
    for i in range(keys.size):
        column[i] = (keys[i] & mask) + low
        keys[i] >>= bits
    return column


@kernel
def append_places(keys, bits):
    """Shift each key to make room for its own place, in place."""
    for i in range(keys.size):
        keys[i] = (keys[i] << bits) | i


@kernel
def number_runs(sorted_keys, order):
    """Number the runs of equal keys 0, 1, ...; the number of `order[i]` is that of key i."""
    number = np.empty(order.size, np.int64)
    run = 0
    for i in range(order.size):
        if i > 0 and sorted_keys[i] != sorted_keys[i - 1]:
            run += 1
        number[order[i]] = run
    return number
