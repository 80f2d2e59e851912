"""Seat the rows that grouping left over, moving others where it must.

A row joins the group where the total loss grows least, among those that hold none of its marks.
Where there is none, rows are exchanged between two groups along a Kempe chain: all rows that hang
together by equal marks change sides, which keeps every group free of equal marks. With two columns
of marks this always finds a seat, and always fills groups that are too small (Koenig's edge
colouring; docs/facts/safety.md section 10). With more it may fail: then the row stays out.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.kernels.colours import rows_by_colour
from voile.kernels.compiled import inlined_kernel, kernel
from voile.kernels.kd_forest import NONE
from voile.kernels.loss import box_cost, grow_box, joined_cost, new_box, start_box

TRIES = 1000  # pairs of groups tried for a chain: two columns need one


class Seats(NamedTuple):
    """Group g holds the rows `seat[g, :taken[g]]`."""

    seat: NDArray[np.int64]
    taken: NDArray[np.int64]
    marks: NDArray[np.int32]  # row, column -> mark


def seated(group, groups, marks, ell):
    """The Seats of rows numbered 0 .. groups-1, with room for more; and the rows that have none."""
    everyone, start = rows_by_colour(group + 1, groups + 1)
    out, order, taken = everyone[: start[1]], everyone[start[1] :], np.diff(start[1:])
    seat = np.full((groups, 4 * max(ell, int(taken.max(initial=0))) + 8), NONE)  # for two groups in one chain
    seat[group[order], np.arange(order.size) - np.repeat(np.cumsum(taken) - taken, taken)] = order
    return Seats(seat, taken, marks), out


def assign(seats, group):
    """Write the group of every seated row."""
    for i in range(seats.seat.shape[1]):
        sitting = np.flatnonzero(seats.taken > i)
        group[seats.seat[sitting, i]] = sitting


@inlined_kernel
def clash(marks, a, b):
    """Whether two rows share a mark."""
    for c in range(marks.shape[1]):
        if marks[a, c] == marks[b, c]:
            return True
    return False


@inlined_kernel
def clashes(seats, g, row):
    """How many rows of a group share a mark with a row."""
    count = 0
    for i in range(seats.taken[g]):
        count += clash(seats.marks, seats.seat[g, i], row)
    return count


@kernel
def cheapest_seat(loss, values, seats, row, box, least, most):
    """The group of `least` up to `most` rows whose total loss grows least by a row; lowest on ties."""
    best, best_growth = NONE, np.iinfo(np.int64).max
    for g in range(seats.taken.size):
        size = seats.taken[g]
        if size < least or size > most or clashes(seats, g, row) > 0:
            continue
        start_box(loss, box, values, seats.seat[g, 0], 0)
        for i in range(1, size):
            grow_box(loss, box, values, seats.seat[g, i], 0)
        after = joined_cost(loss, box, values, row, 0, np.iinfo(np.int64).max)
        growth = after + size * (after - box_cost(loss, box))  # (s + 1) * after - s * before
        if growth < best_growth:
            best, best_growth = g, growth
    return best


@inlined_kernel
def take_seat(seats, g, row):
    """Add a row to a group."""
    seats.seat[g, seats.taken[g]] = row
    seats.taken[g] += 1


@kernel
def hang_together(seats, g, h, chain):
    """Spread a chain: seats of g (chain[0]) and h (chain[1]) that hang together by equal marks."""
    grown = True
    while grown:
        grown = False
        for i in range(seats.taken[g]):
            for j in range(seats.taken[h]):
                if chain[0, i] != chain[1, j] and clash(seats.marks, seats.seat[g, i], seats.seat[h, j]):
                    chain[0, i] = chain[1, j] = grown = True


@kernel
def change_sides(seats, g, h, chain):
    """Exchange the chain's rows between two groups."""
    rows = np.empty(seats.taken[g] + seats.taken[h], np.int64)
    side = np.empty(rows.size, np.int64)
    count = 0
    for own, group in enumerate((g, h)):
        for i in range(seats.taken[group]):
            rows[count], side[count] = seats.seat[group, i], own != chain[own, i]
            count += 1
    seats.taken[g] = seats.taken[h] = 0
    for i in range(count):
        take_seat(seats, h if side[i] else g, rows[i])


