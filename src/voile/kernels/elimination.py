"""What is left of groups when some of their values are ruled out."""

import numpy as np

from voile.kernels.compiled import inlined_kernel, kernel


@inlined_kernel
def _exceeds(top, bottom, other, below):
    """Whether top / bottom > other / below, by Euclid's steps: no product, so nothing overflows."""
    while True:
        mine, theirs = top // bottom, other // below
        if mine != theirs:
            return mine > theirs
        top, other = top - mine * bottom, other - theirs * below
        if top == 0 or other == 0:
            return top > 0
        top, bottom, other, below = below, other, bottom, top


@kernel
def rule_out(start, counts, size, persons, top, left, told):
    """For each number b of values ruled out in a group, the greatest fraction top[b] / left[b] over the groups of
    the first value's count and of who is left without the next b values; told[b] are persons in groups where
    nobody else is left. The fractions come in as 0 / 1."""
    steps = top.size
    largest = np.empty(steps + 1, np.int64)  # descending; one place more for the newcomer
    for group in range(size.size):
        held = 0
        for i in range(start[group], start[group + 1]):
            if held == steps and counts[i] <= largest[steps - 1]:
                continue
            place = held
            while place > 0 and largest[place - 1] < counts[i]:
                largest[place] = largest[place - 1]
                place -= 1
            largest[place] = counts[i]
            held = min(held + 1, steps)
        gone = 0
        for b in range(steps):
            gone += largest[b] if 0 < b < held else 0
            rest = max(size[group] - gone, largest[0])
            told[b] += persons[group] if rest == largest[0] else 0
            if _exceeds(largest[0], rest, top[b], left[b]):
                top[b], left[b] = largest[0], rest
