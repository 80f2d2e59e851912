"""`python -m benchmarks.minimality_pictures`: the pictures of docs/minimality.md, from Table 1 of Liu et al. 2015.

Everything they show is computed here: groups, tables left, shares and evaluation paths.
"""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from voile.core.generalizations import Generalizations
from voile.theory.evaluation import Evaluation, TableSet, disclosure_set, evaluate, permutation_set
from voile.theory.set_properties import HighestRatio
from voile.theory.strategies import Strategy

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
PERSONS = ["Alice", "Bob", "Charlie", "David", "Eve", "Fen"]
CONDITIONS = ["cancer", "flu", "cold", "headache", "toothache"]
HAS = ["flu", "cold", "cancer", "cancer", "headache", "toothache"]
VALUES = np.array([CONDITIONS.index(condition) for condition in HAS])
SEQUENCE = Generalizations.of_groups(
    [[[0, 1], [2, 3], [4, 5]], [[0, 1, 2], [3, 4, 5]], [[0, 1, 2, 3], [4, 5]]], len(PERSONS)
)
N = len(SEQUENCE)
HALF = HighestRatio(Fraction(1, 2))
STRATEGIES = {"naive": Strategy.naive(N), "safe": Strategy.safe(N), "jump, k = 2": Strategy.jump(2, N)}

RED, GREEN, INK, PALE = "#c8384c", "#2a7f62", "#333", "#c9c9c9"
COLOURS = ["#c8384c", "#00798c", "#7fb7be", "#d99a2b", "#f1d08a"]
BY_CONDITION = {
    "field": "condition",
    "type": "nominal",
    "scale": {"domain": CONDITIONS, "range": COLOURS},
    "legend": None,
}
HIDDEN: dict[str, Any] = {"axis": None, "type": "quantitative", "scale": {"zero": False, "nice": False}}
FRAME = {
    "background": "white",
    "padding": 14,
    "config": {"font": "sans-serif", "view": {"stroke": None}, "axis": {"domain": False, "gridColor": "#eee"}},
}
Layer = dict[str, Any]


def place(field: str, low: float, high: float) -> dict[str, Any]:
    """A position without an axis."""
    return {"field": field, **HIDDEN, "scale": {"domain": [low, high], "nice": False}}


def words(values: list[dict[str, Any]], x: Any, y: Any, **mark: Any) -> Layer:
    """The field `words` as text."""
    style = {"type": "text", "fontSize": 13, "color": INK, "baseline": "middle", **mark}
    return {"data": {"values": values}, "mark": style, "encoding": {"x": x, "y": y, "text": {"field": "words"}}}


def headed(title: str, subtitle: list[str]) -> dict[str, Any]:
    """A title above the picture, from its left edge."""
    style = {"anchor": "start", "frame": "bounds", "fontSize": 16, "subtitleFontSize": 13, "offset": 12}
    return {"text": title, "subtitle": subtitle, "subtitleColor": "#555", **style}


