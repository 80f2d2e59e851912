"""k-anonymity: nobody is found in a crowd smaller than k."""

from dataclasses import dataclass

import numpy as np

from voile.core.bags import Bags
from voile.core.parameters import parameter
from voile.core.privacy_model import PrivacyModel, Ratios


@dataclass(frozen=True, kw_only=True)
class KAnonymity(PrivacyModel):
    """Every group has at least k persons (Samarati and Sweeney 1998): rows, if nobody has several.

    >>> bags = Bags.of(np.array([0, 0, 1, 1, 1]), [])
    >>> KAnonymity(k=3).check(bags)
    Verdict(ok=False, achieved=Fraction(2, 1), worst=0)
    """

    key = "k_anonymity"
    symbol = "k"
    title = "k-anonymity"
    paper = "Samarati and Sweeney 1998"
    meaning = "every group has at least k persons; says nothing about the sensitive values inside"
    bound = "k"
    trivial = 1
    sizes_only = True
    survives_merging = True

    k: int = parameter("smallest group", minimum=1)

    def per_group(self, bags: Bags) -> Ratios:
        return [(bags.crowds.sizes, np.ones_like(bags.crowds.sizes))]
