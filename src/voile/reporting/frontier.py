"""What detail costs as the promise grows: a line per algorithm, told apart by colour, shape and adversary."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from voile.core.algorithm import Rung
from voile.reporting.charts import SHAPES, Chart, VegaLite, shown
from voile.reporting.palette import COLOURS, PAPER

WIDTH, HEIGHT = 600, 330
# weakest first: how a rung is drawn, and what its drawing means
_DRAWN = {
    Rung.RELEASE.value: ([2, 3], 0.0, "Hollow, dotted: holds against readers of the release alone."),
    Rung.ALGORITHM_MARGINAL.value: (
        [7, 3],
        0.4,
        "Pale, dashed: holds against who knows the algorithm (marginal).",
    ),
    Rung.ALGORITHM_STRONG.value: (
        [1, 0],
        1.0,
        "Filled, solid: holds against who knows the algorithm and everybody else's values (strong).",
    ),
}
_STRENGTH = {rung: strength for strength, rung in enumerate(_DRAWN)}


@dataclass(frozen=True)
class Spot:
    """A run: what its readers are held to, what it loses, and which readers those are (its rung)."""

    series: str
    l: float  # noqa: E741 the papers' name
    loss: float
    rung: str


def on_frontier(spot: Spot, spots: Sequence[Spot]) -> bool:
    """Whether no other run that holds off as much promises more for less.

    >>> low, high = Spot("a", 2, 0.1, "release"), Spot("b", 2, 0.3, "release")
    >>> on_frontier(low, [low, high]), on_frontier(high, [low, high])
    (True, False)
    """
    rivals = [s for s in spots if _STRENGTH[s.rung] >= _STRENGTH[spot.rung]]
    return not any(s.l >= spot.l and s.loss <= spot.loss and (s.l, s.loss) != (spot.l, spot.loss) for s in rivals)


def frontier(title: str, spots: Sequence[Spot], *, upward: str, percent: bool = True) -> Chart:
    """The chart, as wide as half a screen."""
    large = [on_frontier(spot, spots) for spot in spots]
    data = [
        {"x": s.l, "y": s.loss, "series": s.series, "rung": s.rung, "size": 120 if best else 40, "full": full}
        for s, best in zip(spots, large, strict=True)
        for _, full, _ in [_DRAWN[s.rung]]
    ]
    rows = tuple(
        (s.series, shown(s.l), shown(s.loss, percent), s.rung, "yes" if best else "")
        for s, best in zip(spots, large, strict=True)
    )
    header = ("algorithm", "l", upward, "holds against", "on the frontier")
    present = {spot.rung for spot in spots}
    words = [meaning for rung, (_, _, meaning) in reversed(_DRAWN.items()) if rung in present]
    words.append("Large: no run that holds off as much promises more for less.")
    series = list(dict.fromkeys(spot.series for spot in spots))
    layers = _layers(series, _places(upward, percent))
    spec = {"width": WIDTH, "height": HEIGHT, "data": {"values": data}, "layer": layers}
    return Chart(title, " ".join(words), VegaLite(spec), header, rows)


def _places(upward: str, percent: bool) -> dict[str, Any]:
    across = {
        "title": "l: no value has more than 1/l of a group",
        "scale": {"zero": False, "nice": False, "padding": 14},
        "axis": {"format": "~g", "tickMinStep": 1, "grid": False},
    }
    axis = {"format": "~%" if percent else "~g", "tickCount": 5}
    return {
        "x": {"field": "x", "type": "quantitative", **across},
        "y": {"field": "y", "type": "quantitative", "title": upward, "axis": axis},
    }


def _layers(series: Sequence[str], place: dict[str, Any]) -> list[dict[str, Any]]:
    """Lines, solid or dashed, and points, filled or hollow, by who is held off."""
    around = range(len(series))
    legend = {"columns": 6, "title": None, "symbolStrokeWidth": 2}
    by_series: dict[str, Any] = {"field": "series", "type": "nominal"}
    colours = {"domain": series, "range": [COLOURS[i % len(COLOURS)] for i in around]}
    shapes = {"domain": series, "range": [SHAPES[(i + i // len(COLOURS)) % len(SHAPES)] for i in around]}
    place = place | {"color": by_series | {"scale": colours, "legend": legend}}
    by_rung = {"field": "rung", "type": "nominal", "legend": None}
    dashes = {"domain": list(_DRAWN), "range": [dash for dash, _, _ in _DRAWN.values()]}
    fill = by_series | {"test": "datum.full > 0", "scale": colours, "legend": None}
    full = {"field": "full", "type": "quantitative", "scale": None, "legend": None, "test": "datum.full > 0"}
    looks = {
        "shape": by_series | {"scale": shapes, "legend": legend},
        "fill": {"condition": fill, "value": PAPER},
        "fillOpacity": {"condition": full, "value": 1},  # hollow ones hide their line
        "size": {"field": "size", "type": "quantitative", "scale": None},
    }
    return [
        {
            "mark": {"type": "line", "strokeWidth": 1.6},
            "encoding": place | {"strokeDash": by_rung | {"scale": dashes}},
        },
        {"mark": {"type": "point", "strokeWidth": 1.8, "opacity": 1}, "encoding": place | looks},
    ]
