"""Pictures as SVG, drawn here: bars, histograms and lines. They need no converter."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from voile.reporting.markup import Markup, element, joined
from voile.reporting.palette import COLOURS, GRID, INK, MUTED
from voile.reporting.scales import (
    Scale,
    Tick,
    apart,
    cut,
    day_ticks,
    drawable,
    log_ticks,
    percent,
    plain,
    short,
    ticks,
    top_of,
    width_of,
)

_EDGE = 5  # pixels around a picture
_BELOW = 40  # with the numbers and the title of an axis
_LEGEND = 30
_TITLE = 18  # of an axis that goes upward
_LABEL = 130  # the widest name beside a bar
_LONGEST = 120  # signs of any text


@dataclass(frozen=True)
class Area:
    """Where in a picture its numbers are."""

    left: float
    top: float
    right: float
    bottom: float


def _at(place: float) -> str:
    return f"{place:.1f}".removesuffix(".0")


def _drawn(name: str, *content: object, **attributes: Any) -> Markup:
    """An element whose numbers are short."""
    given = {key: _at(v) if isinstance(v, int | float) else v for key, v in attributes.items()}
    return element(name, *content, **given)


def _text(words: str, x: float, y: float, anchor: str = "start", colour: str = MUTED) -> Markup:
    return _drawn("text", words, x=x, y=y, text_anchor=anchor, fill=colour)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> Markup:
    sharp = [round(place - 0.5) + 0.5 for place in (x1, y1, x2, y2)]  # on whole pixels
    return _drawn("line", **dict(zip(("x1", "y1", "x2", "y2"), sharp, strict=True)), stroke=colour)


def _path(d: str, colour: str, width: float = 2, **more: str) -> Markup:
    return element("path", d=d, fill="none", stroke=colour, stroke_width=_at(width), **more)


def _rect(x: float, y: float, width: float, height: float, colour: str, **more: str) -> Markup:
    return _drawn("rect", x=x, y=y, width=max(0.0, width), height=max(0.0, height), fill=colour, **more)


def _whole(width: float, height: float, *parts: object) -> str:
    style = {"font_family": "sans-serif", "font_size": "12"}
    size = {"width": _at(width), "height": _at(height), "viewBox": f"0 0 {_at(width)} {_at(height)}"}
    return element("svg", *parts, **size, **style)


def _across(area: Area, scale: Scale, marks: Sequence[Tick], title: str, grid: bool) -> Markup:
    """The axis below: of labels that would touch, the first."""
    lines = [_line(scale(v), area.top, scale(v), area.bottom, GRID) for v, _ in marks if grid]
    lines += [_line(scale(v), area.bottom, scale(v), area.bottom + 5, MUTED) for v, _ in marks]
    named = [(value, label) for value, label in marks if label]
    places = [_label_place(area, scale(value), width_of(label)) for value, label in named]
    shown = apart([(x - w * lean, x + w * (1 - lean)) for x, w, lean in places])
    anchors = {0.0: "start", 0.5: "middle", 1.0: "end"}
    labels = [
        _text(label, x, area.bottom + 17, anchors[lean])
        for (_, label), (x, _, lean), is_shown in zip(named, places, shown, strict=True)
        if is_shown
    ]
    below = _text(
        cut(title[:_LONGEST], area.right - area.left), (area.left + area.right) / 2, area.bottom + 33, "middle"
    )
    return joined(*lines, _line(area.left, area.bottom, area.right, area.bottom, MUTED), *labels, below)


def _label_place(area: Area, x: float, width: float) -> tuple[float, float, float]:
    """Where a label is anchored, and which share of it lies to the left: at the ends it stays inside."""
    if x + width / 2 > area.right + _EDGE:
        return x, width, 1.0
    return x, width, 0.0 if x - width / 2 < area.left - _EDGE else 0.5


def _upward(area: Area, scale: Scale, marks: Sequence[Tick], title: str) -> Markup:
    lines = [_line(area.left, scale(v), area.right, scale(v), GRID) for v, _ in marks]
    lines += [_line(area.left - 5, scale(v), area.left, scale(v), MUTED) for v, _ in marks]
    labels = [_text(label, area.left - 8, scale(value) + 4, "end") for value, label in marks]
    return joined(*lines, _line(area.left, area.top, area.left, area.bottom, MUTED), *labels, _beside(area, title))


def _beside(area: Area, title: str) -> Markup:
    """The title of an axis that goes upward."""
    x, y = _EDGE + 10, (area.top + area.bottom) / 2
    words = cut(title[:_LONGEST], max(60.0, area.bottom - area.top + _BELOW))
    turned = f"rotate(-90 {_at(x)} {_at(y)})"
    return _drawn("text", words, x=x, y=y, text_anchor="middle", fill=MUTED, transform=turned)


def _legend(names: Sequence[str], colours: Sequence[str], left: float, widest: float) -> Markup:
    """Names with their colours, in one row; what has no room there is cut."""
    parts, x = [], left
    for name, colour in zip(names, colours, strict=True):
        words = cut(name[:_LONGEST], widest / len(names) - 28)
        parts += [_rect(x, 8, 11, 11, colour), _text(words, x + 16, 18, colour=INK)]
        x += width_of(words) + 28
    return joined(*parts)


@dataclass(frozen=True)
class Bars:
    """Horizontal bars: for each name one, or one of each kind."""

    names: Sequence[str]
    amounts: Sequence[Sequence[float]]  # of each kind, one for each name
    kinds: Sequence[str]  # none: there is but one
    amount: str
    name: str = ""
    percent: bool = False

    def svg(self, width: int) -> str:
        """The picture."""
        step = 15 * len(self.amounts) + 6 if self.kinds else 24
        names = [cut(name[:_LONGEST], _LABEL) for name in self.names]
        left = _EDGE + (_TITLE if self.name else 0) + max((width_of(name) for name in names), default=0) + 6
        top = _LEGEND if self.kinds else _EDGE
        area = Area(left, top, width - _EDGE, top + step * len(names))
        scale = Scale(0, top_of([v for values in self.amounts for v in values]), area.left, area.right)
        marks = ticks(0, scale.high, 4, percent if self.percent else short)
        middles = [area.top + step * (i + 0.5) for i in range(len(names))]
        labels = [_text(name, left - 6, y + 4, "end") for name, y in zip(names, middles, strict=True)]
        legend = _legend(self.kinds, COLOURS[: len(self.kinds)], left, area.right - left) if self.kinds else ""
        axis = _across(area, scale, marks, self.amount, grid=True)
        title = _beside(area, self.name) if self.name else ""
        bars = self._bars(scale, middles, step)
        return _whole(width, area.bottom + _BELOW, legend, axis, *bars, *labels, title)

    def _bars(self, scale: Scale, middles: Sequence[float], step: float) -> list[Markup]:
        high = (15 if self.kinds else 0.7 * step) - bool(self.kinds)
        half = high * len(self.amounts) / 2
        return [
            _rect(scale.start, y - half + k * high, scale(max(0.0, drawable(v))) - scale.start, high, COLOURS[k])
            for k, values in enumerate(self.amounts)
            for y, v in zip(middles, values, strict=True)
        ]


@dataclass(frozen=True)
class Histogram:
    """Counts in bins; with `after`, others in the same bins as a line. `days`: numbers are days since 1970."""

    bins: Sequence[tuple[float, float, float]]
    after: Sequence[float] | None
    names: tuple[str, str]
    value: str
    amount: str
    days: bool = False

    def svg(self, width: int) -> str:
        """The picture."""
        counts = [drawable(count) for *_, count in self.bins]
        line = [drawable(count) for count in self.after or ()]
        high = top_of(counts + line)
        marks = ticks(0, high, 4, short)
        top = _EDGE + 5 if self.after is None else _LEGEND
        area = Area(_left_of(marks), top, width - _EDGE, (170 if self.after is None else 190) - _BELOW)
        low, end = (drawable(value) for value in (self.bins[0][0], self.bins[-1][1])) if self.bins else (0, 1)
        across, upward = Scale(low, end, area.left, area.right), Scale(0, high, area.bottom, area.top)
        below = day_ticks(low, end, 5) if self.days else ticks(low, end, 5, plain)
        axes = [_upward(area, upward, marks, self.amount), _across(area, across, below, self.value, grid=False)]
        parts = [
            self._bar(across, upward, low, end, n) for (low, end, _), n in zip(self.bins, counts, strict=True)
        ]
        if line:
            parts += [self._steps(across, upward, line), _legend(self.names, COLOURS[:2], area.left, width / 1.5)]
        return _whole(width, area.bottom + _BELOW, *axes, *parts)

    def _bar(self, across: Scale, upward: Scale, low: float, high: float, count: float) -> Markup:
        left, right, top = across(drawable(low)), across(drawable(high)), upward(max(0.0, count))
        gap = 0.5 if right - left > 2 else 0.0  # pixels between neighbours
        pale = {} if self.after is None else {"opacity": "0.55"}
        return _rect(left + gap / 2, top, right - left - gap, upward.start - top, COLOURS[0], **pale)

    def _steps(self, across: Scale, upward: Scale, line: Sequence[float]) -> Markup:
        ends = [(across(drawable(low)), across(drawable(high))) for low, high, _ in self.bins]
        heights = [upward(max(0.0, count)) for count in line]
        places = [f"{_at(x)},{_at(y)}" for pair, y in zip(ends, heights, strict=True) for x in pair]
        return _path("M" + "L".join(places), COLOURS[1], 2.5)


def _left_of(marks: Sequence[Tick]) -> float:
    """Where the numbers begin: right of the title and of the labels."""
    return _EDGE + _TITLE + max((width_of(label) for _, label in marks), default=0) + 8


Place = tuple[float, float, float, float]  # x, y, and the ends of y's interval


@dataclass(frozen=True)
class Lines:
    """A line with its interval for each series."""

    series: Sequence[tuple[str, Sequence[Place]]]
    across: str
    upward: str
    percent: tuple[bool, bool]
    log: bool

    def svg(self, width: int) -> str:
        """The picture."""
        series = [[_sound(place) for place in places] for _, places in self.series]
        xs = [x for places in series for x, *_ in places if x > 0 or not self.log] or [1.0]
        ys = [v for places in series for _, *values in places for v in values]
        low, high = min(0.0, *ys, 0.0), top_of(ys)
        written: list[Callable[[float], str]] = [percent if part else plain for part in self.percent]
        marks = ticks(low, high, 5, written[1])
        named = len(series) > 1
        area = Area(_left_of(marks), _LEGEND if named else _EDGE + 5, width - _EDGE - 4, 190 - _BELOW)
        across = Scale(min(xs), max(xs), area.left, area.right, self.log)
        upward = Scale(low, high, area.bottom, area.top)
        below = (log_ticks if self.log else _five)(across.low, across.high, written[0])
        parts = [_upward(area, upward, marks, self.upward), _across(area, across, below, self.across, grid=True)]
        colours = [COLOURS[i % len(COLOURS)] for i in range(len(series))]
        for places, colour in zip(series, colours, strict=True):
            parts += _band([place for place in places if place[0] in xs], across, upward, colour)
        if named:
            parts.append(_legend([name for name, _ in self.series], colours, area.left, area.right - area.left))
        return _whole(width, area.bottom + _BELOW, *parts)


def _sound(place: Place) -> Place:
    x, y, low, high = map(drawable, place)
    return x, y, low, high


def _five(low: float, high: float, written: Callable[[float], str]) -> list[Tick]:
    return ticks(low, high, 5, written)


def _band(places: Sequence[Place], across: Scale, upward: Scale, colour: str) -> list[Markup]:
    """The interval, the line and its points."""
    if not places:
        return []
    xs = [_at(across(x)) for x, *_ in places]
    middle, low, high = ([_at(upward(p[i])) for p in places] for i in (1, 2, 3))
    points = [f"{x},{y}" for x, y in zip(xs, middle, strict=True)]
    around = [*zip(xs, high, strict=True), *reversed([*zip(xs, low, strict=True)])]
    band = "M" + "L".join(f"{x},{y}" for x, y in around) + "Z"
    dots = "".join(f"M{point}h0" for point in points)  # a stroke without length and with round ends
    return [
        element("path", d=band, fill=colour, opacity="0.25"),
        _path("M" + "L".join(points), colour),
        _path(dots, colour, 7, stroke_linecap="round"),
    ]
