"""Charts for reports: plain numbers in, inline SVG out.

A chart is drawn for a light page; on the page its colours become variables of the style, so that
light, dark and print each have their own. What every report has is drawn by ourselves (`plots`), the rest from
Vega-Lite, whose converter takes a third of a CPU second to start. Its fields have fixed names: what users call
their columns is only ever text.
"""

import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from voile.errors import OutputError
from voile.output.drawing import INSTALL, svg_of
from voile.reporting.markup import Markup, element, escaped
from voile.reporting.palette import COLOURS, GRID, INK, MUTED, VARIABLES
from voile.reporting.plots import Bars, Histogram, Lines, Place

SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-left",
    "triangle-right",
)
NARROW, WIDE = 340, 680  # a chart that a phone shows as it is, and one that takes the page
_CONFIG = {
    "aria": False,  # the whole is one image with a name; its numbers are in the table beside it
    "background": None,
    "font": "sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": MUTED,
        "titleColor": MUTED,
        "titleFontWeight": "normal",
        "titleFontSize": 12,
        "labelFontSize": 12,
        "labelLimit": 130,
        "domainColor": MUTED,
        "tickColor": MUTED,
        "gridColor": GRID,
    },
    "legend": {"labelColor": INK, "labelFontSize": 12, "labelLimit": 200, "titleColor": MUTED, "orient": "top"},
    "header": {"labelColor": INK},
}
Cell = str | int | float
_LONGEST_LABEL = 100  # of a bar
_LONGEST_NAME = 250  # of a chart, as a screen reader says it


class Picture(Protocol):
    """What can be drawn."""

    def svg(self, width: int) -> str:
        """As SVG of this width, in the colours of a light page."""


@dataclass(frozen=True)
class VegaLite:
    """A picture that the converter draws."""

    spec: dict[str, Any]

    def svg(self, width: int) -> str:
        """The picture, or a refusal: no converter is there, or it cannot measure the signs."""
        fitted = {"width": width, "autosize": {"type": "fit", "contains": "padding"}, "config": _CONFIG}
        return svg_of(fitted | self.spec)


@dataclass(frozen=True)
class Chart:
    """A picture with its name, one sentence on what it shows, and its numbers as a table."""

    title: str
    description: str
    picture: Picture
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    wide: bool = False

    def svg(self) -> Markup:
        """Inline SVG: named for screen readers, coloured by the page's style, without ids that could clash."""
        try:
            drawn = self.picture.svg(WIDE if self.wide else NARROW)
        except OutputError as problem:  # nothing that converts, or signs that it cannot measure: a release goes on
            advice = f" ({INSTALL})" if problem.remedy == INSTALL else ""
            return element("p", f"This chart {problem.what}{advice}; its numbers are below.", class_="note")
        return _inline(drawn, f"{self.title}. {self.description}")


def _inline(svg: str, name: str) -> Markup:
    coloured = re.sub(
        r'(fill|stroke)="(#[0-9a-f]{6})"',
        lambda m: f'{m[1]}="var({VARIABLES[m[2]]})"' if m[2] in VARIABLES else m[0],
        svg,
    )
    own = "v" + hashlib.sha256(svg.encode()).hexdigest()[:8]
    unique = re.sub(r'(id="|url\(#)(?=[A-Za-z])', rf"\1{own}-", coloured)
    plain = re.sub(r' (?:xmlns(?::xlink)?|version)="[^"]*"', "", unique, count=3)
    return Markup(plain.replace("<svg", f'<svg role="img" aria-label="{escaped(name[:_LONGEST_NAME])}"', 1))


def _told_apart(names: Iterable[str]) -> list[str]:
    """Names as short as a chart has them, no two alike: equal ones would share a bar.

    >>> _told_apart(["north", "x" * 200, "x" * 201])[1:] == ["x" * 100, "(2) " + "x" * 100]
    True
    """
    short = [name[:_LONGEST_LABEL] for name in names]
    turns = [short[:i].count(name) + 1 for i, name in enumerate(short)]
    return [name if turn == 1 else f"({turn}) {name}" for name, turn in zip(short, turns, strict=True)]


def bars(
    title: str,
    values: Iterable[tuple[str, float]],
    *,
    amount: str,
    name: str = "",
    description: str = "",
    percent: bool = False,
) -> Chart:
    """Horizontal bars, in the order given. `amount` names the length, `name` what has a bar.

    >>> bars("Loss", [("age", 0.2), ("zip", 0.4)], amount="loss", percent=True).rows
    (('age', '20 %'), ('zip', '40 %'))
    """
    pairs = list(values)
    picture = Bars(_told_apart(key for key, _ in pairs), [[v for _, v in pairs]], (), amount, name, percent)
    rows = tuple((key, shown(value, percent)) for key, value in pairs)
    return Chart(title, description, picture, (name or "name", amount), rows)


def histogram(
    title: str,
    bins: Sequence[tuple[float, float, float]],
    *,
    value: str,
    amount: str,
    after: Sequence[float] | None = None,
    names: tuple[str, str] = ("before", "after"),
    description: str = "",
    days: bool = False,
) -> Chart:
    """Counts in bins (from, to, count) of a number; with `after`, other counts in the same bins as a line. `days`:
    numbers are days since 1970.

    >>> histogram("Ages", [(0, 10, 3), (10, 20, 5)], value="age", amount="rows").rows
    (('0 to 10', 3), ('10 to 20', 5))
    """
    picture = Histogram(bins, after, names, value, amount, days)
    rows = [(f"{_end(low, days)} to {_end(high, days)}", shown(count)) for low, high, count in bins]
    if after is None:
        return Chart(title, description, picture, (value, amount), tuple(rows))
    pairs = tuple((*row, shown(more)) for row, more in zip(rows, after, strict=True))
    return Chart(title, description, picture, (value, *names), pairs)


