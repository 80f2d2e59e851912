"""Axis: an ordered domain. Numbers, dates and ranks are whole steps on it, exactly.

A decimal is its value times 10**scale, a date its days since 1970, an ordinal its rank.
"""

import datetime
import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.parameters import exact_number
from voile.core.schema import Type

Codes = NDArray[np.int64]
_FIRST_DAY, _LAST_DAY = -719162, 2932896  # of the years 1 and 9999


@dataclass(frozen=True, repr=False)
class Axis:
    """Where the codes of an ordered column live.

    >>> Axis(Type.DECIMAL, 0, 250, scale=1).label(-25)
    '-2.5'
    >>> low, high = Axis(Type.INTEGER, 17, 90, grid=5).snap(np.array([23]), np.array([31]))
    >>> low.tolist(), high.tolist()
    ([20], [34])
    >>> low, high = Axis(Type.INTEGER, 17, 90, min_width=10).snap(np.array([23]), np.array([25]))
    >>> low.tolist(), high.tolist()
    ([20], [29])
    """

    type: Type
    low: int
    high: int
    scale: int = 0
    names: tuple[str, ...] = ()  # of an ordinal
    grid: int | None = None
    min_width: int | None = None

    def __repr__(self) -> str:
        return f"Axis({self.type})"

    def label(self, code: int) -> str:
        """A code as it is published."""
        if self.type == Type.ORDINAL:
            return self.names[code]
        if self.type == Type.DATE:
            return (datetime.date(1970, 1, 1) + datetime.timedelta(days=code)).isoformat()
        if self.scale == 0:
            return str(code)
        whole, part = divmod(abs(code), 10**self.scale)
        return f"{'-' if code < 0 else ''}{whole}.{part:0{self.scale}d}"

    def place(self, text: str) -> int:
        """The first code at or above a value written as text; ValueError if it is none.

        >>> Axis(Type.DECIMAL, 0, 250, scale=1).place("2.55"), Axis(Type.DATE, 0, 9).place("1970-01-03")
        (26, 2)
        """
        if self.type == Type.ORDINAL:
            return self.names.index(text)
        if self.type == Type.DATE:
            return (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days
        number = exact_number(text.removeprefix("-"))
        if number is None:
            raise ValueError
        steps: Fraction = (-number if text.startswith("-") else number) * 10**self.scale
        return math.ceil(steps)

    def snap(self, low: Codes, high: Codes) -> tuple[Codes, Codes]:
        """Widen intervals to the public grid and the minimum width.

        Ends fall on multiples of the grid (and just before the next one) or of the minimum width,
        never at a distance from a person's own value.
        """
        if self.min_width is not None:
            narrow = high - low + 1 < self.min_width
            low = np.where(narrow, low // self.min_width * self.min_width, low)
            high = np.where(narrow, np.maximum(high, low + self.min_width - 1), high)
        if self.grid is not None:
            low, high = low // self.grid * self.grid, (high // self.grid + 1) * self.grid - 1
        if self.type == Type.DATE:
            low, high = np.maximum(low, _FIRST_DAY), np.minimum(high, _LAST_DAY)
        return low, high
