"""Persons and the boxes that cover them: a seat for everybody.

A box is low and high of every column, in places; of a set only the members count: those of form `form[g, c]` are
`members[first[form] : first[form + 1]]`, none if it is no set. Boxes ascend by their low in the column `lead`; of
each block of boxes `highest` is the greatest high there: blocks that end before a point are left alone.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.kernels.compiled import inlined_kernel, kernel

BLOCK = 64


class SortedBoxes(NamedTuple):
    """Boxes in the order of their low in one column."""

    boxes: NDArray[np.int32]
    form: NDArray[np.int64]
    first: NDArray[np.int64]
    members: NDArray[np.int64]
    lead: int
    highest: NDArray[np.int32]


@inlined_kernel
def _covers(side, point, g):
    for c in range(point.size):
        if point[c] < side.boxes[g, 2 * c] or point[c] > side.boxes[g, 2 * c + 1]:
            return False
        a, b = side.first[side.form[g, c]], side.first[side.form[g, c] + 1]
        if a < b:
            there = False
            for k in range(a, b):
                there |= side.members[k] == point[c]
            if not there:
                return False
    return True


@kernel
def count_covers(side, points, covers):
    """How many boxes cover each point."""
    for i in range(points.shape[0]):
        place = points[i, side.lead]
        for block in range(side.highest.size):
            if side.boxes[block * BLOCK, 2 * side.lead] > place:
                break
            if side.highest[block] < place:
                continue
            for g in range(block * BLOCK, min(side.boxes.shape[0], (block + 1) * BLOCK)):
                covers[i] += _covers(side, points[i], g)


@kernel
def take_seats(side, points, order, seats, group):
    """Each point in turn takes the box that covers it and has most seats left, the first of several; boxes may
    be overfull at the end. `group` stays -1 where no box covers the point."""
    for i in order:
        place, most = points[i, side.lead], np.int64(-(2**62))
        for block in range(side.highest.size):
            if side.boxes[block * BLOCK, 2 * side.lead] > place:
                break
            if side.highest[block] < place:
                continue
            for g in range(block * BLOCK, min(side.boxes.shape[0], (block + 1) * BLOCK)):
                if seats[g] > most and _covers(side, points[i], g):
                    group[i], most = g, seats[g]
        if group[i] >= 0:
            seats[group[i]] -= 1
