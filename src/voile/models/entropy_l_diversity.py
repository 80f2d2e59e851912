"""Entropy l-diversity: as much doubt in each group as l equally likely values give."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.bags import Bag, Bags
from voile.core.logarithms import entropy_reaches, exact_floor
from voile.core.parameters import parameter
from voile.core.privacy_model import PrivacyModel, Ratios

_UNIT = 10**4


@dataclass(frozen=True, kw_only=True)
class EntropyLDiversity(PrivacyModel):
    """The entropy of every group is at least ln l (Machanavajjhala et al. 2006).

    exp(entropy) is irrational for most groups; the figure is its floor to four places, and a bound
    has four places, so comparing the two decides exactly.

    >>> bags = Bags.of(np.zeros(8, int), [np.array([1, 1, 1, 1, 2, 3, 4, 5])])
    >>> EntropyLDiversity(l=Fraction(4)).check(bags)
    Verdict(ok=True, achieved=Fraction(4, 1), worst=0)
    """

    key = "entropy_l_diversity"
    symbol = "entropy_l"
    title = "entropy l-diversity"
    paper = "Machanavajjhala et al. 2006"
    meaning = "every group is as uncertain as l equally frequent values: exp(entropy) is at least l"
    bound = "l"
    trivial = 1
    survives_merging = True  # entropy is concave

    l: Fraction = parameter("exp(entropy) of a group's values", places=4)  # noqa: E741

    def confidence(self, eliminated: int = 0) -> Fraction | None:
        return Fraction(1) if eliminated <= self.threshold() - 2 else None  # two values are left

    def per_group(self, bags: Bags) -> Ratios:
        return [(_floors(bag), np.full(bags.sizes.size, _UNIT)) for bag in bags.columns]


def _floors(bag: Bag) -> NDArray[np.int64]:
    """Floor of _UNIT * exp(entropy) of each group; 0 where counts are too large to decide it."""
    if not bag.multiplies:
        return np.zeros(bag.start.size - 1, np.int64)
    floors = bag.distinct() * _UNIT
    # groups of equally frequent values have exactly that many; the others are mostly irrational
    uneven = np.flatnonzero(bag.top() * bag.distinct() != bag.totals)
    if uneven.size == 0:
        return floors
    total = bag.totals[uneven].astype(float)
    mean_log = bag.fold(np.add, bag.counts * np.log(bag.counts))[uneven] / total
    guess = _UNIT * np.exp(np.log(total) - mean_log)
    # a sum of m rounded terms is off by at most m half units in the last place, relative to the sum
    slip = guess * (1e-13 + 2.3e-16 * (bag.distinct()[uneven] + 8) * np.log(total))
    known: dict[tuple[tuple[int, ...], int], bool] = {}

    def reaches(i: int, whole: int) -> bool:
        group = uneven[i]
        signature = tuple(sorted(bag.counts[bag.start[group] : bag.start[group + 1]].tolist()))
        if (signature, whole) not in known:
            known[signature, whole] = entropy_reaches(signature, whole, _UNIT)
        return known[signature, whole]

    floors[uneven] = exact_floor(guess, slip, reaches)
    return floors
