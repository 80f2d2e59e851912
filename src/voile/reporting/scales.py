"""From numbers to places in a picture: where an axis begins and ends, and what stands beside it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Tick = tuple[float, str]  # a number, and how it is written
_LARGEST = 1e300
_MONTHS = (  # of no locale
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


@dataclass(frozen=True)
class Scale:
    """Numbers from `low` to `high` onto a line from `start` to `end`.

    >>> Scale(0, 10, 100, 200)(2.5), Scale(1, 100, 0, 200, log=True)(10)
    (125.0, 100.0)
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Where a number is."""
        low, high, at = (math.log(v) if self.log else v for v in (self.low, self.high, value))
        return self.start + (self.end - self.start) * ((at - low) / (high - low) if high > low else 0.5)


def drawable(value: float) -> float:
    """A number that a picture can have; any other is drawn as nothing.

    >>> drawable(2), drawable(float("nan")), drawable(10**400)
    (2, 0.0, 0.0)
    """
    return value if -_LARGEST < value < _LARGEST else 0.0


def step_of(span: float, count: int) -> float:
    """1, 2 or 5 times a power of ten, so that about `count` steps make a span.

    >>> step_of(100, 4), step_of(7, 4), step_of(0.3, 4)
    (20.0, 2.0, 0.1)
    """
    rough = span / count if span > 0 else 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    near = [
        factor for factor, from_here in ((10, 50), (5, 10), (2, 2), (1, 0)) if (rough / power) ** 2 >= from_here
    ]
    return near[0] * power


def ticks(low: float, high: float, count: int, written: Callable[[float], str]) -> list[Tick]:
    """Round numbers from `low` to `high`.

    >>> ticks(0, 2600, 4, short)
    [(0.0, '0'), (500.0, '500'), (1000.0, '1k'), (1500.0, '1.5k'), (2000.0, '2k'), (2500.0, '2.5k')]
    """
    step = step_of(high - low, count)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [(i * step, written(i * step)) for i in range(first, min(last, first + 4 * count) + 1)]


def top_of(values: Sequence[float]) -> float:
    """Where an axis from 0 ends: a little above the largest value.

    >>> top_of([3, 4870]), top_of([])
    (5000.0, 1.0)
    """
    largest = max((drawable(value) for value in values), default=0.0)
    if largest <= 0:
        return 1.0
    step = step_of(largest, 10)
    return math.ceil(largest / step - 1e-9) * step


def short(value: float) -> str:
    """In thousands, millions, ... where it is long.

    >>> short(1500), short(0.5), short(2_000_000), short(0)
    ('1.5k', '0.5', '2M', '0')
    """
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.6g}{letter}"
    return f"{value:.6g}"


def plain(value: float) -> str:
    """As it is; a year has no comma.

    >>> plain(2016.0), plain(12500.0), plain(0.25)
    ('2016', '12,500', '0.25')
    """
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.6g}"


def percent(value: float) -> str:
    """A share of one, as a percentage.

    >>> percent(0.125)
    '12.5%'
    """
    return f"{100 * value:.6g}%"


def log_ticks(low: float, high: float, written: Callable[[float], str]) -> list[Tick]:
    """1 to 9 times the powers of ten; where there are many, 1, 2 and 5 have labels.

    >>> [label for _, label in log_ticks(0.05, 0.2, percent)]
    ['5%', '', '', '', '', '10%', '20%']
    """
    powers = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
    values = [(digit, digit * 10.0**power) for power in powers for digit in range(1, 10)]
    within = [(digit, v) for digit, v in values if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]
    return [(v, written(v) if digit in (1, 2, 5) or high < 3 * low else "") for digit, v in within]


def day_ticks(low: float, high: float, count: int) -> list[Tick]:
    """Days since 1970 where a year, a month or a day begins; if no year begins, the first says which it is.

    >>> [label for _, label in day_ticks(16801, 17167, 5)]
    ['2016', 'April', 'July', 'October', '2017']
    >>> [label for _, label in day_ticks(16861, 16953, 5)]
    ['March 2016', 'April', 'May', 'June']
    """
    span = (high - low) / count
    if span < 15:
        step = next(step for step in (1, 2, 7, 14) if step >= min(span, 14))
        days = np.arange(math.ceil(low / step) * step, math.floor(high) + 1, step)
    else:
        days = _month_starts(low, high, span)
    return _ticks_of([int(day) for day in days if low <= day <= high])


def _month_starts(low: float, high: float, span: float) -> NDArray[np.int64]:
    """The first days of months, quarters, halves or round numbers of years, about `span` days apart."""
    first, last = (_month(np.datetime64(int(end), "D")) for end in (low, high))
    step = next((months for months in (1, 3, 6) if months * 45 >= span), 0)
    if step:
        starts = np.arange(first // step * step, last + 1, step)
    else:
        years = max(1, round(step_of(span / 365.25, 1)))
        starts = (np.arange((1970 + first // 12) // years * years, 1971 + last // 12, years) - 1970) * 12
    return starts.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)


def _month(date: Any) -> int:
    """Months since 1970."""
    return int(date.astype("datetime64[M]").astype(int))


def _ticks_of(days: list[int]) -> list[Tick]:
    parts = [_year_month_day(np.datetime64(day, "D")) for day in days]
    labels = [_label(*part) for part in parts]
    if parts and all((month, day) != (1, 1) for _, month, day in parts):
        labels[0] += f" {parts[0][0]}"
    return list(zip(days, labels, strict=True))


def _year_month_day(date: Any) -> tuple[int, int, int]:
    months = _month(date)
    return 1970 + months // 12, months % 12 + 1, int((date - date.astype("datetime64[M]")).astype(int)) + 1


def _label(year: int, month: int, day: int) -> str:
    if day > 1:
        return f"{_MONTHS[month - 1][:3]} {day}"
    return str(year) if month == 1 else _MONTHS[month - 1]


def width_of(text: str) -> float:
    """About how many pixels a text takes at 12 pixels: fonts differ, so rather a few more.

    >>> 30 < width_of("north") < 45, width_of("") == 0
    (True, True)
    """
    return 12 * sum(map(_width, text))


def _width(sign: str) -> float:
    if sign in "ijlI.,:;'|!()[]{} ftr-":
        return 0.39
    if sign in "mwMW@%":
        return 0.95
    if ord(sign) >= 0x1100:  # scripts of the far east, and pictures
        return 1.05
    return 0.72 if sign.isupper() else 0.63


def cut(text: str, pixels: float) -> str:
    """A text that is not wider than that.

    >>> cut("short", 100), cut("x" * 100, 40)
    ('short', 'xxx…')
    """
    if width_of(text) <= pixels:
        return text
    taken, used = 0, width_of("…")
    while used + width_of(text[taken]) <= pixels:
        used += width_of(text[taken])
        taken += 1
    return text[:taken] + "…"


def apart(places: Sequence[tuple[float, float]]) -> list[bool]:
    """Which of several labels, each from one place to another, can stand without touching another.

    >>> apart([(0, 10), (8, 12), (15, 20)])
    [True, False, True]
    """
    kept: list[bool] = []
    free = -math.inf
    for low, high in places:
        kept.append(low >= free)
        free = high + 4 if kept[-1] else free
    return kept
