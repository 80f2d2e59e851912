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
