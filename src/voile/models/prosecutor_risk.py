"""Prosecutor risk: how sure is someone to pick the right row of a person known to be in the table?"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from voile.core.bags import Bags
from voile.core.parameters import parameter
from voile.core.privacy_model import PrivacyModel, Ratios


@dataclass(frozen=True, kw_only=True)
class ProsecutorRisk(PrivacyModel):
    """1 / persons of the smallest group (El Emam and Dankar 2008; ARX).

    >>> ProsecutorRisk(risk=Fraction(1, 5)).check(Bags.of(np.array([0, 0, 1, 1, 1]), []))
    Verdict(ok=False, achieved=Fraction(1, 2), worst=0)
    """

    key = "prosecutor_risk"
    symbol = "prosecutor"
    title = "prosecutor risk"
    paper = "El Emam and Dankar 2008; Prasser and Kohlmayer 2015"
    meaning = "the chance to pick the row of somebody known to be in the table"
    bound = "risk"
    sizes_only = True
    sense = "<="
    trivial = 1
    survives_merging = True

    risk: Fraction = parameter("largest chance", places=0)

    def per_group(self, bags: Bags) -> Ratios:
        return [(np.ones_like(bags.crowds.sizes), bags.crowds.sizes)]
