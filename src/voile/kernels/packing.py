"""Several small integers in one, without arrays in between: at ten million rows those cost more than
the arithmetic. Large results are filled in, not made: numpy's memory comes in larger pages.
"""

from voile.kernels.compiled import kernel


@kernel
def append_bits(keys, column, low, bits):
    """Shift each key to make room for `column - low`, in place."""
    for i in range(keys.size):
        keys[i] = (keys[i] << bits) | (column[i] - low)


@kernel
def cut_bits(keys, column, low, bits):
    """Undo `append_bits`: fill in the column, and take it out of the keys in place."""
    mask = (1 << bits) - 1
    for i in range(keys.size):
        column[i] = (keys[i] & mask) + low
        keys[i] >>= bits


@kernel
def append_places(keys, bits):
    """Shift each key to make room for its own place, in place."""
    for i in range(keys.size):
        keys[i] = (keys[i] << bits) | i


@kernel
def number_runs(sorted_keys, order, number):
    """Number the runs of equal keys 0, 1, ...; fill in for `order[i]` the number of key i."""
    run = 0
    for i in range(order.size):
        if i > 0 and sorted_keys[i] != sorted_keys[i - 1]:
            run += 1
        number[order[i]] = run


@kernel
def count_from(codes, low, counts):
    """Count each code in zeros, the first being that of `low`."""
    for code in codes:
        counts[code - low] += 1


@kernel
def number_from(codes, low, numbers, number):
    """Fill in the number of each code, the first of `numbers` being that of `low`."""
    for i in range(codes.size):
        number[i] = numbers[codes[i] - low]