def groupings() -> dict[str, Any]:
    """The persons in the groups of each function, and how each function looks on its face."""
    x, y = place("x", -0.9, 8.6), place("y", N - 0.55, -0.75)
    boxes, people, verdicts = [], [], []
    for i, function in enumerate(SEQUENCE.functions):
        for group in range(int(function.max()) + 1):
            inside = np.flatnonzero(function == group)
            boxes.append({"x": inside.min() - 0.42, "x2": inside.max() + 0.42, "y": i - 0.36, "y2": i + 0.36})
        people += [{"x": p, "y": i, "words": HAS[p], "condition": HAS[p]} for p in range(len(PERSONS))]
        seen = permutation_set(SEQUENCE, VALUES, HALF, i + 1)
        verdict = "keeps 1/2" if seen.holds else "breaks 1/2"
        say = f"highest share {_fraction(seen.highest)}: {verdict}"
        verdicts.append({"x": 5.75, "y": i, "words": say, "colour": GREEN if seen.holds else RED})
    corners = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
    ends = [{**box, "x": float(box["x"]), "x2": float(box["x2"])} for box in boxes]
    box = {"type": "rect", "cornerRadius": 9, "fill": "#f4f4f4", "stroke": "#999", "strokeWidth": 1.5}
    point = {"type": "point", "filled": True, "size": 520, "opacity": 1}
    names = [{"x": p, "y": -0.58, "words": name} for p, name in enumerate(PERSONS)]
    titles = [{"x": -0.55, "y": i, "words": f"g{i + 1}"} for i in range(N)]
    colour = {"field": "colour", "type": "nominal", "scale": None}
    told = words(verdicts, x, y, align="left")
    told["encoding"]["color"] = colour
    return {
        **FRAME,
        "width": 700,
        "height": 290,
        "title": headed(
            "Six patients, three ways to group them", ["Finest first. No value may have more than 1/2 of a group"]
        ),
        "layer": [
            {"data": {"values": ends}, "mark": box, "encoding": {"x": x, "y": y, **corners}},
            {"data": {"values": people}, "mark": point, "encoding": {"x": x, "y": y, "color": BY_CONDITION}},
            words(people, x, y, dy=23, fontSize=11),
            words(names, x, y, fontWeight="bold"),
            words(titles, x, y, fontWeight="bold", align="right"),
            told,
        ],
    }


def posteriors() -> dict[str, Any]:
    """Each person's shares: for who sees only the release, and for who knows the search."""
    naive, safe = STRATEGIES["naive"], STRATEGIES["safe"]
    panels = {
        "g2, on its face": permutation_set(SEQUENCE, VALUES, HALF, 2),
        "g2, knowing that naive chose it": disclosure_set(SEQUENCE, VALUES, HALF, naive, 2),
        "g3, knowing that safe chose it": disclosure_set(SEQUENCE, VALUES, HALF, safe, 3),
    }
    return {
        **FRAME,
        "title": headed(
            "What a reader concludes about each patient",
            ["In which share of the tables that are left a patient has each condition; dashed: the limit 1/2"],
        ),
        "hconcat": [_shares(title, found, first=not i) for i, (title, found) in enumerate(panels.items())],
        "spacing": 26,
    }


def _shares(title: str, found: TableSet, first: bool) -> Layer:
    bars = []
    for row, person in enumerate(PERSONS):
        begin = Fraction(0)
        for condition, count in zip(CONDITIONS, found.counts[found.kind[row]], strict=True):
            share = Fraction(count, found.size)
            say = f"{condition} {_fraction(share)}"
            bar = {"person": person, "condition": condition, "x": float(begin), "x2": float(begin + share)}
            middle = float(begin + share / 2)
            bars += [{**bar, "middle": middle, "words": say, "dark": condition in _DARK}] if count else []
            begin += share
    y = {"field": "person", "type": "nominal", "sort": PERSONS, "title": None}
    y["axis"] = {"labelFontSize": 13, "ticks": False, "domain": False, "labels": first, "labelPadding": 8}
    x = {"field": "x", "type": "quantitative", "scale": {"domain": [0, 1]}, "title": None}
    x["axis"] = {"values": [0, 0.5, 1], "labelExpr": "{'0':'0','0.5':'1/2','1':'1'}[datum.value]", "grid": False}
    bar = {"type": "bar", "height": 25, "stroke": "white", "strokeWidth": 1}
    label = words(bars, {"field": "middle", "type": "quantitative"}, y, fontSize=10.5)
    label["encoding"]["color"] = {"condition": {"test": "datum.dark", "value": "white"}, "value": INK}
    limit = {"type": "rule", "strokeDash": [4, 3], "color": INK, "strokeWidth": 1.5}
    head = {"text": title, "subtitle": f"{found.size} tables", "anchor": "start", "fontSize": 13, "offset": 8}
    return {
        "title": {**head, "subtitleFontSize": 12, "subtitleColor": "#555"},
        "width": 250,
        "height": 200,
        "layer": [  # the limit below the bars: it is seen between them, and crosses no word
            {"data": {"values": [{}]}, "mark": limit, "encoding": {"x": {"datum": 0.5, "type": "quantitative"}}},
            {
                "data": {"values": bars},
                "mark": bar,
                "encoding": {"y": y, "x": x, "x2": {"field": "x2"}, "color": BY_CONDITION},
            },
            label,
        ],
    }


