"""Frequency l-diversity: no value holds more than 1/l of a group."""

from dataclasses import dataclass
from fractions import Fraction

from voile.core.bags import Bags
from voile.core.parameters import parameter
from voile.core.privacy_model import READER, PrivacyModel, Ratios


@dataclass(frozen=True, kw_only=True)
class FrequencyLDiversity(PrivacyModel):
    """The most frequent value of every group has a share of at most 1/l (Xiao and Tao 2006).

    >>> import numpy as np
    >>> bags = Bags.of(np.array([0, 0, 0, 0, 0]), [np.array([1, 1, 2, 3, 4])])
    >>> FrequencyLDiversity(l=3).check(bags)
    Verdict(ok=False, achieved=Fraction(5, 2), worst=0)
    """

    key = "frequency_l_diversity"
    symbol = "l"
    title = "frequency l-diversity"
    paper = "Xiao and Tao 2006; Liu and Wang 2012"
    meaning = f"nobody's value can be guessed from the release with more than 1/l confidence by {READER}"
    bound = "l"
    trivial = 1
    survives_merging = True

    l: int = parameter("1/l is the largest share of a value", minimum=1)  # noqa: E741

    def confidence(self, eliminated: int = 0) -> Fraction | None:
        left = self.threshold() - eliminated  # each value that is ruled out has at most 1/l, too
        return 1 / left if left > 1 else None

    def per_group(self, bags: Bags) -> Ratios:
        return [(bags.sizes * bag.unit, bag.top()) for bag in bags.columns]
