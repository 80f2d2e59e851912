"""Figures 5 to 8 of paper 002 as one picture: tau_l.svg and tau_l.png."""

import json
from pathlib import Path
from typing import Any

COLOURS = {"sweep": "#d1495b", "sweep_e": "#00798c", "elig": "#edae49"}
SHAPES = {"sweep": "circle", "sweep_e": "square", "elig": "triangle-up"}
SHOWN = {"Adult, occupation": "Adult: occupation, six QI", "Nursery, class": "Nursery: class, eight QI"}
PANELS = [  # field, words, format, scale
    ("excess_min", "5  excessive protection, least of all groups", ".1f", {"zero": True}),
    ("excess_mean", "5  the same, mean of all groups", ".1f", {"zero": True}),
    ("um", "6  information utility um", ".1f", {"domain": [0.4, 1]}),
    ("accuracy_ratio", "7  accuracy of a decision tree, to that on originals", ".0%", {"zero": False}),
    ("grouping_seconds", "8  seconds of grouping", "~g", {"type": "log"}),
    ("generalised", "Rows with a generalised sensitive value", ".0%", {"domain": [0, 1]}),
    (
        "reader_top",
        "Largest share of a value, if one knows what nodes hide (grey: tau)",
        ".0%",
        {"domain": [0, 1]},
    ),
]
CROSS = "M-1,-1L1,1M1,-1L-1,1"
Rows = list[dict[str, Any]]


def panel(rows: Rows, of: tuple[str, str, str, dict[str, Any]], last: bool) -> dict[str, Any]:
    """A line per algorithm over the requirements; a gap where there is no release, and a cross below it."""
    field, words, numbers, scale = of
    order = list(dict.fromkeys(row["required"] for row in rows))
    x = {
        "field": "required",
        "type": "ordinal",
        "sort": order,
        "scale": {"domain": order},
        "axis": {
            "title": "tau, l" if last else None,
            "labelAngle": 0,
            "labelPadding": 16,  # the crosses stand between the frame and the labels
            "ticks": False,
            "grid": False,
        },
    }
    ticks = {"values": [0.01, 0.1, 1, 10]} if "type" in scale else {"tickCount": 5}
    y = {
        "field": field,
        "type": "quantitative",
        "scale": scale,
        "axis": {"title": None, "format": numbers, **ticks},
    }
    keys = list(COLOURS)
    legend = {"title": None, "orient": "top", "symbolSize": 90, "symbolStrokeWidth": 3, "labelFontSize": 13}
    colour = {
        "field": "algorithm",
        "type": "nominal",
        "scale": {"domain": keys, "range": list(COLOURS.values())},
        "legend": legend,
    }
    shape = colour | {"scale": {"domain": keys, "range": list(SHAPES.values())}}
    cross = {"type": "point", "shape": CROSS, "size": 40, "strokeWidth": 2.5, "opacity": 1}
    return {
        "title": {"text": words, "anchor": "start", "frame": "group", "fontSize": 13, "offset": 6},
        "width": 400,
        "height": 140,
        "layer": [
            *([_promised(rows, x)] if field == "reader_top" else []),
            {
                "data": {"values": rows},
                "mark": {"type": "line", "strokeWidth": 2.2},
                "encoding": {"x": x, "y": y, "color": colour},
            },
            {
                "data": {"values": rows},
                "mark": {"type": "point", "filled": True, "size": 65, "opacity": 1},
                "encoding": {"x": x, "y": y, "color": colour, "shape": shape},
            },
            *(
                {
                    "data": {"values": [row for row in rows if row["um"] is None and row["algorithm"] == key]},
                    "mark": {**cross, "xOffset": 10 * (keys.index(key) - 2)},
                    "encoding": {"x": x, "y": {"value": 149}, "color": colour},
                }
                for key in keys
            ),
        ],
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


def picture(entries: Rows) -> dict[str, Any]:
    """A column per table, a row per figure, as a Vega-Lite chart."""
    columns = []
    for name, words in SHOWN.items():
        rows = [
            {**entry, "required": f"{entry['tau'].lstrip('0')}, {entry['l']}"}
            for entry in entries
            if entry["table"] == name
        ]
        panels = [panel(rows, of, of is PANELS[-1]) for of in PANELS]
        title = {"text": words, "anchor": "middle", "fontSize": 15, "offset": 10}
        columns.append({"title": title, "vconcat": panels, "spacing": 14})
    return {
        "background": "white",
        "padding": 18,
        "title": {
            "text": "(tau,l)-diversity: Figures 5 to 8 of paper 002, and what it does not show",
            "subtitle": "Requirements from weak to strong. A cross: that algorithm has no release that meets it",
            "anchor": "start",
            "fontSize": 18,
            "subtitleFontSize": 13,
            "offset": 14,
        },
        "hconcat": columns,
        "spacing": 40,
        "config": {
            "font": "sans-serif",
            "view": {"stroke": "#ddd"},
            "axis": {"labelFontSize": 11, "titleFontSize": 12, "gridColor": "#eee", "domain": False},
        },
    }


def draw(entries: Rows, folder: Path) -> None:
    """tau_l.svg and tau_l.png."""
    import vl_convert

    chart = json.dumps(picture(entries))
    (folder / "tau_l.svg").write_text(vl_convert.vegalite_to_svg(chart), encoding="utf-8")
    (folder / "tau_l.png").write_bytes(vl_convert.vegalite_to_png(chart, scale=1.5))
