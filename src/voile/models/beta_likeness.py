"""beta-likeness: no value gains much in a group over its share in the table."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.bags import Bag, Bags
from voile.core.logarithms import sign
from voile.core.parameters import parameter
from voile.core.privacy_model import PrivacyModel, Ratio, Ratios, undecided
from voile.kernels.bags import greatest_ratios


@dataclass(frozen=True, kw_only=True)
class BetaLikeness(PrivacyModel):
    """(q - p) / p <= beta for every value, p its share in the published table and q in a group
    (Cao and Karras 2012). Values that get rarer do not count.

    Enhanced: also (q - p) / p <= -ln p, so that frequent values gain little whatever beta is; a group
    that breaks this makes the figure infinite.

    >>> bags = Bags.of(np.array([0, 0, 0, 1, 1, 1]), [np.array([1, 1, 2, 1, 2, 2])])
    >>> BetaLikeness(beta=Fraction(1, 3)).check(bags)
    Verdict(ok=True, achieved=Fraction(1, 3), worst=0)
    """

    key = "beta_likeness"
    symbol = "beta"
    title = "beta-likeness"
    paper = "Cao and Karras 2012"
    meaning = "no value's share grows by more than beta times itself from the table to a group"
    bound = "beta"
    sense = "<="

    beta: Fraction = parameter("largest relative gain of a value", places=0)
    variant: str = parameter("enhanced: gains up to -ln p", default="enhanced", choices=("enhanced", "basic"))

    def per_group(self, bags: Bags) -> Ratios:
        return [self._ratio(bag) for bag in bags.columns]

    def _ratio(self, bag: Bag) -> Ratio:
        if not bag.multiplies:
            return undecided(bag)
        everything = int(bag.whole.sum())
        table = bag.whole[bag.ranks]
        best = greatest_ratios(bag.start, bag.counts, table)
        fair = table[best] * bag.totals
        gain = np.maximum(bag.counts[best] * everything - fair, 0)
        if self.variant == "basic":
            return gain, fair
        too_much = bag.fold(np.logical_or, _exceeds(bag, table, everything))
        return gain, np.where(too_much, 0, fair)


def _exceeds(bag: Bag, table: NDArray[np.int64], everything: int) -> NDArray[np.bool_]:
    """Whether (q - p) / p > -ln p, for each pair of group and value."""
    excess = (bag.counts * everything) / (table * bag.totals[bag.owner])
    excess -= (1 + np.log(everything / bag.whole))[bag.ranks]
    found = excess > 0
    near = np.flatnonzero(np.abs(excess) < 1e-9)
    if near.size:  # groups of one kind are many: each kind is decided once
        here, fair = bag.counts[near] * everything, table[near] * bag.totals[bag.owner[near]]
        kinds, which = np.unique([table[near], here, fair], axis=1, return_inverse=True)
        decided = [
            top > low and sign({everything: -low, part: low}, top - low) > 0 for part, top, low in kinds.T.tolist()
        ]
        found[near] = np.array(decided)[which.ravel()]
    return found
