"""Pictures of results: Vega-Lite charts, written as SVG and PNG."""

import json
from pathlib import Path
from typing import Any

COLOURS = ["#d1495b", "#edae49", "#00798c", "#30638e", "#8d96a3", "#5b8c5a", "#7d4f9e", "#b5651d", "#333333"]
Rows = list[dict[str, Any]]


def panel(
    title: str, rows: Rows, x: tuple[str, str], y: tuple[str, str], line: str, **more: Any
) -> dict[str, Any]:
    """A chart with a line per value of a field; `x` and `y` are a field and its words.

    `scale` is that of y ("linear", "symlog" or "log"), `format` that of its numbers; `ordinal` places x evenly,
    and `in_order` as the rows come; `overlapping` lines have points of falling size, so that all can be seen.
    `ticks` of y are chosen where they are not given.
    """
    order = list(dict.fromkeys(row[line] for row in rows))
    ordinal = more.get("ordinal", True)
    marks: list[dict[str, Any]] = [{"mark": {"type": "line", "strokeWidth": 2}}]
    if ordinal:
        marks.append({"mark": {"type": "point", "filled": True, "size": 45, "opacity": 1}})
    if more.get("overlapping"):
        sizes = [30 + 160 * (len(order) - 1 - i) // len(order) for i in range(len(order))]
        size = {
            "field": line,
            "type": "nominal",
            "scale": {"type": "ordinal", "domain": order, "range": sizes},
            "legend": None,
        }
        marks[-1] = {"mark": {"type": "point", "filled": True, "opacity": 1}, "encoding": {"size": size}}
    ticks = {"values": more["ticks"]} if "ticks" in more else {"tickCount": 5}
    return {
        "title": {"text": title, "anchor": "start", "fontSize": 13},
        "data": {"values": rows},
        "width": 330,
        "height": 190,
        "encoding": {
            "x": {
                "field": x[0],
                "type": "ordinal" if ordinal else "quantitative",
                **({"sort": None} if more.get("in_order") else {}),
                "axis": {"title": x[1], "labelAngle": 0, "grid": False, "format": more.get("x_format", "")},
            },
            "y": {
                "field": y[0],
                "type": "quantitative",
                "scale": {"type": more.get("scale", "linear"), "zero": more.get("scale") != "log"},
                "axis": {"title": y[1], "format": more.get("format", ",d"), **ticks},
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


def bars(title: str, rows: Rows, x: tuple[str, str], y: tuple[str, str], line: str, **more: Any) -> dict[str, Any]:
    """The same as bars side by side, for places on x between which there is nothing; `most` is the end of y."""
    chart = panel(title, rows, x, y, line, **{"in_order": True, **more})
    order = list(dict.fromkeys(row[line] for row in rows))
    del chart["layer"]
    chart["mark"] = {"type": "bar"}
    chart["encoding"]["xOffset"] = {"field": line, "sort": order, "scale": {"domain": order}}
    if "most" in more:
        chart["encoding"]["y"]["scale"]["domainMax"] = 1.05 * more["most"]
    return chart


def sheet(title: str, panels: list[dict[str, Any]], subtitle: list[str] | None = None) -> dict[str, Any]:
    """Panels side by side, two in a row, each with a legend of its own."""
    return {
        "background": "white",
        "padding": 16,
        "title": {
            "text": title,
            **({"subtitle": subtitle, "subtitleFontSize": 12} if subtitle else {}),
            "anchor": "start",
            "fontSize": 17,
            "offset": 14,
        },
        "columns": 2,
        "spacing": 28,
        "concat": panels,
        "resolve": {"scale": {"color": "independent", "size": "independent"}},
        "config": {
            "font": "sans-serif",
            "view": {"stroke": "#ddd"},
            "axis": {"labelFontSize": 11, "titleFontSize": 12, "gridColor": "#eee", "domain": False},
            "legend": {"labelFontSize": 11, "labelLimit": 300},
        },
    }


def write_svg(chart: dict[str, Any], folder: Path, name: str) -> None:
    """name.svg."""
    import vl_convert

    (folder / f"{name}.svg").write_text(vl_convert.vegalite_to_svg(json.dumps(chart)), encoding="utf-8")


def write_picture(chart: dict[str, Any], folder: Path, name: str) -> None:
    """name.svg and name.png."""
    import vl_convert

    write_svg(chart, folder, name)
    (folder / f"{name}.png").write_bytes(vl_convert.vegalite_to_png(json.dumps(chart), scale=1.5))