_DARK = {"cancer", "flu"}


def paths() -> dict[str, Any]:
    """What each strategy looks at, in which order, and where it ends."""
    x, y = place("x", -0.75, N + 0.75), place("y", len(STRATEGIES) - 0.45, -0.75)
    looks: list[dict[str, Any]] = []
    lines: list[dict[str, Any]] = []
    ends: list[dict[str, Any]] = []
    for at, (name, strategy) in enumerate(STRATEGIES.items()):
        found = evaluate(SEQUENCE, VALUES, HALF, strategy)
        looks += _looks(found, at)
        stops = [look["x"] for look in looks if look["y"] == at]
        last = stops[-1] if found.outcome else N - 0.2
        lines.append({"x": -0.2, "x2": stops[-1], "y": at, "words": name, "dash": [1, 0]})
        lines.append({"x": stops[-1], "x2": last, "y": at, "words": "", "dash": [3, 4]})
        ends.append(
            {"x": last, "y": at, "words": f"publishes g{found.outcome}" if found.outcome else "discloses nothing"}
        )
    line = {"type": "rule", "strokeWidth": 2, "color": PALE}
    heads = [{"x": i, "y": -0.6, "words": f"g{i + 1}"} for i in range(N)]
    point = {"type": "point", "filled": True, "size": 330, "opacity": 1}
    shape = {
        "field": "looked at",
        "type": "nominal",
        "scale": {"domain": [FACE, SET], "range": ["circle", "square"]},
        "legend": {
            "title": None,
            "orient": "bottom",
            "labelFontSize": 12,
            "labelLimit": 400,
            "symbolFillColor": "#888",
        },
    }
    colour = {"field": "colour", "type": "nominal", "scale": None}
    dash = {"field": "dash", "type": "nominal", "scale": None}
    names = [{**row, "x": -0.3} for row in lines]
    return {
        **FRAME,
        "width": 760,
        "height": 270,
        "title": headed(
            "Three searches on the same table",
            ["Green keeps 1/2, red breaks it. Below: tables that are left, and the highest share of a value"],
        ),
        "layer": [
            {
                "data": {"values": lines},
                "mark": line,
                "encoding": {"x": x, "y": y, "x2": {"field": "x2"}, "strokeDash": dash},
            },
            {
                "data": {"values": looks},
                "mark": {**point, "stroke": None},
                "encoding": {"x": x, "y": y, "color": colour, "shape": shape},
            },
            words(looks, x, y, dy=23, fontSize=11),
            words(heads, x, y, fontWeight="bold"),
            words(names, x, y, fontWeight="bold", align="right"),
            words(ends, x, y, align="left", dx=16, fontWeight="bold"),
        ],
    }


FACE, SET = "the release on its face", "what is left to who knows the search"


def _looks(found: Evaluation, at: int) -> list[dict[str, Any]]:
    looks = []
    for step in found.steps:
        both = ((FACE, step.per), (SET, step.ds)) if found.strategy.kind != "safe" else ((SET, step.ds),)
        for which, seen in both:
            if seen is not None:
                place_of = step.function - 1 + (0.5 if which == SET and len(both) > 1 else 0)
                say = f"{seen.size} tables: {_fraction(seen.highest)}"
                tone = GREEN if seen.holds else RED
                looks.append({"x": place_of, "y": at, "looked at": which, "colour": tone, "words": say})
    return looks


def _fraction(share: Fraction) -> str:
    return "1" if share == 1 else f"{share.numerator}/{share.denominator}"


CHARTS = (groupings, posteriors, paths)


def draw(folder: Path) -> None:
    """minimality-groupings.svg, minimality-posteriors.svg and minimality-paths.svg."""
    import vl_convert

    folder.mkdir(exist_ok=True)
    for chart in CHARTS:
        svg = vl_convert.vegalite_to_svg(json.dumps(chart(), default=float))
        (folder / f"minimality-{chart.__name__}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    draw(PICTURES)
