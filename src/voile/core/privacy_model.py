"""PrivacyModel: a promise about the bags of a grouping."""

import math
import operator
from abc import ABC, abstractmethod
from dataclasses import fields
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from voile.core.bags import Bag, Bags, Crowds
from voile.core.parameters import Parameterised
from voile.core.verdict import Verdict

# Numerators and denominators, per group; denominator 0 is infinite. Python's integers (dtype object)
# where 64 bits would not hold them.
Ratio = tuple[NDArray[Any], NDArray[Any]]
Ratios = list[Ratio]
# The reader of every promise about values: whoever says how surely one can be guessed names this reader with it.
READER = "someone who does not know which values go with which quasi-identifiers"
_KEPT = {">=": operator.ge, "<=": operator.le, "<": operator.lt}


class PrivacyModel(Parameterised, ABC):
    """A promise: in every group, for every sensitive column, a figure keeps a bound.

    A subclass says what each group achieves, as exact numerators over denominators; the release
    achieves the worst of them. One parameter is the bound, others say how the figure is counted.
    """

    key: ClassVar[str]  # name in the catalog
    symbol: ClassVar[str]  # name in `--require`
    title: ClassVar[str]
    paper: ClassVar[str]
    meaning: ClassVar[str]  # one sentence for the steward
    bound: ClassVar[str]  # the parameter that bounds the figure
    sense: ClassVar[str] = ">="  # figure >= bound, <= bound or < bound
    trivial: ClassVar[int | None] = None  # the bound that every group there can be keeps
    survives_merging: ClassVar[bool] = False  # whether two groups that keep it always keep it together
    sizes_only: ClassVar[bool] = False  # whether it looks at group sizes alone, never at sensitive values

    @abstractmethod
    def per_group(self, bags: Bags) -> Ratios:
        """For each sensitive column (or once): numerator and denominator of what a group achieves."""

    @classmethod
    def achieved(cls, bags: Bags, **others: object) -> tuple[Fraction | float | None, int | None]:
        """The best bound that holds (or that is just not met, for <), and the group that limits it."""
        unbound: Any = cls
        return unbound(**{cls.bound: None, **others})._worst(bags)  # type: ignore[no-any-return]

    def _worst(self, bags: Bags) -> tuple[Fraction | float | None, int | None]:
        upper = self.sense != ">="
        worst: Fraction | float | None = None
        where: int | None = None
        for numerator, denominator in self.per_group(bags):
            if numerator.size == 0:
                continue
            group = extreme_ratio(numerator, denominator, upper)
            bottom = int(denominator[group])
            value = Fraction(int(numerator[group]), bottom) if bottom else math.inf
            if worst is None or (value > worst if upper else value < worst):
                worst, where = value, group
        return worst, where

    def check(self, bags: Bags) -> Verdict:
        """Whether the promise holds, exactly."""
        achieved, worst = self._worst(bags)
        return Verdict(self.kept_by(achieved), achieved, worst)

    def kept_by(self, achieved: Fraction | float | None) -> bool:
        """Whether a figure keeps the bound; where nothing is published, every bound is kept."""
        return achieved is None or bool(_KEPT[self.sense](achieved, self.threshold()))

    def failing(self, bags: Bags) -> tuple[int, int]:
        """How many groups do not keep the bound, and how many rows are in them; of what looks at sizes alone, how
        many sets of persons, where that is another matter."""
        broken, apart = self.broken(bags), self._apart(bags)
        if apart is not None:
            return int(apart.times[broken].sum()), int((apart.sizes * apart.times)[broken].sum())
        return int(broken.sum()), int(bags.rows[broken].sum())

    def _apart(self, bags: Bags) -> Crowds | None:
        """What is judged instead of groups."""
        return bags.alike if self.sizes_only else None

    def broken(self, bags: Bags) -> NDArray[np.bool_]:
        """Which groups do not keep the bound."""
        apart = self._apart(bags)
        broken = np.zeros(bags.sizes.size if apart is None else apart.sizes.size, bool)
        bound = self.threshold()
        for numerator, denominator in self.per_group(bags):
            biggest = int(max(numerator.max(initial=0), denominator.max(initial=0)))
            if biggest * max(bound.numerator, bound.denominator) >= 2**63:
                numerator, denominator = numerator.astype(object), denominator.astype(object)
            kept = _KEPT[self.sense](numerator * bound.denominator, denominator * bound.numerator)
            broken |= ~kept.astype(bool) | (denominator == 0).astype(bool)
        return broken

    def threshold(self) -> Fraction:
        """The value of the bound."""
        return Fraction(getattr(self, self.bound))

    def says_nothing(self) -> bool:
        """Whether every group there can be keeps the bound: then it is no promise."""
        return self.trivial is not None and bool(_KEPT[self.sense](self.trivial, self.threshold()))

    def confidence(self, eliminated: int = 0) -> Fraction | None:
        """The greatest confidence in anybody's value that the promise leaves to who has ruled out so many other
        values: 1 stands for less than certain, None for a promise that says nothing about it."""
        return None

    def details(self, bags: Bags) -> dict[str, Any]:
        """More that a certificate says of a promise that was kept; figures of the bags alone."""
        return {}

    def settings(self) -> dict[str, int | str]:
        """All parameters for a JSON document: whole numbers as such, fractions as "1/5"."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        whole = {name: int(v) for name, v in values.items() if isinstance(v, int | Fraction) and v == int(v)}
        return {name: whole.get(name, str(v)) for name, v in values.items()}


def undecided(bag: Bag) -> Ratio:
    """The figure of an upper bound where generalised values have too many parts to decide it exactly: infinite, so
    that nothing is promised."""
    return np.ones(bag.start.size - 1, np.int64), np.zeros(bag.start.size - 1, np.int64)


def extreme_ratio(numerator: NDArray[Any], denominator: NDArray[Any], greatest: bool) -> int:
    """Index of the greatest (or least) fraction. Floats choose candidates, integers decide.

    >>> extreme_ratio(np.array([1, 2, 7]), np.array([3, 5, 0]), False)
    0
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        guess = np.where(denominator == 0, np.inf, numerator.astype(float) / denominator.astype(float))
    if greatest:
        if np.isinf(guess).any():
            return int(np.argmax(guess))
        near = np.flatnonzero(guess >= guess.max() * (1 - 1e-9))
    else:
        near = np.flatnonzero(guess <= guess.min() * (1 + 1e-9))
    top, bottom = numerator[near], denominator[near]
    if int(top.max()) * int(bottom.max()) >= 2**63:
        top, bottom = top.astype(object), bottom.astype(object)
    best = 0
    while True:
        left, right = top * bottom[best], top[best] * bottom
        better = np.flatnonzero(left > right if greatest else left < right)
        if better.size == 0:
            return int(near[best])
        best = int(better[0])
