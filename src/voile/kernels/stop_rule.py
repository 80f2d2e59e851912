"""Whether a group keeps a promise, exactly, while a kernel is cutting.

One rule for all promises that stop a search: counts are integers, bounds rational, and what cannot be decided by
integers (entropy) is decided by logarithms unless the two sides are equal, which integers can tell.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.kernels.compiled import inlined_kernel, kernel
from voile.kernels.frequency_line import sort_descending
from voile.kernels.tau_l import keeps_line

SIZE, DISTINCT, SHARE, RECURSIVE, LINE, ENTROPY, DISTANCE = range(7)
SPARSE = 8  # times as many values in the table as in a group: looking at the group's alone takes less
NEAR = 1e-11  # of two logarithms, relative: beyond it, rounding cannot have turned their order


class StopRule(NamedTuple):
    """A promise. `top / bottom` is its bound (k, l, 1/l, c or t), `least` the fewest rows that can keep it.

    `line / scale` is that of (tau,l)-diversity. A distance is the sum over spans [first, after) of values, in the
    order of their codes, of weight * |share in the group - share in the table| / scale; `whole` counts the table,
    `below` each value and all before it, and `piled` sums that up, from 0 on.
    """

    kind: int
    top: int
    bottom: int
    least: int
    ell: int
    scale: int
    line: NDArray[np.int64]
    first: NDArray[np.int64]
    after: NDArray[np.int64]
    weight: NDArray[np.int64]
    whole: NDArray[np.int64]
    below: NDArray[np.int64]
    piled: NDArray[np.int64]


@kernel
def keeps(rule, counts, held, size):
    """Whether a group of so many rows keeps the promise: `counts` per value; those of values not `held` are 0."""
    if size < rule.least:
        return False
    if rule.kind == SIZE:
        return True
    if rule.kind == DISTANCE:
        return keeps_distance(rule, counts, held, size)
    if rule.kind == DISTINCT or rule.kind == SHARE:
        most, different = 0, 0
        for value in held:
            most = max(most, counts[value])
            different += counts[value] > 0
        return different >= rule.ell if rule.kind == DISTINCT else most * rule.bottom <= size * rule.top
    largest, different = np.empty(held.size, np.int64), 0
    for value in held:
        if counts[value] > 0:
            largest[different] = counts[value]
            different += 1
    sort_descending(largest, different)
    if rule.kind == LINE:
        return keeps_line(largest[:different], size, rule.line, rule.scale)
    if rule.kind == ENTROPY:
        return keeps_entropy(largest[:different], size, rule.top, rule.bottom)
    tail = size
    for i in range(min(rule.ell - 1, different)):
        tail -= largest[i]
    return largest[0] * rule.bottom < tail * rule.top


@kernel
def keeps_distance(rule, counts, held, size):
    """Whether a group is within the distance top / bottom of the table. Groups of few of many values are not asked
    about the others, unless these are in a tree."""
    values, spans = rule.whole.size, rule.first.size
    few = SPARSE * held.size < values
    if few and spans == values - 1:  # a line: from the first value up to each; trees have more spans than values
        moved = moved_along(rule, counts, held, size)
    elif few and spans == values:  # each value by itself
        moved = size * rule.below[values - 1]
        for value in held:
            absent = rule.whole[value] * size
            moved += abs(counts[value] * rule.below[values - 1] - absent) - absent
    else:
        moved = moved_over_spans(rule, counts, size)
    whole = (
        rule.scale * size * rule.below[values - 1]
    )  # the caller sees that it fits, and that top <= bottom < 2**31
    return moved <= whole // rule.bottom * rule.top + whole % rule.bottom * rule.top // rule.bottom


@kernel
def moved_over_spans(rule, counts, size):
    """Scaled distance of a group from the table, by its definition."""
    group, moved, everything = np.zeros(rule.whole.size + 1, np.int64), 0, rule.below[rule.whole.size - 1]
    for value in range(rule.whole.size):
        group[value + 1] = group[value] + counts[value]
    for i in range(rule.first.size):
        here = group[rule.after[i]] - group[rule.first[i]]
        there = rule.below[rule.after[i] - 1] if rule.after[i] > 0 else 0
        there -= rule.below[rule.first[i] - 1] if rule.first[i] > 0 else 0
        moved += rule.weight[i] * abs(here * everything - there * size)
    return moved


@kernel
def moved_along(rule, counts, held, size):
    """The same on a line: between two values of the group its own sum stands still while the table's grows, so
    each such stretch is summed at once, up to where the table overtakes, and after."""
    own, different, everything = np.empty(held.size, np.int64), 0, rule.below[rule.whole.size - 1]
    for value in held:
        if counts[value] > 0:
            own[different] = value
            different += 1
    sort_descending(own, different)
    moved, have = size * rule.piled[own[different - 1]], 0
    for i in range(different - 1, -1, -1):
        here, after = own[i], own[i - 1] if i > 0 else rule.whole.size
        have += counts[here] * everything
        low, high = here, after  # of the places here .. after, the first at which the table is ahead
        while low < high:
            middle = (low + high) // 2
            if rule.below[middle] * size > have:
                high = middle
            else:
                low = middle + 1
        moved += have * (2 * low - here - after)
        moved += size * (rule.piled[here] + rule.piled[after] - 2 * rule.piled[low])
    return moved


@kernel
def keeps_entropy(counts, size, top, bottom):
    """Whether exp(entropy) of positive counts is at least top / bottom. Sides nearer than NEAR that are not equal
    count as a breach: that never breaks a promise, and has never been met."""
    mean = 0.0
    for count in counts:
        mean += count * np.log(count)
    lead = np.log(size) - mean / size - np.log(top) + np.log(bottom)
    if abs(lead) > NEAR * (1 + np.log(size)):
        return lead > 0
    return powers_cancel(counts, size, top, bottom)


@inlined_kernel
def common_divisor(a, b):
    """The greatest one."""
    while b:
        a, b = b, a % b
    return a


@kernel
def powers_cancel(counts, size, top, bottom):
    """Whether (size * bottom / top)**size equals the product of count**count: whether the powers of every prime
    are as many on either side. Bases without common divisors will do for primes."""
    room = 64 * (counts.size + 3)  # a number has fewer prime factors than bits
    base, power = np.empty(room, np.int64), np.empty(room, np.int64)
    due, worth = np.empty(room, np.int64), np.empty(room, np.int64)
    due[0], due[1], due[2] = size, bottom, top
    worth[0], worth[1], worth[2] = size, size, -size
    for i in range(counts.size):
        due[3 + i], worth[3 + i] = counts[i], -counts[i]
    waiting, found = 3 + counts.size, 0
    while waiting > 0:
        waiting -= 1
        one, own = due[waiting], worth[waiting]
        if one == 1:
            continue
        for i in range(found):
            common = common_divisor(one, base[i])
            if common > 1:
                due[waiting], worth[waiting] = common, own + power[i]
                due[waiting + 1], worth[waiting + 1] = one // common, own
                due[waiting + 2], worth[waiting + 2] = base[i] // common, power[i]
                waiting += 3
                found -= 1
                base[i], power[i] = base[found], power[found]
                break
        else:
            base[found], power[found] = one, own
            found += 1
    for i in range(found):
        if power[i] != 0:
            return False
    return True
