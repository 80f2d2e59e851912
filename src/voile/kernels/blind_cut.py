"""One level of FREE: every node is cut where the cut is certain, else dealt to groups as RDA does
(docs/facts/safety.md 1.3).

Whether a node is skimmed and cut is told by the counts of its values: where the most frequent one, after the
skim, has at most 1/l of the smaller part, both parts are l-diverse whoever is in them. Nobody's value is looked
at, so two persons of a group could be exchanged without anything else changing.
"""

import numpy as np

from voile.kernels.blind_cuts import NOWHERE, cut_of, new_room
from voile.kernels.colours import rows_by_colour
from voile.kernels.compiled import kernel
from voile.kernels.edge_colouring import matchings
from voile.kernels.glass import APART
from voile.kernels.most_frequent import plan_groups
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
from voile.kernels.skim import FAILED, skim_pairs, skim_quotas

STAYS = 0


@kernel
def places_of_pairs(values, counts, pairs, ell):
    """The group of each place, and where the places of each value begin, where values are pairs and groups
    differ in both columns. Pairs are taken in the order of their first column."""
    start, marks = np.empty(values.size, np.int64), np.empty((counts.sum(), 2), np.int64)
    at = 0
    for i in np.argsort(values):
        start[i] = at
        for _ in range(counts[i]):
            marks[at] = pairs[values[i]]
            at += 1
    marks[:, 1] = np.searchsorted(np.unique(marks[:, 1]), marks[:, 1])
    rows, second_start = rows_by_colour(marks[:, 1].copy(), marks[:, 1].max() + 1)
    return matchings(marks, second_start, rows, at // ell), start


@kernel
def places_of_values(counts, ell):
    """The same, where values are values: RDA's plan."""
    start = np.zeros(counts.size + 1, np.int64)
    for v in range(counts.size):
        start[v + 1] = start[v] + counts[v]
    places, _ = plan_groups(start, ell)
    return places, start


@kernel
def certain(rule, counts, size, quotas):
    """How many rows are skimmed before a cut that is certain, filling in how many of each value; FAILED: no
    cut."""
    taken = skim_quotas(counts, rule.ell, rule.tau, size * rule.limit[0] // rule.limit[1], quotas)
    return taken if (counts - quotas).max() * rule.ell <= (size - taken) // 2 else FAILED


@kernel
def numbered(pairs):
    """The values of each column numbered from 0."""
    found = np.empty_like(pairs)
    for c in range(2):
        found[:, c] = np.searchsorted(np.unique(pairs[:, c]), pairs[:, c])
    return found


@kernel
def certain_in_both(rule, counts, pairs, places, start, size, quotas):
    """The same, where values are pairs."""
    left, tops = np.zeros((pairs.max() + 1, 2), np.int64), np.empty(2, np.int64)
    for v in range(counts.size):
        for c in range(2):
            left[pairs[v, c], c] += counts[v]
    most = size * rule.limit[0] // rule.limit[1]
    taken = skim_pairs(counts, pairs, places, start, left, rule.ell, rule.tau, most, quotas, tops)
    return taken if tops.max() * rule.ell <= (size - taken) // 2 else FAILED


@kernel
def draw_apart(rows, begin, end, rank, quotas, numbers, seat):
    """Seats of rows of which so many of each value are drawn to be set aside; `quotas` is used up."""
    d = rows.shape[1] - 2
    for r in range(begin, end):
        v = rank[rows[r, d]]
        seat[r - begin] = STAYS
        if numbers[r - begin] < quotas[v]:
            quotas[v] -= 1
            seat[r - begin] = APART


@kernel
def deal(rows, begin, end, rank, places, start, counts, numbers, group):
    """A leaf: groups are planned from counts, each row draws one of the places of its value."""
    left, d = counts.copy(), rows.shape[1] - 2
    for r in range(begin, end):
        v = rank[rows[r, d]]
        at = start[v] + numbers[r - begin]
        group[rows[r, d + 1]] = begin + places[at]
        left[v] -= 1
        places[at] = places[start[v] + left[v]]


@kernel
def grow_blindly(loss, rule, rows, spare, pairs, nodes, first, numbers, group, children):
    """Skim and cut the nodes of a level, or deal them; node i's rows draw numbers[first[i]:]. Returns how many
    children there are. `pairs` are the values of two columns that each value stands for, without columns if it
    stands for itself."""
    d, different = rows.shape[1] - 2, pairs.shape[0]
    counts, rank, room = np.zeros(different, np.int64), np.empty(different, np.int64), new_room()
    seat, born = np.empty(longest(nodes), np.int64), 0
    for i in range(nodes.shape[0]):
        begin, end = nodes[i, BEGIN], nodes[i, END]
        values, number = most_frequent_first(rows, begin, end, counts, rank)
        quotas, drawn = np.zeros(number.size, np.int64), numbers[first[i] : first[i] + end - begin]
        taken, may_be_cut = FAILED, nodes[i, KIND] == GROWING and end - begin >= 2 * rule.least
        if pairs.shape[1]:
            places, start = places_of_pairs(values, number, pairs, rule.ell)
            if may_be_cut:
                taken = certain_in_both(rule, number, numbered(pairs[values]), places, start, end - begin, quotas)
        else:
            if may_be_cut:
                taken = certain(rule, number, end - begin, quotas)
            places, start = places_of_values(number if taken == FAILED else number[:0], rule.ell)
        if taken == FAILED:
            deal(rows, begin, end, rank, places, start, number, drawn, group)
            continue
        middle = end
        if taken > 0:
            draw_apart(rows, begin, end, rank, quotas, drawn, seat)
            middle = set_aside(rows, spare, seat, begin, end, APART)
            born = add_child(children, born, middle, end, LEAF)
        cut = cut_of(loss, room, rows, begin, middle, d, True, rows.shape[0])  # in the middle, none between codes
        left = (middle - begin) // 2  # of rows that are all alike: the first half along the curve
        if cut.column != NOWHERE:
            left = cut.left
            part_rows(rows, spare, begin, middle, cut)
        born = add_child(children, born, begin, begin + left, GROWING)
        born = add_child(children, born, begin + left, middle, GROWING)
    return born
