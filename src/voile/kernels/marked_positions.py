"""A set of positions with fast neighbours: a tree of 64-bit words, a bit for every word below with a bit."""

import numpy as np

from voile.kernels.compiled import kernel

NONE = -1
_ONE = np.uint64(1)
_ALL = np.uint64(2**64 - 1)


@kernel
def no_marks(size):
    """An empty set over `size` positions: all levels in one array, and where each level begins."""
    starts = [0]
    words = (size + 63) // 64
    while True:
        starts.append(starts[-1] + words)
        if words <= 1:
            break
        words = (words + 63) // 64
    return np.zeros(starts[-1], np.uint64), np.array(starts)


@kernel
def mark(words, level_start, position):
    """Add a position."""
    for level in range(level_start.size - 1):
        words[level_start[level] + (position >> 6)] |= _ONE << np.uint64(position & 63)
        position >>= 6


@kernel
def unmark(words, level_start, position):
    """Remove a position."""
    for level in range(level_start.size - 1):
        word = level_start[level] + (position >> 6)
        words[word] &= ~(_ONE << np.uint64(position & 63))
        if words[word] != 0:
            break
        position >>= 6


@kernel
def lowest_bit(word):
    """Which bit is the lowest; a word with at least one."""
    bit = 0
    for step in (32, 16, 8, 4, 2, 1):
        if word & ((_ONE << np.uint64(step)) - _ONE) == 0:
            word >>= np.uint64(step)
            bit += step
    return bit


@kernel
def highest_bit(word):
    """Which bit is the highest; a word with at least one."""
    bit = 0
    for step in (32, 16, 8, 4, 2, 1):
        if word >> np.uint64(step) != 0:
            word >>= np.uint64(step)
            bit += step
    return bit


@kernel
def at_or_after(words, level_start, position):
    """The first marked position from `position` on; NONE if there is none."""
    for level in range(level_start.size - 1):
        word = position >> 6
        if level_start[level] + word >= level_start[level + 1]:
            return NONE
        found = words[level_start[level] + word] & (_ALL << np.uint64(position & 63))
        if found != 0:
            position = (word << 6) + lowest_bit(found)
            for below in range(level - 1, -1, -1):
                position = (position << 6) + lowest_bit(words[level_start[below] + position])
            return position
        position = word + 1
    return NONE


@kernel
def before(words, level_start, position):
    """The last marked position before `position`; NONE if there is none."""
    position -= 1
    for level in range(level_start.size - 1):
        if position < 0:
            return NONE
        word = position >> 6
        found = words[level_start[level] + word] & (_ALL >> np.uint64(63 - (position & 63)))
        if found != 0:
            position = (word << 6) + highest_bit(found)
            for below in range(level - 1, -1, -1):
                position = (position << 6) + highest_bit(words[level_start[below] + position])
            return position
        position = word - 1
    return NONE
