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
def distinct_per_group(codes, order, sizes, most):
    """Per group its distinct codes in ascending order, one column each, padded with -1, and their
    number; `order` is that of `rows_by_group`.

    A group with more than `most` distinct codes has the number most + 1 and no list to rely on.
    """
    sets = np.full((most, sizes.size), -1, np.int32)
    found = np.zeros(sizes.size, np.int64)
    held = np.empty(most + 1, np.int32)
    after = 0
    for g in range(sizes.size):
        first, after = after, after + sizes[g]
        count = 0
        for i in order[first:after]:
            place = count
            while place > 0 and held[place - 1] > codes[i]:
                place -= 1
            if place > 0 and held[place - 1] == codes[i]:
                continue
            for k in range(count, place, -1):
                held[k] = held[k - 1]
            held[place] = codes[i]
            count += 1
            if count > most:
                break
        found[g] = count
        for k in range(min(count, most)):
            sets[k, g] = held[k]
    return sets, found


@kernel
def count_distinct(codes, order, sizes, span):
    """How many of the codes 0 .. span-1 each group holds; `order` is that of `rows_by_group`."""
    seen = np.full(span, -1, np.int64)  # the last group that had each code
    found = np.zeros(sizes.size, np.int64)
    after = 0
    for g in range(sizes.size):
        first, after = after, after + sizes[g]
        for i in order[first:after]:
            if seen[codes[i]] != g:
                seen[codes[i]] = g
                found[g] += 1
    return found
