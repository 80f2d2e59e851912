"""GDA's groups: for each row of the largest colour the nearest first rows of other colours
(Liu and Wang 2012, Table 7).

Rows have a weighted rank; every colour's rows stand in ascending order of it, and its first row that has no
group yet is its *head*. All rows have a position in one order of rank and colour, so that heads next to a rank
are found by looking left and right.

As the paper writes it, grouping can end with rows that no group can take. A guard prevents that: with K groups
still to form, a colour with K rows or more is critical, and a group may hold at most
sum_j min(rows left of j, K) - critical - l (K - 1) rows of others (docs/facts/streamliner.md A5, there for as many
groups as the largest colour has rows). Beginning with K = floor(n / l), as many groups as there can be are
formed, and fewer than l rows are left.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.kernels.compiled import kernel
from voile.kernels.marked_positions import at_or_after, before, mark, no_marks, unmark
from voile.kernels.most_frequent import sift_down, sift_up

NONE = -1


class Line(NamedTuple):
    """All rows by rank, then colour: what is known of each position."""

    rank: NDArray[np.int64]
    colour: NDArray[np.int64]
    run: NDArray[np.int64]  # first position of the same rank
    position: NDArray[np.int64]  # of each place; places are rows in order of colour, then rank


class Guard(NamedTuple):
    """What the guard counts. number[0]: K, [1]: sum of min(left, K), [2]: critical colours."""

    number: NDArray[np.int64]
    critical: NDArray[np.int64]  # the first number[2] are the critical colours
    event: NDArray[np.int64]  # of each K the first colour that may become critical then, and ...
    after: NDArray[np.int64]  # ... of each colour the next one


@kernel
def schedule(guard, c, left):
    """Look at a colour again when K is down to what it has left."""
    guard.after[c] = guard.event[left]
    guard.event[left] = c


@kernel
def lower_k(guard, left):
    """One group less to form: some colours become critical."""
    guard.number[0] -= 1
    k = guard.number[0]
    c = guard.event[k] if k > 0 else NONE
    while c != NONE:
        following = guard.after[c]
        if left[c] >= k:
            guard.critical[guard.number[2]] = c
            guard.number[2] += 1
        elif left[c] > 0:
            schedule(guard, c, left[c])
        c = following


@kernel
def new_guard(left, groups):
    """The guard before the first of so many groups; no colour has more rows."""
    number = np.array([groups + 1, left.sum(), 0])
    guard = Guard(number, np.empty(left.size, np.int64), np.full(groups + 1, NONE), np.empty(left.size, np.int64))
    for c in range(left.size):
        schedule(guard, c, left[c])
    lower_k(guard, left)
    return guard


@kernel
def spare_places(guard, ell):
    """How many rows of colours that are not critical the next group may hold."""
    return guard.number[1] - guard.number[2] - ell * (guard.number[0] - 1)


@kernel
def run_before(words, levels, line, position):
    """The first head of the nearest run before a position's run."""
    last = before(words, levels, line.run[position])
    return NONE if last == NONE else at_or_after(words, levels, line.run[last])


@kernel
def nearest_critical(guard, heads, line, left, stamp, g, rank):
    """The head of a critical colour nearest to a rank, ties by colour; of those not in the group yet."""
    best, best_distance = NONE, np.int64(0)
    for i in range(guard.number[2]):
        c = guard.critical[i]
        if left[c] == 0 or stamp[c] == g:
            continue
        distance = abs(line.rank[heads[c]] - rank)
        nearer = best == NONE or distance < best_distance
        if nearer or (distance == best_distance and c < line.colour[best]):
            best, best_distance = heads[c], distance
    return best