def _end(value: float, days: bool) -> Cell:
    return str(np.datetime64(int(value), "D")) if days else shown(value)


def before_after(
    title: str,
    values: Iterable[tuple[str, float, float]],
    *,
    amount: str,
    names: tuple[str, str] = ("before", "after"),
    description: str = "",
    percent: bool = False,
) -> Chart:
    """Two bars for each name: (name, before, after).

    >>> before_after("Towns", [("Bonn", 3, 2.5)], amount="rows").rows
    (('Bonn', 3, 2.5),)
    """
    triples = list(values)
    amounts = [[first for _, first, _ in triples], [second for *_, second in triples]]
    picture = Bars(_told_apart(key for key, *_ in triples), amounts, names, amount, "", percent)
    rows = tuple((key, shown(first, percent), shown(second, percent)) for key, first, second in triples)
    return Chart(title, description, picture, ("name", *names), rows)


@dataclass(frozen=True)
class Point:
    """A place in a scatter: its series, what is written beside it, and whether it is on the frontier."""

    x: float
    y: float
    series: str
    label: str = ""
    frontier: bool = False


def scatter(
    title: str,
    points: Sequence[Point],
    *,
    across: str,
    upward: str,
    description: str = "",
    percent: tuple[bool, bool] = (False, False),
    frontier_name: str = "frontier",
) -> Chart:
    """Points by series, each with a colour and a shape, labels beside them, and a line through the frontier.

    >>> scatter("Choices", [Point(2, 0.1, "elig", "l=2")], across="l", upward="loss").rows
    (('elig', 'l=2', 2, 0.1, ''),)
    """
    data = [
        {"x": p.x, "y": p.y, "series": p.series, "label": p.label, "size": 110 if p.frontier else 45}
        for p in points
    ]
    x: dict[str, Any] = {"field": "x", "type": "quantitative", "title": across}
    x["scale"] = {"zero": False, "padding": 16}
    y: dict[str, Any] = {"field": "y", "type": "quantitative", "title": upward}
    x["axis"], y["axis"] = ({"format": "~%"} if part else {"format": "~g"} for part in percent)
    series = list(dict.fromkeys(p.series for p in points))
    look = {
        "color": _colours(series, COLOURS),
        "shape": {"field": "series", "scale": {"domain": series, "range": _around(SHAPES, len(series))}},
    }
    line = sorted(({"x": p.x, "y": p.y} for p in points if p.frontier), key=lambda at: (at["x"], at["y"]))
    place = {"x": x, "y": y}
    layers = [
        {
            "data": {"values": line},
            "mark": {"type": "line", "color": MUTED, "strokeDash": [5, 4], "strokeWidth": 1.5},
            "encoding": place,
        },
        {
            "mark": {"type": "point", "filled": True, "opacity": 1},
            "encoding": place | look | {"size": {"field": "size", "type": "quantitative", "scale": None}},
        },
        {
            "mark": {"type": "text", "align": "left", "dx": 9, "dy": -7, "color": INK, "fontSize": 12},
            "encoding": place | {"text": {"field": "label"}},
        },
    ]
    rows = tuple(
        (p.series, p.label, shown(p.x, percent[0]), shown(p.y, percent[1]), frontier_name if p.frontier else "")
        for p in points
    )
    picture = VegaLite({"height": 380, "data": {"values": data}, "layer": layers})
    return Chart(
        title, description, picture, ("series", "label", across, upward, "on the frontier"), rows, wide=True
    )


def lines(
    title: str,
    series: Sequence[tuple[str, Sequence[Place]]],
    *,
    across: str,
    upward: str,
    description: str = "",
    percent: tuple[bool, bool] = (False, False),
    log: bool = False,
    wide: bool = False,
) -> Chart:
    """A line with its interval for each series of (x, y, low, high).

    >>> lines("Error", [("median", [(0.1, 0.3, 0.2, 0.4)])], across="selectivity", upward="error").rows
    (('median', 0.1, 0.3, 0.2, 0.4),)
    """
    picture = Lines(series, across, upward, percent, log)
    rows = tuple(
        (name, shown(x, percent[0]), *(shown(v, percent[1]) for v in (y, low, high)))
        for name, places in series
        for x, y, low, high in places
    )
    return Chart(title, description, picture, ("series", across, upward, "from", "to"), rows, wide)


def shown(value: float, percent: bool = False) -> Cell:
    """A number as the tables show it: four figures, or a percentage; what is no number in words.

    >>> shown(0.123456), shown(12.0), shown(0.0512, percent=True), shown(123456.7), shown(float("nan"))
    (0.1235, 12, '5.12 %', 123457, 'nan')
    """
    if percent:
        return f"{shown(100 * value)} %"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value == int(value) or abs(value) >= 1000:
        return round(value)
    return float(f"{value:.4g}")


def _colours(names: Sequence[str], colours: Sequence[str]) -> dict[str, Any]:
    scale = {"domain": list(names), "range": _around(colours, len(names))}
    field = "series" if colours is COLOURS else "kind"
    return {"field": field, "type": "nominal", "title": None, "scale": scale, "legend": {"columns": 3}}


def _around(items: Sequence[str], size: int) -> list[str]:
    return [items[i % len(items)] for i in range(size)]
