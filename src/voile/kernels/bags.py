"""Values of each group as runs of sorted keys, and figures of consecutive runs."""

import numpy as np

from voile.kernels.compiled import kernel


@kernel
def count_runs(keys, bits, groups):
    """Of sorted keys `group << bits | value`: where each group's values begin, the distinct values of
    each group, and how often it has them."""
    size = min(keys.size, 1)
    for i in range(1, keys.size):
        size += keys[i] != keys[i - 1]
    start = np.zeros(groups + 1, np.int64)
    values, counts = np.empty(size, np.int64), np.empty(size, np.int64)
    mask, run, first = (1 << bits) - 1, 0, 0
    for i in range(keys.size):
        if i + 1 == keys.size or keys[i + 1] != keys[i]:
            values[run], counts[run] = keys[i] & mask, i + 1 - first
            start[(keys[i] >> bits) + 1] += 1
            run, first = run + 1, i + 1
    for group in range(groups):
        start[group + 1] += start[group]
    return start, values, counts


@kernel
def sum_of_largest(start, counts, most):
    """Per group the sum of its `most` largest counts, or of all where there are fewer."""
    sums = np.zeros(start.size - 1, np.int64)
    largest = np.empty(most + 1, np.int64)  # descending; one place more for the newcomer
    for group in range(sums.size):
        held = 0
        for i in range(start[group], start[group + 1]):
            if held == most and (most == 0 or counts[i] <= largest[most - 1]):
                continue
            place = held
            while place > 0 and largest[place - 1] < counts[i]:
                largest[place] = largest[place - 1]
                place -= 1
            largest[place] = counts[i]
            held = min(held + 1, most)
        for i in range(held):
            sums[group] += largest[i]
    return sums


@kernel
def greatest_ratios(start, top, bottom):
    """Per group the index of its greatest fraction top / bottom, the first of equal ones; products of
    a top and a bottom fit 64 bits."""
    best = start[:-1].copy()
    for group in range(best.size):
        for i in range(start[group] + 1, start[group + 1]):
            if top[i] * bottom[best[group]] > top[best[group]] * bottom[i]:
                best[group] = i
    return best


@kernel
def lifts(start, counts, table, totals, everything):
    """Of each value of each group its share there over its share in the table, as floats."""
    lift = np.empty(counts.size)
    for group in range(totals.size):
        for i in range(start[group], start[group + 1]):
            lift[i] = (counts[i] * everything) / (table[i] * totals[group])
    return lift
