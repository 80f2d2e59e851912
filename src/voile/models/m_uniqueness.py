"""m-uniqueness: at least m rows in every group, all with different values (Xiao and Tao 2007, Definition 17)."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from voile.core.bags import Bags
from voile.core.parameters import parameter
from voile.core.privacy_model import PrivacyModel, Ratios


@dataclass(frozen=True, kw_only=True)
class MUniqueness(PrivacyModel):
    """What one release of an m-invariant series shows by itself; that signatures persist, only the series does.

    >>> MUniqueness(m=2).check(Bags.of(np.array([0, 0]), [np.array([1, 2])]))
    Verdict(ok=True, achieved=Fraction(2, 1), worst=0)
    """

    key = "m_uniqueness"
    symbol = "m"
    title = "m-uniqueness"
    paper = "Xiao and Tao 2007"
    meaning = (
        "every group has at least m rows, no sensitive value twice; over a series, with the ledger, m-invariance"
    )
    bound = "m"

    m: int = parameter("rows per group, all values different", minimum=1)

    def confidence(self, eliminated: int = 0) -> Fraction | None:
        left = self.threshold() - eliminated  # each value that is ruled out has at most 1/l, too
        return 1 / left if left > 1 else None

    def per_group(self, bags: Bags) -> Ratios:
        return [(sizes, np.ones_like(sizes)) for sizes in bags.sizes_if_all_differ()]
