"""Figures 5 to 8 of Tian and Zhang 2009 as one picture: tau_l.svg and tau_l.png."""

from pathlib import Path
from typing import Any

from benchmarks.pictures import write_picture

COLOURS = {"sweep": "#d1495b", "sweep_e": "#00798c", "elig": "#edae49"}
SHAPES = {"sweep": "circle", "sweep_e": "square", "elig": "triangle-up"}
SIZES = {"sweep": 130, "sweep_e": 50, "elig": 50}  # what lies below is seen around what lies above
SHOWN = {"Adult, occupation": "Adult: occupation, six QI", "Nursery, class": "Nursery: class, eight QI"}
PANELS = [  # field, words, format, scale
    ("excess_min", "5  excessive protection, least of all groups", ".1f", {"zero": True}),
    ("excess_mean", "5  the same, mean of all groups", ".1f", {"zero": True}),
    ("um", "6  information utility um", ".1f", {"domain": [0.4, 1]}),
    ("accuracy_ratio", "7  accuracy of a decision tree, to that on originals", ".0%", {"domain": [0, 1]}),
    ("grouping_seconds", "8  seconds of grouping", "~g", {"type": "log"}),
    ("generalised", "Rows with a generalised sensitive value", ".0%", {"domain": [0, 1]}),
    ("reader_top", "Largest share of a value, nodes seen through (grey: tau)", ".0%", {"domain": [0, 1]}),
]
CROSS = "M-1,-1L1,1M1,-1L-1,1"
WIDTH, HEIGHT = 400, 140
Rows = list[dict[str, Any]]


def panel(rows: Rows, of: tuple[str, str, str, dict[str, Any]]) -> dict[str, Any]:
    """A line per algorithm over the requirements; a gap where there is no release, and a cross below it."""
    field, words, numbers, scale = of
    x = _across(rows, titled=of is PANELS[-1])
    ticks = {"values": [0.01, 0.1, 1, 10]} if "type" in scale else {"tickCount": 5}
    y = {
        "field": field,
        "type": "quantitative",
        "scale": scale,
        "axis": {"title": None, "format": numbers, **ticks},
    }
    colour = _by_algorithm(COLOURS)
    line = {"mark": {"type": "line", "strokeWidth": 2.2}, "encoding": {"x": x, "y": y, "color": colour}}
    line["encoding"]["detail"] = {"field": "cut"}  # no line leads from the column to what is left of it
    marked = {"x": x, "y": y, "color": colour, "shape": _by_algorithm(SHAPES), "size": _by_algorithm(SIZES)}
    solid = {"type": "point", "filled": True, "opacity": 1}
    hollow = {"type": "point", "fill": "white", "strokeWidth": 2, "opacity": 1}
    return {
        "title": {"text": words, "anchor": "start", "frame": "group", "fontSize": 13, "offset": 6},
        "width": WIDTH,
        "height": HEIGHT,
        "layer": [
            *([_promised(rows, x)] if field == "reader_top" else []),
            {"data": {"values": rows}, **line},
            {"data": {"values": [r for r in rows if not r["cut"]]}, "mark": solid, "encoding": marked},
            {"data": {"values": [r for r in rows if r["cut"]]}, "mark": hollow, "encoding": marked},
            *(_crosses(rows, key, x, colour) for key in COLOURS),
        ],
    }


def _across(rows: Rows, titled: bool) -> dict[str, Any]:
    order = list(dict.fromkeys(row["required"] for row in rows))
    axis = {"title": "tau, l" if titled else None, "labelAngle": 0, "ticks": False, "grid": False}
    axis["labelPadding"] = 16  # the crosses stand between the frame and the labels
    return {"field": "required", "type": "ordinal", "sort": order, "scale": {"domain": order}, "axis": axis}


def _by_algorithm(marks: dict[str, Any]) -> dict[str, Any]:
    return {
        "field": "algorithm",
        "type": "nominal",
        "scale": {"domain": list(marks), "range": list(marks.values())},
        "legend": {"title": None, "orient": "top", "symbolSize": 90, "symbolStrokeWidth": 3, "labelFontSize": 13},
    }


def _crosses(rows: Rows, key: str, x: dict[str, Any], colour: dict[str, Any]) -> dict[str, Any]:
    """Where an algorithm has no release; side by side."""
    cross = {"type": "point", "shape": CROSS, "size": 40, "strokeWidth": 2.5, "opacity": 1}
    return {
        "data": {"values": [row for row in rows if row["um"] is None and row["algorithm"] == key]},
        "mark": {**cross, "xOffset": 10 * (list(COLOURS).index(key) - 2)},
        "encoding": {"x": x, "y": {"value": HEIGHT + 9}, "color": colour},
    }


def _promised(rows: Rows, x: dict[str, Any]) -> dict[str, Any]:
    """tau of each requirement as a grey tick."""
    return {
        "data": {
            "values": [{**row, "promised": float(row["tau"])} for row in rows if row["algorithm"] == "sweep"]
        },
        "mark": {"type": "tick", "thickness": 3, "width": 34, "color": "#bbb", "orient": "horizontal"},
        "encoding": {"x": x, "y": {"field": "promised", "type": "quantitative"}},
    }


def _heading(words: str) -> dict[str, Any]:
    mark = {"type": "text", "text": words, "fontSize": 15, "fontWeight": "bold", "align": "left", "x": 0, "y": 6}
    return {"data": {"values": [{}]}, "width": WIDTH, "height": 8, "view": {"stroke": None}, "mark": mark}


def picture(entries: Rows) -> dict[str, Any]:
    """A column per table, a row per figure, as a Vega-Lite chart."""
    tables = []
    for name in SHOWN:
        own = [entry for entry in entries if entry["table"] == name]
        words = [f"{entry['tau'].lstrip('0')}, {entry['l']}" for entry in own]
        cut = [entry["algorithm"] == "sweep_e" and bool(entry["generalised"]) for entry in own]
        shown = zip(own, words, cut, strict=True)
        tables.append([{**entry, "required": required, "cut": is_cut} for entry, required, is_cut in shown])
    return {
        "background": "white",
        "padding": 18,
        "title": {
            "text": "(tau,l)-diversity: Figures 5 to 8 of Tian and Zhang 2009, and what it does not show",
            "subtitle": [
                "Requirements from weak to strong. A cross: that algorithm has no release that meets it. Hollow:",
                "the table itself breaks the requirement; sweep_e publishes all sensitive values coarser",
            ],
            "anchor": "start",
            "fontSize": 18,
            "subtitleFontSize": 13,
            "offset": 14,
        },
        "columns": 2,
        "spacing": {"row": 14, "column": 40},
        "concat": [*map(_heading, SHOWN.values()), *(panel(rows, of) for of in PANELS for rows in tables)],
        "config": {
            "font": "sans-serif",
            "view": {"stroke": "#ddd"},
            "axis": {"labelFontSize": 11, "titleFontSize": 12, "gridColor": "#eee", "domain": False},
        },
    }


def draw(entries: Rows, folder: Path) -> None:
    """tau_l.svg and tau_l.png."""
    write_picture(picture(entries), folder, "tau_l")
