"""Smallest and largest code of each group, and common ancestors."""

import numpy as np

from voile.kernels.compiled import kernel


@kernel
def enclose_groups(codes, group, groups):
    """Per group the least and the greatest code; rows of a negative group are skipped."""
    low = np.full(groups, np.iinfo(np.int64).max, np.int64)
    high = np.full(groups, np.iinfo(np.int64).min, np.int64)
    for i in range(codes.size):
        g = group[i]
        if g >= 0:
            low[g] = min(low[g], codes[i])
            high[g] = max(high[g], codes[i])
    return low, high


@kernel
def common_ancestors(node_high, parent, low, high):
    """The lowest node above low .. high, for many pairs; leaves are the first nodes of the tree."""
    found = np.empty(low.size, np.int64)
    for i in range(low.size):
        node = low[i]
        while node_high[node] < high[i]:
            node = parent[node]
        found[i] = node
    return found


@kernel
def distinct_per_group(codes, group, groups, most):
    """Per group its distinct codes in ascending order, padded with -1, and their number.

    A group with more than `most` distinct codes has the number most + 1 and no list to rely on.
    """
    sets = np.full((groups, most), -1, np.int64)
    sizes = np.zeros(groups, np.int64)
    for i in range(codes.size):
        g = group[i]
        if g < 0 or sizes[g] > most:
            continue
        place = 0
        while place < sizes[g] and sets[g, place] < codes[i]:
            place += 1
        if place < sizes[g] and sets[g, place] == codes[i]:
            continue
        sizes[g] += 1
        if sizes[g] <= most:
            for k in range(sizes[g] - 1, place, -1):
                sets[g, k] = sets[g, k - 1]
            sets[g, place] = codes[i]
    return sets, sizes


@kernel
def rows_by_group(group, sizes):
    """Row numbers group by group; rows of a negative group are left out."""
    place = np.cumsum(sizes) - sizes
    order = np.empty(sizes.sum(), np.int64)
    for i in range(group.size):
        g = group[i]
        if g >= 0:
            order[place[g]] = i
            place[g] += 1
    return order


@kernel
def count_distinct(codes, order, group, groups, span):
    """How many of the codes 0 .. span-1 each group holds; `order` is that of `rows_by_group`."""
    seen = np.full(span, -1, np.int64)  # the last group that had each code
    found = np.zeros(groups, np.int64)
    for i in order:
        if seen[codes[i]] != group[i]:
            seen[codes[i]] = group[i]
            found[group[i]] += 1
    return found
