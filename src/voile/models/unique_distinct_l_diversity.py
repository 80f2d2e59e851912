"""Unique distinct l-diversity: at least l rows, no sensitive value twice."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from voile.core.bags import Bags
from voile.core.parameters import parameter
from voile.core.privacy_model import PrivacyModel, Ratios


@dataclass(frozen=True, kw_only=True)
class UniqueDistinctLDiversity(PrivacyModel):
    """Every group has >= l rows and pairwise different values (Ye et al. 2008, as corrected).

    The paper's Definition 2 says "exactly l distinct values", which admits {a, a, a, b, c} and
    fails after incorporation; docs/facts/bsgi.md A4.1 has the predicate that is meant. A group with a
    repeated value achieves 0.

    >>> bags = Bags.of(np.array([0, 0, 1, 1]), [np.array([1, 2, 3, 3])])
    >>> UniqueDistinctLDiversity(l=2).check(bags)
    Verdict(ok=False, achieved=Fraction(0, 1), worst=1)
    """

    key = "unique_distinct_l_diversity"
    symbol = "unique_l"
    title = "unique distinct l-diversity"
    paper = "Ye et al. 2008, corrected"
    meaning = "every group has at least l rows and no sensitive value twice, so every share is at most 1/l"
    bound = "l"

    l: int = parameter("rows per group, all values different", minimum=1)  # noqa: E741

    def confidence(self, eliminated: int = 0) -> Fraction | None:
        left = self.threshold() - eliminated  # each value that is ruled out has at most 1/l, too
        return 1 / left if left > 1 else None

    def per_group(self, bags: Bags) -> Ratios:
        return [(sizes, np.ones_like(sizes)) for sizes in bags.sizes_if_all_differ()]
