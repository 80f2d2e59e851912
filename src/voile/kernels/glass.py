"""One level of GLASS: every node is dealt to buckets, and cut if the test of shifts allows it
(docs/facts/safety.md 1.2).

Decisions use counts of nodes and quasi-identifiers; the test also the buckets, but only what stays the same when
their values are turned around. The buckets that were tested are the buckets that are published; where the test
passes they are forgotten. Rows that are skimmed are a leaf of their own, whatever the test says.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.kernels.assignment import assign
from voile.kernels.blind_cuts import NOWHERE, cut_of, goes_left, new_room
from voile.kernels.compiled import inlined_kernel, kernel
from voile.kernels.node_bags import (
    BEGIN,
    END,
    GROWING,
    KIND,
    LEAF,
    add_child,
    longest,
    most_frequent_first,
    part_rows,
    set_aside,
)
from voile.kernels.shift_test import passes
from voile.kernels.skim import FAILED, skim_quotas

APART = -1  # the seat of a row that is skimmed
CERTAIN = (1, 2)  # tau of a cut in the middle that passes whoever is where


class Rule(NamedTuple):
    """What is fixed in advance: nothing here depends on the sensitive column."""

    ell: int
    least: int  # a part of fewer than twice so many rows is not cut
    tau: tuple[int, int]
    limit: tuple[int, int]  # share of a node that may be skimmed, at most
    sure: tuple[int, int]  # share that may be skimmed to make a cut certain
    exact: bool  # cut in the middle, else between codes


NEVER_CUT = Rule(ell=2, least=2**62 // 2, tau=(1, 1), limit=(0, 1), sure=(0, 1), exact=True)


class Seats(NamedTuple):
    """Where rows end up: a bucket, a place among its values, and the group of the fast tier."""

    bucket: NDArray[np.int64]
    place: NDArray[np.int32]
    group: NDArray[np.int64]


class Plan(NamedTuple):
    """Signatures of a node, and of each value the seats that hold it: seats are places of the list of
    signatures."""

    alpha: NDArray[np.int64]
    start: NDArray[np.int64]
    listed: NDArray[np.int64]
    first: NDArray[np.int64]  # of each value, in `seats`
    seats: NDArray[np.int64]
    left: NDArray[np.int64]  # rows that each seat still takes
    counts: NDArray[np.int64]  # rows of each value that seats hold
    aside: NDArray[np.int64]  # rows of each value that are still to be skimmed


@kernel
def planned(counts, quotas, ell):
    """PLAN of what is left after so many rows of each value are skimmed; both stand in order of `counts`. It is
    Assign of m-invariance: few buckets, the first with the most frequent values and as large as can be, since rows
    of a large bucket have near ones."""
    kept, aside = np.empty(counts.size, np.int64), np.empty(counts.size, np.int64)
    for v in range(counts.size):
        kept[v], aside[v] = counts[v] - quotas[v], quotas[v]
    alpha, start, listed = assign(kept, ell)
    first, at = np.zeros(kept.size + 1, np.int64), np.empty(kept.size, np.int64)
    for v in listed:
        first[v + 1] += 1
    for v in range(kept.size):
        at[v] = first[v]
        first[v + 1] += first[v]
    seats, left = np.empty(listed.size, np.int64), np.empty(listed.size, np.int64)
    for b in range(alpha.size):
        for i in range(start[b], start[b + 1]):
            seats[at[listed[i]]] = i
            at[listed[i]] += 1
            left[i] = alpha[b]
    return Plan(alpha, start, listed, first, seats, left, kept, aside)


@inlined_kernel
def seat_of(plan, v, number):
    """The seat that a number below the rows left of a value stands for; one less is left there."""
    if number < plan.aside[v]:
        plan.aside[v] -= 1
        return APART
    number -= plan.aside[v]
    i = plan.first[v]
    while number >= plan.left[plan.seats[i]]:
        number -= plan.left[plan.seats[i]]
        i += 1
    plan.left[plan.seats[i]] -= 1
    return plan.seats[i]


@kernel
def skimmed(rule, counts, size, quotas):
    """How many rows are skimmed before a cut is tested, filling in how many of each value.

    So many that the cut is certain, if that is a small share; else so many that it is likely, if that is not too
    large a share; else none: then a test that fails has cost nothing. Told by counts alone.
    """
    taken = skim_quotas(counts, rule.ell, CERTAIN, size * rule.sure[0] // rule.sure[1], quotas)
    if taken == FAILED:
        taken = skim_quotas(counts, rule.ell, rule.tau, size * rule.limit[0] // rule.limit[1], quotas)
    if taken == FAILED:
        for v in range(quotas.size):
            quotas[v] = 0
    return max(taken, 0)


@kernel
def publish(plan, seats, rows, seat, begin, end):
    """Rows of a stretch keep their buckets for good; the fast tier zips them along the curve."""
    number = rows.shape[1] - 1
    base, bucket = np.empty(plan.listed.size, np.int64), np.empty(plan.listed.size, np.int64)
    place, column = np.empty(plan.listed.size, np.int32), begin
    for b in range(plan.alpha.size):
        for i in range(plan.start[b], plan.start[b + 1]):
            base[i] = bucket[i] = column
            place[i] = i - plan.start[b]
        column += plan.alpha[b]
    for r in range(begin, end):
        s = seat[r - begin]
        row = rows[r, number]
        seats.bucket[row], seats.place[row], seats.group[row] = bucket[s], place[s], base[s]
        base[s] += 1


@kernel
def test(plan, rows, seat, begin, end, cut, ell):
    """Whether a cut of a stretch passes."""
    within, tied = np.zeros(plan.listed.size, np.int64), 0
    for r in range(begin, end):
        own = rows[r, cut.column]
        if goes_left(own, cut, tied):
            within[seat[r - begin]] += 1
        tied += own == cut.code
    return passes(plan.start, plan.listed, within, plan.counts, cut.left, end - begin, ell)


@kernel
def grow(loss, rule, rows, spare, values, nodes, first, numbers, seats, children):
    """Deal, test and cut the nodes of a level; node i's rows draw numbers[first[i]:]. Returns how many children
    there are."""
    d = rows.shape[1] - 2
    counts, rank, room = np.zeros(values, np.int64), np.empty(values, np.int64), new_room()
    seat, born = np.empty(longest(nodes), np.int64), 0
    for i in range(nodes.shape[0]):
        begin, end = nodes[i, BEGIN], nodes[i, END]
        _, number = most_frequent_first(rows, begin, end, counts, rank)
        quotas, taken = np.zeros(number.size, np.int64), 0
        may_be_cut = nodes[i, KIND] == GROWING and end - begin >= 2 * rule.least
        if may_be_cut:
            taken = skimmed(rule, number, end - begin, quotas)
        plan = planned(number, quotas, rule.ell)
        for r in range(begin, end):
            seat[r - begin] = seat_of(plan, rank[rows[r, d]], numbers[first[i] + r - begin])
        middle = end
        if taken > 0:
            middle = set_aside(rows, spare, seat, begin, end, APART)
            born = add_child(children, born, middle, end, LEAF)
        if may_be_cut:
            between = rows.shape[0] if rule.exact else rule.least  # no part has so many rows, or so many at least
            cut = cut_of(loss, room, rows, begin, middle, d, rule.exact, between)
            if cut.column != NOWHERE and test(plan, rows, seat, begin, middle, cut, rule.ell):
                part_rows(rows, spare, begin, middle, cut)
                born = add_child(children, born, begin, begin + cut.left, GROWING)
                born = add_child(children, born, begin + cut.left, middle, GROWING)
                continue
        publish(plan, seats, rows, seat, begin, middle)
    return born
