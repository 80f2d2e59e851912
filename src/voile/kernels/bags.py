"""Values of each group as runs of sorted keys, and figures of consecutive runs."""

import numpy as np

from voile.kernels.compiled import kernel


@kernel
def count_runs(keys, bits, start, values, counts):
    """Of sorted keys `group << bits | value` fill in where each group's values begin (in zeros), the
    distinct values of each group, and how often it has them."""
    mask, run, first = (1 << bits) - 1, 0, 0
    for i in range(keys.size):
        if i + 1 == keys.size or keys[i + 1] != keys[i]:
            values[run], counts[run] = keys[i] & mask, i + 1 - first
            start[(keys[i] >> bits) + 1] += 1
            run, first = run + 1, i + 1
    for group in range(1, start.size):
        start[group] += start[group - 1]


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
