"""(tau,l)-diversity: the k most frequent values together stay below a line from tau to 1."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voile.core.bags import Bag, Bags
from voile.core.excessive_protection import excessive_protection
from voile.core.order import distinct_values
from voile.core.parameters import parameter
from voile.core.privacy_model import PrivacyModel, Ratio, Ratios

Counts = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class TauLDiversity(PrivacyModel):
    """F(k) <= psi(k) in every group, F(k) the share of its k most frequent values and
    psi(k) = tau + (1 - tau)(k - 1)/(l - 1) for k up to l, 1 beyond (Tian and Zhang 2009, Definition 4).

    The figure is the least tau that would hold: the greatest (F(k)(l - 1) - (k - 1)) / (l - k) for k below l,
    where alone the line can be crossed (docs/facts/sweep.md B2.5). Generalised values count by what they induce.

    >>> bags = Bags.of(np.zeros(4, int), [np.array([1, 1, 2, 3])])
    >>> TauLDiversity(tau=Fraction(1, 2), l=3).check(bags)
    Verdict(ok=True, achieved=Fraction(1, 2), worst=0)
    >>> TauLDiversity(tau=Fraction(1, 2), l=4).check(bags)
    Verdict(ok=False, achieved=Fraction(1, 1), worst=0)
    """

    key = "tau_l_diversity"
    symbol = "tau"
    title = "(tau,l)-diversity"
    paper = "Tian and Zhang 2009"
    meaning = "no value is more frequent in a group than tau, and the k most frequent stay below a line to 1 at l"
    bound = "tau"
    sense = "<="
    trivial = 1
    survives_merging = True  # sums of the k largest are convex (docs/facts/sweep.md B2.11)

    tau: Fraction = parameter("largest share of a value in a group", places=0)
    l: int = parameter("values that share a group at least", default=2, minimum=2)  # noqa: E741 the paper's name

    def confidence(self, eliminated: int = 0) -> Fraction | None:
        if eliminated + 1 >= self.l:
            return None
        rest = (1 - self.tau) * Fraction(self.l - 1 - eliminated, self.l - 1)  # above the line at eliminated + 1
        return self.tau / (self.tau + rest) if rest > 0 else None

    def per_group(self, bags: Bags) -> Ratios:
        return [self._ratio(bag, bags.sizes * bag.unit) for bag in bags.columns]

    def details(self, bags: Bags) -> dict[str, Any]:
        """How far groups stay below the line (Definition 8; docs/facts/sweep.md B2.12)."""
        found = [
            excessive_protection(bag, bags.sizes, self.tau, self.l, distinct_values(bag.codes)[0].size)
            for bag in bags.columns
        ]
        every = np.concatenate(found)
        figures = {"min": every.min(), "mean": every.mean(), "max": every.max()} if every.size else {}
        return {"excessive_protection": {name: round(float(value), 6) for name, value in figures.items()}}

    def _ratio(self, bag: Bag, sizes: Counts) -> Ratio:
        top, bottom = bag.top(), sizes
        for k in range(2, min(self.l, int(bag.distinct().max(initial=0)) + 1)):
            here = bag.largest(k) * (self.l - 1) - (k - 1) * sizes
            there = (self.l - k) * sizes
            larger = _exceeds(here, there, top, bottom)
            top, bottom = np.where(larger, here, top), np.where(larger, there, bottom)
        return top, bottom


def _exceeds(top: Counts, bottom: Counts, other: Counts, below: Counts) -> NDArray[np.bool_]:
    """Whether top / bottom > other / below, exactly."""
    biggest = max(int(np.abs(part).max(initial=0)) for part in (top, bottom, other, below))
    if biggest >= 2**31:
        top, other = top.astype(object), other.astype(object)
    return np.asarray(top * below > other * bottom, bool)
