"""Every draw a randomised algorithm can make, with its exact probability.

The algorithm asks for whole numbers below bounds; a script answers, notes the bounds, and is then turned to the
next answer like an odometer. So the real algorithm runs on every possible outcome of its randomness.
"""

from collections import Counter
from fractions import Fraction
from math import prod

import numpy as np

from voile.core.draws import Draws


class Script(Draws):
    """Answers the first numbers as written, zero beyond, and notes the bounds it was asked for."""

    def __init__(self, numbers=()):
        self.numbers = list(numbers)
        self.bounds = []

    def words(self, count, bits):
        raise AssertionError("a script knows numbers, not words")

    def below(self, bounds):
        first = len(self.bounds)
        self.bounds += [int(b) for b in bounds]
        self.numbers += [0] * (len(self.bounds) - len(self.numbers))
        return np.array(self.numbers[first : len(self.bounds)], np.int64)


def every_draw(run):
    """Pairs of a probability and what `run(draws)` returns, over all draws; they sum to 1."""
    return ((Fraction(1, one_in), result) for one_in, result in _outcomes(run))


def _outcomes(run):
    """The same with probabilities as "one in so many"."""
    numbers = []
    while True:
        script = Script(numbers)
        result = run(script)
        yield prod(script.bounds), result
        numbers = script.numbers
        while numbers and numbers[-1] == script.bounds[len(numbers) - 1] - 1:
            numbers.pop()
        if not numbers:
            return
        numbers[-1] += 1


def distribution(run):
    """The exact distribution of what `run(draws)` returns."""
    times = Counter((result, one_in) for one_in, result in _outcomes(run))
    found = {}
    for (result, one_in), many in times.items():
        found[result] = found.get(result, 0) + Fraction(many, one_in)
    return found
