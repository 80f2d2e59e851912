"""RDA's plan: groups of the l most frequent colours, over and over (Liu and Wang 2012, Table 6).

A colour is the set of rows of one value. The plan sees only how many rows each colour has. Which
row takes which place is drawn later, so it cannot depend on who has what.
"""

import numpy as np

from voile.kernels.compiled import inlined_kernel, kernel


@inlined_kernel
def sift_down(heap, size, at):
    """Let a small key sink to its place in a heap with the largest key on top."""
    key = heap[at]
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= key:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = key


@inlined_kernel
def sift_up(heap, at):
    """Let a large key rise to its place."""
    key = heap[at]
    while at > 0:
        parent = (at - 1) // 2
        if heap[parent] >= key:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = key


@kernel
def plan_groups(start, ell):
    """The group of each place: colour c has the places start[c] .. start[c+1]-1. And how many groups.

    Each group takes one place of the l colours with the most places left, ties by colour. At most one
    place of a colour is left at the end (docs/facts/streamliner.md A5); it joins the smallest group without
    its colour, the first of them.
    """
    colours = start.size - 1
    group = np.full(start[-1], -1, np.int64)
    next_place = start[:-1].copy()
    heap = np.empty(colours, np.int64)  # places left * colours + (colours - 1 - colour)
    size = 0
    for c in range(colours):
        if start[c + 1] > start[c]:
            heap[size] = (start[c + 1] - start[c]) * colours + colours - 1 - c
            sift_up(heap, size)
            size += 1
    taken = np.empty(ell, np.int64)
    groups = 0
    while size >= ell:
        for i in range(ell):
            taken[i] = heap[0]
            size -= 1
            heap[0] = heap[size]
            sift_down(heap, size, 0)
        for i in range(ell):
            c = colours - 1 - taken[i] % colours
            group[next_place[c]] = groups
            next_place[c] += 1
            if taken[i] >= 2 * colours:  # another place is left
                heap[size] = taken[i] - colours
                sift_up(heap, size)
                size += 1
        groups += 1
    append_left_over(start, next_place, group, groups, ell)
    return group, groups


@kernel
def append_left_over(start, next_place, group, groups, ell):
    """Places that no group of l could take join the smallest group without their colour."""
    extra = np.zeros(groups, np.int64)
    for c in range(start.size - 1):
        for p in range(next_place[c], start[c + 1]):
            best = -1
            held = start[c]  # places of a colour have ascending groups, appended ones aside
            for g in range(groups):
                while held < next_place[c] and group[held] < g:
                    held += 1
                if held < next_place[c] and group[held] == g:
                    continue
                if best < 0 or extra[g] < extra[best]:
                    best = g
                    if extra[g] == 0:
                        break
            group[p] = best
            extra[best] += 1
