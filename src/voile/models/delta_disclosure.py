"""delta-disclosure privacy: no value is much more or much less frequent in a group than in the table."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from voile.core.bags import Bag, Bags
from voile.core.logarithms import exact_floor, log_ratio_reaches
from voile.core.parameters import parameter
from voile.core.privacy_model import PrivacyModel, Ratio, Ratios, undecided

_UNIT = 10**4


@dataclass(frozen=True, kw_only=True)
class DeltaDisclosure(PrivacyModel):
    """|ln(share in the group / share in the table)| < delta, for every value of the published table
    (Brickell and Shmatikov 2008).

    A value that a group lacks makes the figure infinite: its absence is a disclosure, too. The figure
    is rounded up to four places and a bound has four; the logarithm of a fraction is never such a
    number (except ln 1 = 0), so figure <= delta decides the definition's < exactly.

    >>> bags = Bags.of(np.array([0, 0, 0, 1, 1, 1]), [np.array([1, 1, 2, 1, 2, 2])])
    >>> DeltaDisclosure(delta=Fraction("0.4055")).check(bags)
    Verdict(ok=True, achieved=Fraction(811, 2000), worst=0)
    """

    key = "delta_disclosure"
    symbol = "delta"
    title = "delta-disclosure privacy"
    paper = "Brickell and Shmatikov 2008"
    meaning = "no value is more than e^delta times as frequent, or as rare, in a group as in the table"
    bound = "delta"
    sense = "<="

    delta: Fraction = parameter("largest |ln(share in group / share in table)|", places=4)

    def per_group(self, bags: Bags) -> Ratios:
        return [_ratio(bag) for bag in bags.columns]


def _ratio(bag: Bag) -> Ratio:
    if not bag.multiplies:
        return undecided(bag)
    complete = bag.distinct() == bag.whole.size
    mine = complete[bag.owner]
    here = (bag.counts * int(bag.whole.sum()))[mine]
    table = (bag.whole[bag.ranks] * bag.totals[bag.owner])[mine]
    more, less = np.maximum(here, table), np.minimum(here, table)
    guess = _UNIT * np.log(more / less)
    floors = exact_floor(guess, 1e-9, lambda i, whole: log_ratio_reaches(int(more[i]), int(less[i]), whole, _UNIT))
    ceilings = np.zeros(bag.counts.size, np.int64)
    ceilings[mine] = np.where(more == less, 0, floors + 1)
    return bag.fold(np.maximum, ceilings), np.where(complete, _UNIT, 0)
