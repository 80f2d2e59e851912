"""Figures 4 to 9 of paper 001 as one picture: series.svg and series.png."""

from pathlib import Path
from typing import Any

from benchmarks.pictures import write_picture

COLOURS = ["#d1495b", "#edae49", "#00798c", "#30638e", "#8d96a3", "#5b8c5a"]
Rows = list[dict[str, Any]]


def panel(
    title: str, rows: Rows, x: tuple[str, str], y: tuple[str, str], line: str, **more: Any
) -> dict[str, Any]:
    """A chart with a line per value of a field; `x` and `y` are a field and its words.

    `scale` is that of y ("linear" or "symlog"), `format` that of its numbers; `ordinal` places x evenly.
    """
    order = list(dict.fromkeys(row[line] for row in rows))
    ordinal = more.get("ordinal", True)
    marks: list[dict[str, Any]] = [{"mark": {"type": "line", "strokeWidth": 2}}]
    if ordinal:
        marks.append({"mark": {"type": "point", "filled": True, "size": 45, "opacity": 1}})
    return {
        "title": {"text": title, "anchor": "start", "fontSize": 13},
        "data": {"values": rows},
        "width": 330,
        "height": 190,
        "encoding": {
            "x": {
                "field": x[0],
                "type": "ordinal" if ordinal else "quantitative",
                "axis": {"title": x[1], "labelAngle": 0, "grid": False, "format": more.get("x_format", "")},
            },
            "y": {
                "field": y[0],
                "type": "quantitative",
                "scale": {"type": more.get("scale", "linear"), "zero": True},
                "axis": {"title": y[1], "format": more.get("format", ",d"), "tickCount": 5},
            },
            "color": {
                "field": line,
                "type": "nominal",
                "sort": order,
                "scale": {"domain": order, "range": COLOURS[: len(order)]},
                "legend": {"title": None, "orient": "bottom", "columns": 2, "symbolStrokeWidth": 3},
            },
        },
        "layer": marks,
    }


def picture(found: dict[str, Any]) -> dict[str, Any]:
    """All figures, as a Vega-Lite chart."""
    told = [{**row, "line": f"l = {row['l']}"} for row in found["figure_4"]]
    r, m = ("r", "update volume r"), ("m", "m")
    release = ("release", "release")
    share = {"format": ".0%"}
    log = {"scale": "symlog"}
    seconds, counterfeits = ("seconds", "CPU seconds"), ("counterfeits", "counterfeits per release")
    error = ("error", "median error of counts")
    panels = [
        panel("4a  l-diverse tables, group known", told, r, ("by_groups", "persons told"), "line", x_format=","),
        panel("4b  the same, boxes alone", told, r, ("by_boxes", "persons told"), "line", x_format=",", **log),
        panel("5  r = 5,000, m = 10", found["figure_5"], release, counterfeits, "line", ordinal=False, **log),
        panel("6a  m = 10", found["figure_6a"], r, counterfeits, "line", x_format=",", format=",.1f", **log),
        panel("6b  r = 5,000", found["figure_6b"], m, counterfeits, "line", format=",.1f", **log),
        panel("7  m = 10, theta = 10 %", found["figure_7"], release, error, "line", ordinal=False, **share),
        panel(
            "8a  r = 5,000, m = 10", found["figure_8a"], ("theta", "theta"), error, "line", x_format=".0%", **share
        ),
        panel("8b  r = 5,000, theta = 10 %", found["figure_8b"], m, error, "line", **share),
        panel("9a  m = 10, grouping", found["figure_9a"], r, seconds, "line", x_format=",", format=".2f"),
        panel("9b  r = 5,000, grouping", found["figure_9b"], m, seconds, "line", format=".2f"),
    ]
    return {
        "background": "white",
        "padding": 16,
        "title": {
            "text": "A series of releases: Figures 4 to 9 of paper 001 on ACS 2018",
            "anchor": "start",
            "fontSize": 17,
            "offset": 14,
        },
        "columns": 2,
        "spacing": 28,
        "concat": panels,
        "resolve": {"scale": {"color": "independent"}},
        "config": {
            "font": "sans-serif",
            "view": {"stroke": "#ddd"},
            "axis": {"labelFontSize": 11, "titleFontSize": 12, "gridColor": "#eee", "domain": False},
            "legend": {"labelFontSize": 11, "labelLimit": 300},
        },
    }


def draw(found: dict[str, Any], folder: Path) -> None:
    """series.svg and series.png."""
    write_picture(picture(found), folder, "series")
