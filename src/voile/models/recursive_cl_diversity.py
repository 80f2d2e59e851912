"""Recursive (c,l)-diversity: the most frequent value is not too far ahead of the rare ones."""

from dataclasses import dataclass
from fractions import Fraction

from voile.core.bags import Bag, Bags
from voile.core.parameters import parameter
from voile.core.privacy_model import PrivacyModel, Ratio, Ratios, undecided


@dataclass(frozen=True, kw_only=True)
class RecursiveCLDiversity(PrivacyModel):
    """r1 < c (rl + ... + rm) in every group, r1 >= r2 >= ... its counts (Machanavajjhala et al. 2006).

    The figure is r1 / (rl + ... + rm), infinite for a group of fewer than l values; the promise is
    strict, so a figure equal to c breaks it.

    >>> import numpy as np
    >>> bags = Bags.of(np.zeros(5, int), [np.array([1, 1, 1, 2, 3])])
    >>> RecursiveCLDiversity(c=Fraction(2), l=2).check(bags)
    Verdict(ok=True, achieved=Fraction(3, 2), worst=0)
    """

    key = "recursive_cl_diversity"
    symbol = "c"
    title = "recursive (c,l)-diversity"
    paper = "Machanavajjhala et al. 2006"
    meaning = "the most frequent value counts less than c times all from the l-th most frequent on"
    bound = "c"
    sense = "<"
    survives_merging = True  # sums of the largest counts are convex, so tails only gain

    c: Fraction = parameter("how far ahead the most frequent value stays below", places=0)
    l: int = parameter("where the rare values begin", default=2, minimum=1)  # noqa: E741

    def confidence(self, eliminated: int = 0) -> Fraction | None:
        return self.c / (self.c + 1) if eliminated <= self.l - 2 else None

    def per_group(self, bags: Bags) -> Ratios:
        return [self._ratio(bag) for bag in bags.columns]

    def _ratio(self, bag: Bag) -> Ratio:
        if not bag.exact:  # the tail of rounded counts would be too large
            return undecided(bag)
        return bag.top(), bag.totals - bag.largest(self.l - 1)
