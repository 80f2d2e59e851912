"""Privacy properties of sets of tables (Liu et al. 2015, sections 3.1 and 5.3).

An adversary is left with a set of equally likely tables. A person's values in all of them, each counted as often
as it occurs, are a distribution; a property holds for the set if it holds for every person's. In a permutation set
that distribution is the histogram of the person's group. A property is set-monotonic if it survives adding tables.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from voile.core.logarithms import entropy_reaches

Histograms = NDArray[np.int64]
_WRAPS = 2**63  # products of 64-bit numbers stay below


class SetProperty(ABC):
    """Whether people are protected by a set of tables."""

    set_monotonic: ClassVar[bool]

    @abstractmethod
    def holds(self, counts: Sequence[int], rows: int) -> bool:
        """For one person: in how many tables each value occurs, and how many rows are in the person's group."""

    def holds_in(self, histograms: Histograms) -> NDArray[np.bool_]:
        """For groups of a permutation set, one histogram per line: whether it holds for their persons."""
        different, place = np.unique(np.sort(histograms, axis=1), axis=0, return_inverse=True)
        return np.array([self.holds(line, sum(line)) for line in different.tolist()], bool)[place.ravel()]


@dataclass(frozen=True)
class HighestRatio(SetProperty):
    """No value of a person in more than the share delta of the tables: frequency l-diversity with l = 1/delta.

    >>> HighestRatio(Fraction(1, 2)).holds([2, 2, 0], 4), HighestRatio(Fraction(1, 2)).holds([3, 2, 0], 5)
    (True, False)
    """

    delta: Fraction
    set_monotonic = False

    def holds(self, counts: Sequence[int], rows: int) -> bool:
        """For one person."""
        return max(counts) * self.delta.denominator <= sum(counts) * self.delta.numerator

    def holds_in(self, histograms: Histograms) -> NDArray[np.bool_]:
        """For the persons of each group."""
        highest, total = histograms.max(axis=1), histograms.sum(axis=1)
        top, bottom = self.delta.as_integer_ratio()
        if int(total.max(initial=0)) * max(top, bottom) < _WRAPS:
            return np.asarray(highest * bottom <= total * top)
        rows, place = np.unique(total, return_inverse=True)  # delta has many digits: whole numbers of Python
        most = np.array([min(n, n * top // bottom) for n in rows.tolist()], np.int64)
        return np.asarray(highest <= most[place])


@dataclass(frozen=True)
class Distinct(SetProperty):
    """At least l different values of a person among the tables.

    >>> Distinct(2).holds([9, 1, 0], 4), Distinct(2).holds([9, 0, 0], 4)
    (True, False)
    """

    l: int  # noqa: E741 the literature's name
    set_monotonic = True

    def holds(self, counts: Sequence[int], rows: int) -> bool:
        """For one person."""
        return sum(count > 0 for count in counts) >= self.l

    def holds_in(self, histograms: Histograms) -> NDArray[np.bool_]:
        """For the persons of each group."""
        kept: NDArray[np.bool_] = (histograms > 0).sum(axis=1) >= self.l
        return kept


@dataclass(frozen=True)
class CrowdSize(SetProperty):
    """k-anonymity: a person's group has at least k rows, whatever the tables.

    >>> CrowdSize(3).holds([1], 3), CrowdSize(3).holds([1, 1], 2)
    (True, False)
    """

    k: int
    set_monotonic = True

    def holds(self, counts: Sequence[int], rows: int) -> bool:
        """For one person."""
        return rows >= self.k


@dataclass(frozen=True)
class Recursive(SetProperty):
    """Recursive (c,l)-diversity: r1 < c (rl + ... + rm), r1 >= r2 >= ... a person's counts.

    >>> Recursive(Fraction(2), 2).holds([3, 1, 1], 5), Recursive(Fraction(1), 2).holds([2, 1, 1], 4)
    (True, False)
    """

    c: Fraction
    l: int  # noqa: E741
    set_monotonic = False

    def holds(self, counts: Sequence[int], rows: int) -> bool:
        """For one person."""
        line = sorted(counts, reverse=True)
        return line[0] * self.c.denominator < self.c.numerator * sum(line[self.l - 1 :])


@dataclass(frozen=True)
class Entropy(SetProperty):
    """Entropy l-diversity: the entropy of a person's counts is at least ln l.

    >>> Entropy(Fraction(2)).holds([2, 2], 4), Entropy(Fraction(2)).holds([3, 2], 5)
    (True, False)
    """

    l: Fraction  # noqa: E741
    set_monotonic = False

    def holds(self, counts: Sequence[int], rows: int) -> bool:
        """For one person."""
        present = tuple(count for count in counts if count)
        total = sum(present)
        mean = math.fsum(count / total * math.log(count) for count in present)
        lead = math.log(total) - mean - math.log(self.l)
        # divisions and logarithms are off by some units in the 16th digit of ln(total) at most
        if abs(lead) > 1e-9 * (1 + math.log(total)):
            return lead > 0
        return entropy_reaches(present, self.l.numerator, self.l.denominator)