@kernel
def held_columns(seats, row):
    """Per group a bit for each column in which it holds the row's mark."""
    held = np.zeros(seats.taken.size, np.int64)
    for g in range(seats.taken.size):
        for i in range(seats.taken[g]):
            for c in range(seats.marks.shape[1]):
                if seats.marks[seats.seat[g, i], c] == seats.marks[row, c]:
                    held[g] |= 1 << c
    return held


@kernel
def chain_from(seats, row, g, h, ell):
    """The chain that leaves g for h to make room for a row; says if it keeps both groups sound."""
    chain = np.zeros((2, seats.seat.shape[1]), np.bool_)
    for i in range(seats.taken[g]):
        chain[0, i] = clash(seats.marks, seats.seat[g, i], row)
    hang_together(seats, g, h, chain)
    for j in range(seats.taken[h]):
        if chain[1, j] and clash(seats.marks, seats.seat[h, j], row):
            return chain, False  # it would bring another clash into g
    gone = chain[0].sum() - chain[1].sum()
    large_enough = seats.taken[g] + 1 - gone >= min(ell, seats.taken[g])
    return chain, large_enough and seats.taken[h] + gone >= min(ell, seats.taken[h])


@kernel
def seat_by_chain(seats, row, ell):
    """Make room for a row where every group holds one of its marks; says if that was possible.

    A group g that holds its mark in one column only gives way to a group h that does not hold that
    one. With two columns the first such pair will do: the chain is a path that cannot end at the row's
    other mark (Koenig). With more, some pairs are tried.
    """
    held = held_columns(seats, row)
    tried = 0
    for g in range(held.size):
        if held[g] & (held[g] - 1) != 0:
            continue
        for h in range(held.size):
            if h == g or held[h] & held[g] != 0 or seats.taken[g] + seats.taken[h] >= seats.seat.shape[1]:
                continue
            chain, sound = chain_from(seats, row, g, h, ell)
            if sound:
                change_sides(seats, g, h, chain)
                take_seat(seats, g, row)
                return True
            tried += 1
            if tried == TRIES:
                return False
    return False


@kernel
def fill(seats, small, ell):
    """Bring a row more into a group that is too small, from one that is large enough to give."""
    chain = np.zeros((2, seats.seat.shape[1]), np.bool_)
    for large in range(seats.taken.size):
        if seats.taken[large] <= ell or seats.taken[large] + seats.taken[small] > seats.seat.shape[1]:
            continue
        for j in range(seats.taken[large]):
            chain[:] = False
            chain[1, j] = True
            hang_together(seats, small, large, chain)
            gain = chain[1].sum() - chain[0].sum()
            if gain > 0 and seats.taken[large] - gain >= ell:
                change_sides(seats, small, large, chain)
                return True
    return False


@kernel
def seat_rows(loss, values, seats, rows, ell):
    """Seat rows where nothing clashes, in their order, and first where a group has fewer than `ell`.

    Rows that found a seat become NONE. Returns which rows are hopeless: every group has one of their
    marks, which no exchange can change.
    """
    box, room = new_box(loss), seats.seat.shape[1] - 1
    groups, columns = seats.taken.size, seats.marks.shape[1]
    holding = np.zeros((columns, seats.marks.max() + 1), np.int64)  # groups with each mark
    for g in range(groups):
        for i in range(seats.taken[g]):
            for c in range(columns):
                holding[c, seats.marks[seats.seat[g, i], c]] += 1
    hopeless = np.zeros(rows.size, np.bool_)
    for k in range(rows.size):
        row = rows[k]
        for c in range(columns):
            hopeless[k] |= holding[c, seats.marks[row, c]] == groups
        if hopeless[k]:
            continue
        g = cheapest_seat(loss, values, seats, row, box, 1, ell - 1)
        if g == NONE:
            g = cheapest_seat(loss, values, seats, row, box, ell, room)
        if g == NONE:
            continue
        take_seat(seats, g, row)
        rows[k] = NONE
        for c in range(columns):
            holding[c, seats.marks[row, c]] += 1
    return hopeless
