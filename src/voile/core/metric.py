"""Metric: a number about what a release keeps of the data."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from voile.core.boxes import Boxes
from voile.core.parameters import Parameterised


@dataclass(frozen=True, kw_only=True)
class Metric(Parameterised, ABC):
    """Its class is its card: name, direction, range, and one method.

    A private metric depends on who has what: it is measured only when asked for, shown to the
    steward, and never published (docs/architecture.md).
    """

    title: ClassVar[str]
    paper: ClassVar[str]
    best: ClassVar[str]  # "low" or "high"
    range: ClassVar[str]
    meaning: ClassVar[str]
    private: ClassVar[bool] = False
    said_by: ClassVar[str] = "{key}[{name}=...]"

    @classmethod
    def in_every_certificate(cls) -> bool:
        """Whether it may be published and asks nothing of the steward: no parameter lacks a default."""
        return not cls.private and all(card.default is not None for card in cls.parameters())

    @abstractmethod
    def measure(self, boxes: Boxes) -> Fraction | float:
        """The value, exact unless logarithms are in it; 0 for a table without rows."""
