"""Rows against CPU seconds of the exact engine and of the definition: k_jump.svg and k_jump.png."""

from pathlib import Path
from typing import Any

from benchmarks.pictures import write_picture

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
    y = {
        "field": "cpu_seconds",
        "type": "quantitative",
        "scale": {"type": "log", "domain": [0.001, 300]},
        "axis": seconds,
    }
    colour = {
        "field": "side",
        "type": "nominal",
        "scale": {"domain": list(COLOURS), "range": list(COLOURS.values())},
        "legend": None,
    }
    lined = {"type": "line", "strokeWidth": 2.2, "point": {"size": 45, "filled": True}}
    rule = {"type": "rule", "strokeDash": [4, 3], "color": "#888"}
    return {
        "title": {"text": title, "anchor": "start", "fontSize": 14, "offset": 8},
        "width": WIDTH,
        "height": HEIGHT,
        "layer": [
            {"data": {"values": [{"cpu_seconds": slowest}]}, "mark": rule, "encoding": {"y": y}},
            {"data": {"values": own}, "mark": lined, "encoding": {"x": x, "y": y, "color": colour}},
            *(_end(own, side, x, y) for side in COLOURS),
        ],
    }


def _end(own: Rows, side: str, x: dict[str, Any], y: dict[str, Any]) -> dict[str, Any]:
    """The largest table of a side, in words: above the line of the reference, beside that of the engine."""
    last = max((entry for entry in own if entry["side"] == side), key=lambda entry: entry["rows"])
    inwards = last["rows"] > 100
    place = (
        {"dx": -4, "dy": -11}
        if side == "reference"
        else {"dx": -12 if inwards else 12, "dy": -7 if inwards else 13}
    )
    text = {"type": "text", "fontSize": 12, "fontWeight": "bold", "color": COLOURS[side], **place}
    text["align"] = "right" if inwards else "left"
    return {
        "data": {"values": [{**last, "words": f"{side}: {last['rows']} rows"}]},
        "mark": text,
        "encoding": {"x": x, "y": y, "text": {"field": "words"}},
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
                "definition (reference) finishes its largest table. Four leaves where both run, eight beyond",
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
    write_picture(picture(entries), folder, "k_jump")
