"""The split phase of m-invariance (Xiao and Tao 2007, section 4.3): balanced buckets become groups of near rows.

A bucket has s values and a list of N rows for each. A node of the work is a part of a bucket: s lists of equal
length, standing one after the other, once in the order of each attribute. Lists are sorted once, at the start;
a split keeps every order (docs/facts/streamliner.md C1: re-sorting was 95 % of the time). A counterfeit is the row
-1: it stands first in every order and has no extent.
"""

import numpy as np

from voile.kernels.compiled import inlined_kernel, kernel

NOBODY = -1
_FAR = np.int64(2**62)


@kernel
def lists_in_order(rows, first, counterfeits, total):
    """The lists one after the other: list j has counterfeits[j] times -1, then its rows, which stand in `rows`
    from first[j] on."""
    lists = np.empty(total, np.int32)
    at = 0
    for j in range(counterfeits.size):
        for _ in range(counterfeits[j]):
            lists[at] = NOBODY
            at += 1
        for i in range(first[j], first[j + 1]):
            lists[at] = rows[i]
            at += 1
    return lists


@kernel
def measure_slices(points, order, start, values, length, low, high):
    """The box around the k-th rows of all lists, for each k."""
    d = points.shape[1]
    for k in range(length):
        for e in range(d):
            low[k, e] = np.iinfo(np.int32).max
            high[k, e] = np.iinfo(np.int32).min
    for j in range(values):
        for k in range(length):
            row = order[start + j * length + k]
            if row != NOBODY:
                for e in range(d):
                    code = points[row, e]
                    low[k, e] = min(low[k, e], code)
                    high[k, e] = max(high[k, e], code)


@inlined_kernel
def _widen(low, high, k, box):
    """Let a box take in a slice; the sum of its sides follows."""
    for e in range(low.shape[1]):
        box[0, e] = min(box[0, e], low[k, e])
        box[1, e] = max(box[1, e], high[k, e])


@inlined_kernel
def _sides(box, step):
    total = np.int64(0)
    for e in range(step.size):
        if box[1, e] >= box[0, e]:
            total += (box[1, e] - box[0, e]) * step[e]
    return total


@kernel
def best_cut(low, high, length, step, left):
    """The cut of slices into the first k and the others with the least sum of perimeters, each counted once per
    row, and that sum; of equal ones the nearest to the middle, then the lower. `left` is room for the sums."""
    box = np.empty((2, step.size), np.int64)
    box[0], box[1] = _FAR, -_FAR
    for k in range(length - 1):
        _widen(low, high, k, box)
        left[k + 1] = (k + 1) * _sides(box, step)
    box[0], box[1] = _FAR, -_FAR
    best, least = 0, _FAR
    for k in range(length - 1, 0, -1):
        _widen(low, high, k, box)
        cost = left[k] + (length - k) * _sides(box, step)
        if cost < least or (cost == least and abs(2 * k - length) <= abs(2 * best - length)):
            best, least = k, cost
    return best, least


@kernel
def divide(order, scratch, side, start, values, length, cut):
    """Give each list's rows on the left side, and as many counterfeits as fit, to the left part, the first."""
    for j in range(values):
        to_left, to_right = start + j * cut, start + values * cut + j * (length - cut)
        for k in range(length):
            row = order[start + j * length + k]
            if row == NOBODY:
                goes_left = k < cut
            else:
                goes_left = side[row]
            if goes_left:
                scratch[to_left] = row
                to_left += 1
            else:
                scratch[to_right] = row
                to_right += 1
    for i in range(start, start + values * length):
        order[i] = scratch[i]


@kernel
def split(points, step, orders, scratch, side, nodes, stop):
    """Split nodes (start, values, rows per list) until none has more than `stop` rows per list: the parts."""
    d = points.shape[1]
    longest = max(1, nodes[:, 2].max())
    low, high = np.empty((longest, d), np.int32), np.empty((longest, d), np.int32)
    left = np.empty(longest + 1, np.int64)
    waiting = [(nodes[i, 0], nodes[i, 1], nodes[i, 2]) for i in range(nodes.shape[0])]
    done = [waiting[0] for _ in range(0)]
    while len(waiting) > 0:
        start, values, length = waiting.pop()
        if length <= stop:
            done.append((start, values, length))
            continue
        attribute, cut, least = 0, 0, _FAR
        for a in range(d):
            measure_slices(points, orders[a], start, values, length, low, high)
            where, cost = best_cut(low, high, length, step, left)
            if cost < least:
                attribute, cut, least = a, where, cost
        for j in range(values):
            for k in range(length):
                row = orders[attribute, start + j * length + k]
                if row != NOBODY:
                    side[row] = k < cut
        for a in range(d):
            divide(orders[a], scratch, side, start, values, length, cut)
        waiting.append((start + values * cut, values, length - cut))
        waiting.append((start, values, cut))
    parts = np.empty((len(done), 3), np.int64)
    for i in range(len(done)):
        parts[i, 0], parts[i, 1], parts[i, 2] = done[i]
    return parts
