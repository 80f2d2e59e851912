"""Marketer risk: which share of all rows would someone match correctly on average?"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from voile.core.bags import Bags
from voile.core.parameters import parameter
from voile.core.privacy_model import PrivacyModel, Ratios


@dataclass(frozen=True, kw_only=True)
class MarketerRisk(PrivacyModel):
    """Groups / persons: one right match per group is expected (El Emam and Dankar 2008; ARX).

    A figure of the table, not of a group: every group has the same.

    >>> MarketerRisk(risk=Fraction(2, 5)).check(Bags.of(np.array([0, 0, 1, 1, 1]), [])).achieved
    Fraction(2, 5)
    """

    key = "marketer_risk"
    symbol = "marketer"
    title = "marketer risk"
    paper = "El Emam and Dankar 2008; Prasser and Kohlmayer 2015"
    meaning = "the share of all rows that somebody with everyone's quasi-identifying values matches on average"
    bound = "risk"
    sizes_only = True
    sense = "<="
    trivial = 1

    risk: Fraction = parameter("largest share", places=0)

    def per_group(self, bags: Bags) -> Ratios:
        crowds = bags.crowds
        return [(np.full_like(crowds.sizes, crowds.number), np.full_like(crowds.sizes, crowds.persons))]