@kernel
def choose(words, levels, line, guard, heads, left, stamp, g, lead, chosen):
    """Fill `chosen` with the positions of the nearest heads around a lead row, and stamp their colours.
    Returns how many of the group, the lead counted, are critical."""
    k, rank = guard.number[0], line.rank[lead]
    critical = np.int64(left[line.colour[lead]] >= k)
    spare = spare_places(guard, chosen.size + 1) - (1 - critical)
    right = at_or_after(words, levels, line.run[lead])
    near_left = run_before(words, levels, line, lead)
    count = 0
    while count < chosen.size and spare > 0 and (right != NONE or near_left != NONE):
        go_left = right == NONE
        if right != NONE and near_left != NONE:
            ahead, back = line.rank[right] - rank, rank - line.rank[near_left]
            go_left = back < ahead or (back == ahead and line.colour[near_left] < line.colour[right])
        at = near_left if go_left else right
        if go_left:
            beside = at_or_after(words, levels, at + 1)
            same_run = beside != NONE and line.run[beside] == line.run[at]
            near_left = beside if same_run else run_before(words, levels, line, at)
        else:
            right = at_or_after(words, levels, at + 1)
        is_critical = np.int64(left[line.colour[at]] >= k)
        spare -= 1 - is_critical
        critical += is_critical
        stamp[line.colour[at]] = g
        chosen[count] = at
        count += 1
    while count < chosen.size:  # only critical colours may still join
        chosen[count] = nearest_critical(guard, heads, line, left, stamp, g, rank)
        stamp[line.colour[chosen[count]]] = g
        count += 1
        critical += 1
    return critical


@kernel
def advance(words, levels, line, next_place, heads, left, group, c, g):
    """The head of a colour joins a group; the next row of the colour is its head."""
    group[next_place[c]] = g
    unmark(words, levels, heads[c])
    next_place[c] += 1
    left[c] -= 1
    if left[c] > 0:
        heads[c] = line.position[next_place[c]]
        mark(words, levels, heads[c])


@kernel
def guided_groups(start, line, ell):
    """The group of each place, NONE for those left over; and how many groups there are.

    The largest colour leads groups until it is exhausted, or until the guard asks for critical colours only.
    """
    colours, groups = start.size - 1, line.rank.size // ell
    left, next_place = np.diff(start), start[:-1].copy()
    heads = line.position[next_place]
    words, levels = no_marks(line.rank.size)
    heap = np.empty(colours, np.int64)  # rows left, then colour: the largest first, ties by colour
    for c in range(colours):
        mark(words, levels, heads[c])
        heap[c] = left[c] * colours + colours - 1 - c
        sift_up(heap, c)
    guard = new_guard(left, groups)
    group, stamp = np.full(line.rank.size, NONE), np.full(colours, NONE)
    chosen = np.empty(ell - 1, np.int64)
    g = 0
    while g < groups:
        largest = colours - 1 - heap[0] % colours
        if heap[0] // colours != left[largest]:  # what the heap knows is old
            heap[0] = left[largest] * colours + colours - 1 - largest
            sift_down(heap, colours, 0)
            continue
        while g < groups and left[largest] > 0:
            if left[largest] < guard.number[0] and spare_places(guard, ell) == 0:
                break
            lead = heads[largest]
            stamp[largest] = g
            unmark(words, levels, lead)
            critical = choose(words, levels, line, guard, heads, left, stamp, g, lead, chosen)
            advance(words, levels, line, next_place, heads, left, group, largest, g)
            for at in chosen:
                advance(words, levels, line, next_place, heads, left, group, line.colour[at], g)
            g += 1
            guard.number[1] -= ell + guard.number[2] - critical
            lower_k(guard, left)
    return group, groups


@kernel
def append_to_nearest(start, line, group, groups, ell):
    """Places left over, fewer than l, join the group without their colour whose mean rank is nearest, the first of
    equals. Means are those of the groups as formed, l rows each."""
    total = np.zeros(groups, np.int64)
    for place in range(group.size):
        if group[place] != NONE:
            total[group[place]] += line.rank[line.position[place]]
    for c in range(start.size - 1):
        holds = np.zeros(groups if group[start[c + 1] - 1] == NONE else 0, np.bool_)
        for place in range(start[c], start[c + 1] if holds.size else start[c]):
            if group[place] == NONE:
                wanted = ell * line.rank[line.position[place]]
                best = NONE
                for g in range(groups):
                    if not holds[g] and (best == NONE or abs(total[g] - wanted) < abs(total[best] - wanted)):
                        best = g
                group[place] = best
            holds[group[place]] = True
