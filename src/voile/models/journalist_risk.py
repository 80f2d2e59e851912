"""Journalist risk: how sure is someone who does not know whether a person is in the table?"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from voile.core.bags import Bags
from voile.core.parameters import parameter
from voile.core.privacy_model import PrivacyModel, Ratios


@dataclass(frozen=True, kw_only=True)
class JournalistRisk(PrivacyModel):
    """1 / persons of the population in the smallest group that is published (El Emam and Dankar 2008).

    Voile sees no population beyond the release, so the release stands for it: a larger population
    has at least as many persons in every group, so the figure is an upper bound. It then equals the
    prosecutor risk.

    >>> JournalistRisk(risk=Fraction(1, 2)).check(Bags.of(np.array([0, 0, 1, 1, 1]), []))
    Verdict(ok=True, achieved=Fraction(1, 2), worst=0)
    """

    key = "journalist_risk"
    symbol = "journalist"
    title = "journalist risk"
    paper = "El Emam and Dankar 2008; Prasser and Kohlmayer 2015"
    meaning = "at most the chance to find anybody of the population; the release stands for the population"
    bound = "risk"
    sizes_only = True
    sense = "<="
    trivial = 1

    risk: Fraction = parameter("largest chance", places=0)

    def per_group(self, bags: Bags) -> Ratios:
        return [(np.ones_like(bags.crowds.sizes), bags.crowds.sizes)]
