"""(alpha,k)-anonymity: groups of at least k persons, no value too frequent in any."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from voile.core.bags import Bags
from voile.core.parameters import parameter
from voile.core.privacy_model import PrivacyModel, Ratios


@dataclass(frozen=True, kw_only=True)
class AlphaKAnonymity(PrivacyModel):
    """Every group has >= k persons, and every value a share of <= alpha (Wong et al. 2006).

    The paper protects one value; here every value counts. The figure is the largest share; a group
    of fewer than k persons makes it infinite, so the promise holds exactly if figure <= alpha.

    >>> bags = Bags.of(np.array([0, 0, 0, 0]), [np.array([1, 1, 2, 3])])
    >>> AlphaKAnonymity(alpha=Fraction(1, 2), k=4).check(bags).ok
    True
    >>> AlphaKAnonymity(alpha=Fraction(1, 2), k=5).check(bags)
    Verdict(ok=False, achieved=inf, worst=0)
    """

    key = "alpha_k_anonymity"
    symbol = "alpha"
    title = "(alpha,k)-anonymity"
    paper = "Wong et al. 2006"
    meaning = "every group has at least k persons, and no value a larger share than alpha"
    bound = "alpha"
    sense = "<="
    trivial = 1
    survives_merging = True

    alpha: Fraction = parameter("largest share of a value in a group", places=0)
    k: int = parameter("smallest group", default=1, minimum=1)

    def says_nothing(self) -> bool:
        return self.k == 1 and super().says_nothing()

    def confidence(self, eliminated: int = 0) -> Fraction | None:
        return self.alpha if eliminated == 0 and self.alpha < 1 else None

    def per_group(self, bags: Bags) -> Ratios:
        large = bags.persons >= self.k if bags.alike is None else (bags.alike.sizes >= self.k).all()
        crowd = np.where(large, bags.sizes, 0)
        return [(bag.top(), crowd * bag.unit) for bag in bags.columns]
