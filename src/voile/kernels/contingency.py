"""Contingency matrices: how the values of a table can be spread over cells of given sizes.

Cells lie in components. In each component every value occurs a known number of times; in each cell there is a
known number of rows. Of values that occur equally often in every component only one order is listed: their columns
do not increase.
"""

import numpy as np
from numpy.typing import NDArray

from voile.kernels.compiled import kernel

Numbers = NDArray[np.int64]


@kernel
def list_matrices(
    sizes: Numbers,
    component: Numbers,
    margins: Numbers,
    like_previous: NDArray[np.bool_],
    stride: Numbers,
    found: Numbers,
    most: int,
) -> int:
    """Count the matrices, up to `most` + 1, and list as many as `found` has room for.

    Cells of a component are neighbours. margins[q, v] counts value v in component q; like_previous[v]: it is
    interchangeable with value v - 1. A line of `found` holds, per cell, the place of its histogram: the sum over v
    of stride[c, v] * count.
    """
    cells, values = sizes.size, margins.shape[1]
    x = np.full((values, cells), -1, np.int64)
    tight = np.zeros((values, cells + 1), np.bool_)  # the column equals the previous one so far
    room, due = sizes.copy(), margins.copy()  # what is not filled, and not spread, yet
    number, v, c, fresh = 0, 0, 0, True
    if values == 1:  # nothing to choose
        x[0] = sizes
        return int(_emit(x, stride, found, 0))
    while True:
        q = component[c]
        if not fresh:  # take back what was chosen here, for the next smaller choice
            room[c] += x[v, c]
            due[q, v] += x[v, c]
        low = max(0, due[q, v] - _room_after(c, component, room))
        high = min(room[c], due[q, v])
        if tight[v, c]:
            high = min(high, x[v - 1, c])
        choice = high if fresh else x[v, c] - 1
        if choice < low:  # nothing fits: one place back
            fresh = False
            c -= 1
            if c < 0:
                v, c = v - 1, cells - 1
                if v < 0:
                    return number
            continue
        x[v, c] = choice
        room[c] -= choice
        due[q, v] -= choice
        tight[v, c + 1] = tight[v, c] and choice == x[v - 1, c]
        fresh = True
        c += 1
        if c < cells:
            continue
        if v + 2 < values:
            v, c = v + 1, 0
            tight[v, 0] = like_previous[v]
            continue
        x[v + 1] = room  # the last value fills what is left
        if not like_previous[v + 1] or _descends(x[v], room):
            number = int(_emit(x, stride, found, number))
            if number > most:
                return number
        c, fresh = cells - 1, False


@kernel
def _room_after(c: int, component: Numbers, room: Numbers) -> int:
    """Room in the later cells of the component."""
    total, d = 0, c + 1
    while d < room.size and component[d] == component[c]:
        total += room[d]
        d += 1
    return total


@kernel
def _descends(one: Numbers, other: Numbers) -> bool:
    """Whether the second column is not above the first."""
    for c in range(one.size):
        if one[c] != other[c]:
            return bool(one[c] > other[c])
    return True


@kernel
def _emit(x: Numbers, stride: Numbers, found: Numbers, number: int) -> int:
    """Note one matrix, if there is room; returns how many there are."""
    if number < found.shape[0]:
        for c in range(found.shape[1]):
            place = 0
            for v in range(x.shape[0]):
                place += stride[c, v] * x[v, c]
            found[number, c] = place
    return number + 1
