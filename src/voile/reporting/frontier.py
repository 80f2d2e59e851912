"""What detail costs as the promise grows: a line per algorithm, told apart by colour, shape and adversary."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from voile.reporting.charts import COLOURS, PAPER, SHAPES, Chart, shown

WIDTH, HEIGHT = 600, 330


@dataclass(frozen=True)
class Spot:
    """A run: what its readers are held to, what it loses, and whether it holds off who knows the algorithm."""

    series: str
    l: float  # noqa: E741 the papers' name
    loss: float
    safe: bool


def on_frontier(spot: Spot, spots: Sequence[Spot]) -> bool:
    """Whether no other run that holds off as much promises more for less.

    >>> low, high = Spot("a", 2, 0.1, False), Spot("b", 2, 0.3, False)
    >>> on_frontier(low, [low, high]), on_frontier(high, [low, high])
    (True, False)
    """
    rivals = [s for s in spots if s.safe or not spot.safe]
    return not any(s.l >= spot.l and s.loss <= spot.loss and (s.l, s.loss) != (spot.l, spot.loss) for s in rivals)


def frontier(title: str, spots: Sequence[Spot], *, upward: str, percent: bool = True) -> Chart:
    """The chart, as wide as half a screen."""
    series = list(dict.fromkeys(spot.series for spot in spots))
    around = range(len(series))
    data = [
        {"x": s.l, "y": s.loss, "series": s.series, "safe": s.safe, "size": 120 if on_frontier(s, spots) else 40}
        for s in spots
    ]
    legend = {"columns": 6, "title": None, "symbolStrokeWidth": 2}
    colour = {"domain": series, "range": [COLOURS[i % len(COLOURS)] for i in around]}
    shape = {"domain": series, "range": [SHAPES[i % len(SHAPES)] for i in around]}
    place: dict[str, Any] = {
        "x": {
            "field": "x",
            "type": "quantitative",
            "title": "l: nobody's value is inferred with more than 1/l confidence",
            "scale": {"zero": False, "nice": False, "padding": 14},
            "axis": {"format": "~g", "tickMinStep": 1, "grid": False},
        },
        "y": {
            "field": "y",
            "type": "quantitative",
            "title": upward,
            "axis": {"format": "~%" if percent else "~g", "tickCount": 5},
        },
        "color": {"field": "series", "type": "nominal", "scale": colour, "legend": legend},
    }
    dash: dict[str, Any] = {"field": "safe", "type": "nominal", "legend": None}
    dash["scale"] = {"domain": [True, False], "range": [[1, 0], [5, 4]]}
    fill = {
        "condition": {"test": "datum.safe", "field": "series", "type": "nominal", "scale": colour, "legend": None},
        "value": PAPER,
    }
    layers = [
        {"mark": {"type": "line", "strokeWidth": 1.6}, "encoding": place | {"strokeDash": dash}},
        {
            "mark": {"type": "point", "strokeWidth": 1.8, "opacity": 1},
            "encoding": place
            | {
                "shape": {"field": "series", "type": "nominal", "scale": shape, "legend": legend},
                "fill": fill,
                "size": {"field": "size", "type": "quantitative", "scale": None},
            },
        },
    ]
    rows = tuple(
        (
            s.series,
            shown(s.l),
            shown(s.loss, percent),
            "yes" if s.safe else "no",
            "yes" if on_frontier(s, spots) else "",
        )
        for s in spots
    )
    header = ("algorithm", "l", upward, "holds against who knows the algorithm", "on the frontier")
    words = (
        "Filled, solid: also holds against readers who know the algorithm. Hollow, dashed: the release alone. "
        "Large: no run that holds off as much promises more for less."
    )
    spec = {"width": WIDTH, "height": HEIGHT, "data": {"values": data}, "layer": layers}
    return Chart(title, words, spec, header, rows)
