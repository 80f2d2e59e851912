"""beta-likeness: no value gains much in a group over its share in the table."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.bags import Bag, Bags
from voile.core.logarithms import sign
from voile.core.parameters import parameter
from voile.core.privacy_model import PrivacyModel, Ratio, Ratios


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
    paper = "Cao, Karras 2012"
    meaning = "no value's share grows by more than beta times itself from the table to a group"
    bound = "beta"
    sense = "<="

    beta: Fraction = parameter("largest relative gain of a value", places=0)
    variant: str = parameter("enhanced: gains up to -ln p", default="enhanced", choices=("enhanced", "basic"))

    def per_group(self, bags: Bags) -> Ratios:
        return [self._ratio(bag) for bag in bags.columns]

    def _ratio(self, bag: Bag) -> Ratio:
        everything = int(bag.whole.sum())
        table = bag.whole[bag.ranks]
        here = bag.counts * everything
        fair = table * bag.totals[bag.owner]
        # The largest c / C of a group. Quotients of integers whose cross products stay below 2**53
        # round to the same float only if they are equal, so the float maximum is the exact one.
        lift = bag.counts / table
        best = np.flatnonzero(lift == bag.fold(np.maximum, lift)[bag.owner])
        best = best[np.searchsorted(bag.owner[best], np.arange(bag.totals.size))]
        gain, base = np.maximum(here - fair, 0), fair
        if self.variant == "basic":
            return gain[best], base[best]
        too_much = bag.fold(np.logical_or, _exceeds(bag, gain, base))
        return gain[best], np.where(too_much, 0, base[best])


def _exceeds(bag: Bag, gain: NDArray[np.int64], base: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether gain / base > ln(N / C), for each pair of group and value."""
    everything = int(bag.whole.sum())
    excess = gain / base - np.log(everything / bag.whole)[bag.ranks]
    found = (excess > 0) & (gain > 0)
    near = np.flatnonzero((np.abs(excess) < 1e-9) & (gain > 0))
    if near.size:  # groups of one kind are many: each kind is decided once
        kinds, which = np.unique([bag.whole[bag.ranks[near]], gain[near], base[near]], axis=1, return_inverse=True)
        decided = [sign({everything: -low, part: low}, top) > 0 for part, top, low in kinds.T.tolist()]
        found[near] = np.array(decided)[which.ravel()]
    return found
