"""PrivacyModel: a promise about the bags of a grouping."""

from abc import ABC, abstractmethod
from dataclasses import fields
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from voile.core.bags import Bags
from voile.core.parameters import Parameterised
from voile.core.verdict import Verdict

Ratios = list[tuple[NDArray[np.int64], NDArray[np.int64]]]  # numerators and denominators, per group


class PrivacyModel(Parameterised, ABC):
    """A promise with one parameter that grows with protection: k, l, m.

    A subclass says what each group achieves, as exact numerators over denominators; the release
    achieves the least of them, over all groups and sensitive columns.
    """

    key: ClassVar[str]  # name in the catalog
    symbol: ClassVar[str]  # name in `--require`
    title: ClassVar[str]
    paper: ClassVar[str]
    meaning: ClassVar[str]  # one sentence for the steward

    @classmethod
    @abstractmethod
    def per_group(cls, bags: Bags) -> Ratios:
        """For each sensitive column (or once): numerator and denominator of what a group achieves."""

    @classmethod
    def achieved(cls, bags: Bags) -> tuple[Fraction | None, int | None]:
        """The largest parameter for which the promise holds, and the group that limits it."""
        least: Fraction | None = None
        worst: int | None = None
        for numerator, denominator in cls.per_group(bags):
            if numerator.size == 0:
                continue
            group = _least_ratio(numerator, denominator)
            value = Fraction(int(numerator[group]), int(denominator[group]))
            if least is None or value < least:
                least, worst = value, group
        return least, worst

    @classmethod
    def below(cls, bags: Bags, bound: Fraction) -> tuple[int, int]:
        """How many groups, and rows in them, achieve less than a bound."""
        low = np.zeros(bags.sizes.size, bool)
        for numerator, denominator in cls.per_group(bags):
            low |= numerator * bound.denominator < denominator * bound.numerator
        return int(low.sum()), int(bags.sizes[low].sum())

    def check(self, bags: Bags) -> Verdict:
        """Whether the promise holds, exactly."""
        achieved, worst = self.achieved(bags)
        return Verdict(achieved is None or achieved >= self.threshold(), achieved, worst)

    def threshold(self) -> int:
        """The value of the model's parameter."""
        (only,) = fields(self)  # type: ignore[arg-type]
        return int(getattr(self, only.name))


def _least_ratio(numerator: NDArray[np.int64], denominator: NDArray[np.int64]) -> int:
    """Index of the least fraction, by cross-multiplication: no float decides."""
    least = 0
    while True:
        smaller = numerator * denominator[least] < numerator[least] * denominator
        if not smaller.any():
            return least
        least = int(np.flatnonzero(smaller)[np.argmin(numerator[smaller] / denominator[smaller])])
