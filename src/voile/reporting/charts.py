"""Charts for reports: plain numbers in, inline SVG out.

A chart is drawn for a light page; on the page its colours become variables of the style, so that
light, dark and print each have their own. Fields have fixed names: what users call their columns is
only ever text.
"""

import contextlib
import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from voile.errors import OutputError
from voile.output.drawing import svg_of
from voile.reporting.markup import Markup, element, escaped

INK, MUTED, GRID, PAPER = "#1b1f24", "#57606a", "#d5d9de", "#ffffff"
COLOURS = ("#2f6690", "#b85c00", "#2e7d4f", "#7b4fa3", "#b3261e", "#6b6f76", "#0f766e", "#8a6d00")
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
_VARIABLES = {INK: "--ink", MUTED: "--muted", GRID: "--grid", PAPER: "--paper"} | {
    colour: f"--c{i}" for i, colour in enumerate(COLOURS, 1)
}
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


@dataclass(frozen=True)
class Chart:
    """A Vega-Lite chart with its name, one sentence on what it shows, and its numbers as a table."""

    title: str
    description: str
    spec: dict[str, Any]
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    wide: bool = False

    def svg(self) -> Markup:
        """Inline SVG: named for screen readers, coloured by the page's style, without ids that could clash."""
        whole = {
            "width": WIDE if self.wide else NARROW,
            "autosize": {"type": "fit", "contains": "padding"},
            "config": _CONFIG,
            **self.spec,
        }
        drawn = ""
        with contextlib.suppress(OutputError):  # of signs that the converter cannot measure: a release goes on
            drawn = svg_of(whole)
        return _inline(drawn, f"{self.title}. {self.description}") if drawn else _NOT_DRAWN


_NOT_DRAWN = element("p", "This chart cannot be drawn; its numbers are below.", class_="note")


