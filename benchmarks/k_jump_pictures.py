"""Rows against CPU seconds of the exact engine and of the definition: k_jump.svg and k_jump.png."""

import json
from pathlib import Path
from typing import Any

COLOURS = {"reference": "#d1495b", "engine": "#00798c"}
WIDTH, HEIGHT = 340, 300
Rows = list[dict[str, Any]]


def panel(entries: Rows, k: str, title: str) -> dict[str, Any]:
    """One value of k: a line per side, and the time of the reference's largest table."""
    own = [entry for entry in entries if entry["k"] == k and entry["cpu_seconds"] is not None]
    slowest = max(entry["cpu_seconds"] for entry in own if entry["side"] == "reference")
    rows = {"values": [16, 32, 64, 128, 256, 512, 1024], "format": "d", "grid": False}
    x = {"field": "rows", "type": "quantitative", "scale": {"type": "log", "domain": [12, 2000]}, "axis": rows}
    seconds = {"values": [0.001, 0.01, 0.1, 1, 10, 100], "format": "~g", "title": None}
    y = {"field": "cpu_seconds", "type": "quantitative", "scale": {"type": "log"}, "axis": seconds}
    colour = {
        "field": "side",
        "type": "nominal",
        "scale": {"domain": list(COLOURS), "range": list(COLOURS.values())},
        "legend": None,
    }
    ends = [max((e for e in own if e["side"] == side), key=lambda e: e["rows"]) for side in COLOURS]
    labels = [{**end, "words": f"{end['side']}: {end['rows']} rows"} for end in ends]
    text = {"type": "text", "align": "center", "dy": -12, "fontSize": 12, "fontWeight": "bold"}
    lined = {"type": "line", "strokeWidth": 2.2, "point": {"size": 45, "filled": True}}
    rule = {"type": "rule", "strokeDash": [4, 3], "color": "#888"}
    return {
        "title": {"text": title, "anchor": "start", "fontSize": 14, "offset": 8},
        "width": WIDTH,
        "height": HEIGHT,
        "layer": [
            {"data": {"values": [{"cpu_seconds": slowest}]}, "mark": rule, "encoding": {"y": y}},
            {"data": {"values": own}, "mark": lined, "encoding": {"x": x, "y": y, "color": colour}},
            {
                "data": {"values": labels},
                "mark": text,
                "encoding": {"x": x, "y": y, "color": colour, "text": {"field": "words"}},
            },
        ],
    }


def picture(entries: Rows) -> dict[str, Any]:
    """k = 1 beside k = n, as a Vega-Lite chart."""
    return {
        "background": "white",
        "padding": 18,
        "title": {
            "text": "k-jump computed exactly: CPU seconds by rows",
            "subtitle": [
                "The last disclosure set of four nested functions, three values. Dashed: the time in which the",
                "definition finishes its largest table",
            ],
            "anchor": "start",
            "fontSize": 17,
            "subtitleFontSize": 13,
            "offset": 14,
        },
        "hconcat": [panel(entries, "1", "k = 1"), panel(entries, "n", "k = n: every jump ends in nothing")],
        "spacing": 40,
        "config": {
            "font": "sans-serif",
            "view": {"stroke": "#ddd"},
            "axis": {"labelFontSize": 11, "titleFontSize": 12, "gridColor": "#eee", "domain": False},
        },
    }


def draw(entries: Rows, folder: Path) -> None:
    """k_jump.svg and k_jump.png."""
    import vl_convert

    chart = json.dumps(picture(entries))
    (folder / "k_jump.svg").write_text(vl_convert.vegalite_to_svg(chart), encoding="utf-8")
    (folder / "k_jump.png").write_bytes(vl_convert.vegalite_to_png(chart, scale=1.5))
