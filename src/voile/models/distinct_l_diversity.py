"""Distinct l-diversity: at least l different sensitive values in each group."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from voile.core.bags import Bags
from voile.core.parameters import parameter
from voile.core.privacy_model import PrivacyModel, Ratios


@dataclass(frozen=True, kw_only=True)
class DistinctLDiversity(PrivacyModel):
    """Every group has at least l different values (Machanavajjhala et al. 2006).

    >>> bags = Bags.of(np.array([0, 0, 0]), [np.array([4, 4, 7])])
    >>> DistinctLDiversity(l=2).check(bags).ok
    True
    """

    key = "distinct_l_diversity"
    symbol = "distinct_l"
    title = "distinct l-diversity"
    paper = "Machanavajjhala et al. 2006"
    meaning = "every group has at least l different sensitive values, however unequal their shares"
    bound = "l"
    trivial = 1
    survives_merging = True

    l: int = parameter("different values per group", minimum=1)  # noqa: E741 the paper's name

    def confidence(self, eliminated: int = 0) -> Fraction | None:
        return Fraction(1) if eliminated <= self.threshold() - 2 else None  # two values are left

    def per_group(self, bags: Bags) -> Ratios:
        return [(bag.surely_distinct(), np.ones_like(bags.sizes)) for bag in bags.columns]