def _inline(svg: str, name: str) -> Markup:
    coloured = re.sub(
        r'(fill|stroke)="(#[0-9a-f]{6})"',
        lambda m: f'{m[1]}="var({_VARIABLES[m[2]]})"' if m[2] in _VARIABLES else m[0],
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
    names = _told_apart(key for key, _ in pairs)
    encoding = {
        "y": {"field": "name", "type": "nominal", "sort": None, "title": name or None, "axis": _QUIET},
        "x": _amount("value", amount, percent),
    }
    spec = {
        "height": {"step": 24},
        "data": {"values": [{"name": key, "value": v} for key, (_, v) in zip(names, pairs, strict=True)]},
        "mark": {"type": "bar", "color": COLOURS[0], "height": {"band": 0.7}},
        "encoding": encoding,
    }
    rows = tuple((key, shown(value, percent)) for key, value in pairs)
    return Chart(title, description, _unfitted(spec, len(pairs)), (name or "name", amount), rows)


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
    place = _moment if days else float
    data = [{"low": place(low), "high": place(high), "value": n, "kind": names[0]} for low, high, n in bins]
    across: dict[str, Any] = {"field": "low", "title": value, "axis": {"grid": False, "tickCount": 5}}
    across |= _IN_TIME if days else {"type": "quantitative", "scale": {"zero": False, "nice": False}}
    upward = {"field": "value", "type": "quantitative", "title": amount, "axis": _SHORT}
    encoding: dict[str, Any] = {"x": across, "x2": {"field": "high"}, "y": upward, "y2": {"datum": 0}}
    rows = [(f"{_end(low, days)} to {_end(high, days)}", shown(count)) for low, high, count in bins]
    if after is None:
        mark = {"type": "bar", "binSpacing": 0.5, "color": COLOURS[0]}
        plain = {"height": 170, "mark": mark, "encoding": encoding, "data": {"values": data}}
        return Chart(title, description, plain, (value, amount), tuple(rows))
    line = [{"low": place(low), "value": n, "kind": names[1]} for (low, _, _), n in zip(bins, after, strict=True)]
    line += [{"low": place(bins[-1][1]), "value": after[-1], "kind": names[1]}] if bins else []
    colour = _colours(names, COLOURS[:2])
    layers = [
        {
            "data": {"values": data},
            "mark": {"type": "bar", "binSpacing": 0.5, "opacity": 0.55},
            "encoding": encoding | {"color": colour},
        },
        {
            "data": {"values": line},
            "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2.5},
            "encoding": {"x": across, "y": upward, "color": colour},
        },
    ]
    pairs = tuple((*row, shown(more)) for row, more in zip(rows, after, strict=True))
    return Chart(title, description, {"height": 190, "layer": layers}, (value, *names), pairs)


_IN_TIME = {"type": "temporal", "scale": {"type": "utc", "nice": False}}


def _moment(day: float) -> float:
    """A day since 1970 in milliseconds."""
    return day * 86_400_000


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
    data = [
        {"name": key, "value": amount_of, "kind": kind}
        for key, (_, first, second) in zip(_told_apart(key for key, *_ in triples), triples, strict=True)
        for kind, amount_of in zip(names, (first, second), strict=True)
    ]
    spec = {
        "height": {"step": 15},
        "data": {"values": data},
        "mark": {"type": "bar"},
        "encoding": {
            "y": {"field": "name", "type": "nominal", "sort": None, "title": None, "axis": _QUIET},
            "yOffset": {"field": "kind", "type": "nominal", "sort": list(names)},
            "x": _amount("value", amount, percent),
            "color": _colours(names, COLOURS[:2]),
        },
    }
    rows = tuple((key, shown(first, percent), shown(second, percent)) for key, first, second in triples)
    return Chart(title, description, _unfitted(spec, len(triples), 36, 30), ("name", *names), rows)


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
    spec = {"height": 380, "data": {"values": data}, "layer": layers}
    return Chart(title, description, spec, ("series", "label", across, upward, "on the frontier"), rows, wide=True)


Place = tuple[float, float, float, float]  # x, y, and the ends of y's interval


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
    data = [
        {"series": name, "x": x, "y": y, "low": low, "high": high}
        for name, places in series
        for x, y, low, high in places
    ]
    scale = {"scale": {"type": "log", "nice": False}} if log else {"scale": {"zero": False}}
    formats = ({"format": "~%"} if part else {"format": "~g"} for part in percent)
    x_axis, y_axis = ({**form, "tickCount": 5} for form in formats)
    x = {"field": "x", "type": "quantitative", "title": across, "axis": x_axis, **scale}
    y = {"field": "y", "type": "quantitative", "title": upward, "axis": y_axis}
    names = [name for name, _ in series]
    colour = _colours(names, COLOURS) if len(names) > 1 else {"value": COLOURS[0]}
    quiet = colour | ({"legend": None} if len(names) > 1 else {})
    band = {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": quiet}
    spec = {
        "height": 190,
        "data": {"values": data},
        "layer": [
            {"mark": {"type": "area", "opacity": 0.25}, "encoding": band},
            {
                "mark": {"type": "line", "point": {"filled": True, "size": 40}},
                "encoding": {"x": x, "y": y, "color": colour},
            },
        ],
    }
    rows = tuple(
        (name, shown(x, percent[0]), *(shown(v, percent[1]) for v in (y, low, high)))
        for name, places in series
        for x, y, low, high in places
    )
    return Chart(title, description, spec, ("series", across, upward, "from", "to"), rows, wide)


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


_SHORT = {"tickCount": 4, "labelExpr": "format(datum.value, '~s')"}  # 0, 500, 1k
_QUIET = {"ticks": False, "domain": False, "labelPadding": 6}


def _amount(field: str, title: str, percent: bool) -> dict[str, Any]:
    axis = {"tickCount": 4, "format": "~%"} if percent else _SHORT
    return {"field": field, "type": "quantitative", "title": title, "axis": axis}


def _colours(names: Sequence[str], colours: Sequence[str]) -> dict[str, Any]:
    scale = {"domain": list(names), "range": _around(colours, len(names))}
    field = "series" if colours is COLOURS else "kind"
    return {"field": field, "type": "nominal", "title": None, "scale": scale, "legend": {"columns": 3}}


def _around(items: Sequence[str], size: int) -> list[str]:
    return [items[i % len(items)] for i in range(size)]


def _unfitted(spec: dict[str, Any], names: int, each: int = 24, more: int = 0) -> dict[str, Any]:
    """Bars with a height of their own: a chart that is fitted into a box needs that in pixels."""
    return spec | {"height": names * each + 40 + more}
