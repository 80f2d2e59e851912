"""Persons and the boxes that cover them: a seat for everybody.

A box is low and high of every column, in places; of a set only the members count: those of form `form[g, c]` are
`members[first[form] : first[form + 1]]`, none if it is no set.
"""

import numpy as np

from voile.kernels.compiled import inlined_kernel, kernel


@inlined_kernel
def _covers(boxes, form, first, members, points, i, g):
    for c in range(points.shape[1]):
        place = points[i, c]
        if place < boxes[g, 2 * c] or place > boxes[g, 2 * c + 1]:
            return False
        a, b = first[form[g, c]], first[form[g, c] + 1]
        if a < b:
            there = False
            for k in range(a, b):
                there |= members[k] == place
            if not there:
                return False
    return True


@kernel
def count_covers(boxes, form, first, members, points, covers):
    """How many boxes cover each point."""
    for i in range(points.shape[0]):
        for g in range(boxes.shape[0]):
            covers[i] += _covers(boxes, form, first, members, points, i, g)


@kernel
def take_seats(boxes, form, first, members, points, order, seats, group):
    """Each point in turn takes the box that covers it and has most seats left, the first of several; boxes may
    be overfull at the end. `group` stays -1 where no box covers the point."""
    for i in order:
        most = np.int64(-(2**62))
        for g in range(boxes.shape[0]):
            if seats[g] > most and _covers(boxes, form, first, members, points, i, g):
                group[i], most = g, seats[g]
        if group[i] >= 0:
            seats[group[i]] -= 1
