"""Refinement by swaps: exchange two rows of two groups where that makes both together cheaper.

For each row t of a group g, the rows nearest to g without t are looked up, and the best exchange
with one of them is made if the total loss falls (docs/facts/bsgi.md A6). Sizes of groups and the
difference of marks inside them never change. Only groups that changed since are looked at again.

Groups are looked at in blocks, those of one block all in the same state, so that threads can share
the search (`propose`); then the exchanges are made one by one, each judged again (`settle`). The
result does not depend on the number of threads.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.kernels.colours import rows_by_colour
from voile.kernels.compiled import inlined_kernel, kernel
from voile.kernels.kd_forest import BITS, NONE, ROW
from voile.kernels.kd_search import FAR, nearest_open
from voile.kernels.loss import box_cost, grow_box, joined_cost, new_box, start_box


class Groups(NamedTuple):
    """Rows by group: group g holds `member[start[g]:start[g + 1]]`."""

    of: NDArray[np.int64]  # row -> group, or negative
    start: NDArray[np.int64]
    member: NDArray[np.int64]
    slot: NDArray[np.int64]  # row -> where it stands in member
    cost: NDArray[np.int64]  # what one row of the group costs
    stale: NDArray[np.bool_]  # changed since it was last looked at


def gathered(group, groups):
    """The Groups of rows numbered 0 .. groups-1; rows with a negative number belong nowhere.

    >>> gathered(np.array([1, 0, -1, 1]), 2).member.tolist()
    [1, 0, 3]
    """
    everyone, start = rows_by_colour(group + 1, groups + 1)
    member, start = everyone[start[1] :], start[1:] - start[1]
    slot = np.full(group.size, NONE)
    slot[member] = np.arange(member.size)
    return Groups(group, start, member, slot, np.zeros(groups, np.int64), np.ones(groups, np.bool_))


@kernel
def charge_groups(loss, values, groups):
    """Set the cost of every group."""
    box = new_box(loss)
    for g in range(groups.cost.size):
        start_box(loss, box, values, groups.member[groups.start[g]], 0)
        for i in range(groups.start[g] + 1, groups.start[g + 1]):
            grow_box(loss, box, values, groups.member[i], 0)
        groups.cost[g] = box_cost(loss, box)


@inlined_kernel
def box_without(loss, box, values, groups, g, gone):
    """The box of a group of two rows or more without one of them."""
    empty = True
    for i in range(groups.start[g], groups.start[g + 1]):
        row = groups.member[i]
        if row == gone:
            continue
        if empty:
            start_box(loss, box, values, row, 0)
            empty = False
        else:
            grow_box(loss, box, values, row, 0)


@inlined_kernel
def close_marks(open_, marks, groups, g, gone):
    """Close the marks of a group's rows, except those of one row."""
    for c in range(marks.shape[1]):
        open_.user[0] += c == 0
        first, few = open_.first[c], open_.first[c + 1] - open_.first[c] <= BITS
        open_.bits[c] = -1
        for i in range(groups.start[g], groups.start[g + 1]):
            row = groups.member[i]
            if row != gone:
                open_.used[first + marks[row, c]] = open_.user[0]
                if few:
                    open_.bits[c] &= ~(1 << marks[row, c])


@inlined_kernel
def fits(marks, groups, h, gone, row):
    """Whether a row may take the place of another in group h."""
    for i in range(groups.start[h], groups.start[h + 1]):
        other = groups.member[i]
        if other != gone:
            for c in range(marks.shape[1]):
                if marks[other, c] == marks[row, c]:
                    return False
    return True


@inlined_kernel
def cost_with(loss, box, values, groups, h, gone, row):
    """What one row of group h costs once a row has taken the place of another."""
    box_without(loss, box, values, groups, h, gone)
    return joined_cost(loss, box, values, row, 0, FAR)


@kernel
def propose(forest, loss, values, marks, open_, tree, groups, block, partner, nearest):
    """For each row of the block's stale groups its best exchange: `partner[slot]`, or NONE.

    Considers the `nearest` rows that could take its place; they stand in the tree `tree[t]` of row t.
    """
    rest, other = new_box(loss), new_box(loss)
    best, best_cost = np.empty(nearest, np.int64), np.empty(nearest, np.int64)
    for g in block:
        size = groups.start[g + 1] - groups.start[g]
        for i in range(groups.start[g], groups.start[g + 1]):
            t = groups.member[i]
            box_without(loss, rest, values, groups, g, t)
            close_marks(open_, marks, groups, g, t)
            root = forest.root[tree[t]]
            found = nearest_open(forest, loss, root, rest, open_, groups.cost[g], best_cost, best)
            most, partner[i] = 0, NONE
            for k in range(found):
                u = forest.rows[best[k], ROW]
                h = groups.of[u]
                if h < 0 or not fits(marks, groups, h, u, t):
                    continue
                after = cost_with(loss, other, values, groups, h, u, t)
                gain = size * (groups.cost[g] - best_cost[k])
                gain += (groups.start[h + 1] - groups.start[h]) * (groups.cost[h] - after)
                if gain > most:
                    most, partner[i] = gain, u


@kernel
def settle(loss, values, marks, groups, block, partner):
    """Make the exchanges that still save something; returns how much they save."""
    box = new_box(loss)
    saved = 0.0  # only to see when to stop
    for g in block:
        groups.stale[g] = False
    for g in block:
        for i in range(groups.start[g], groups.start[g + 1]):
            t, u = groups.member[i], partner[i]
            if u == NONE:
                continue
            groups.stale[g] = True  # if another exchange came first, look again
            h = groups.of[u]
            if h == g or not (fits(marks, groups, h, u, t) and fits(marks, groups, g, t, u)):
                continue
            cost_g = cost_with(loss, box, values, groups, g, t, u)
            cost_h = cost_with(loss, box, values, groups, h, u, t)
            gain = (groups.start[g + 1] - groups.start[g]) * (groups.cost[g] - cost_g)
            gain += (groups.start[h + 1] - groups.start[h]) * (groups.cost[h] - cost_h)
            if gain > 0:
                saved += gain
                groups.cost[g], groups.cost[h] = cost_g, cost_h
                exchange(groups, t, u)
    return saved


@inlined_kernel
def exchange(groups, t, u):
    """Let two rows of two groups change places."""
    g, h = groups.of[t], groups.of[u]
    groups.of[t], groups.of[u] = h, g
    groups.member[groups.slot[t]], groups.member[groups.slot[u]] = u, t
    groups.slot[t], groups.slot[u] = groups.slot[u], groups.slot[t]
    groups.stale[g] = groups.stale[h] = True
