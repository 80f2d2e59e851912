"""Metric: a number about what a release keeps of the data."""

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import ClassVar

from voile.core.boxes import Boxes


class Metric(ABC):
    """Its class is its card: name, direction, range, and one method."""

    key: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    best: ClassVar[str]  # "low" or "high"
    range: ClassVar[str]
    meaning: ClassVar[str]

    @abstractmethod
    def measure(self, boxes: Boxes) -> Fraction | float:
        """The value, exact unless logarithms are in it; 0 for a table without rows."""
