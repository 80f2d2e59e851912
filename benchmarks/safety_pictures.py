"""safety.png, safety_queries.png and the same as SVG: loss by l, and errors of counts by l, a line per run."""

from pathlib import Path
from typing import Any

from benchmarks.pictures import write_picture
from benchmarks.safety_tables import TABLES, TUNED

STYLES = {  # colour, and a dashed line for what is not safe
    "glass": ("#d1495b", "safe"),
    "glass, fast": ("#edae49", "safe"),
    "symb": ("#7d4f9e", "safe"),
    "blind_cut": ("#00798c", "safe"),
    "rda": ("#30638e", "safe"),
    "elig": ("#5b8c5a", "not safe"),
    "bsgi": ("#8d96a3", "not safe"),
    "mondrian": ("#b5651d", "not safe"),
}
DASHES = {"safe": [1, 0], "not safe": [5, 3]}
SHORT = {"adult7": "Adult, seven QI", "adult6": "Adult, six QI", "acs": "ACS, five QI"}
WORDS = {"sex": "one sex", "age": "a range of ages", "age+sex": "both"}
Rows = list[dict[str, Any]]


def losses(entries: Rows) -> dict[str, Any]:
    """A panel per table: GCP by l on a logarithmic axis."""
    shown = _styled([entry for entry in entries if entry["table"] in TUNED])
    panels = [
        _panel(SHORT[name], [row for row in shown if row["table"] == name], "gcp_leaves", _logarithmic(i == 0))
        for i, name in enumerate(TUNED)
    ]
    return _sheet(
        "What safety from someone who knows the algorithm costs",
        "Loss of detail (GCP): 0 is exact, 1 is anything. Logarithmic axis, down is better",
        panels,
        3,
    )


def errors(found: Rows) -> dict[str, Any]:
    """A panel per table and condition: mean error of counts by l."""
    shown, panels = _styled(found), []
    for name in TABLES:
        for i, condition in enumerate(TABLES[name].queried):
            own = [row for row in shown if (row["table"], row["condition"]) == (name, condition)]
            panels.append(_panel(f"{SHORT[name]}: {WORDS[condition]}", own, "error", _linear(i == 0)))
    return _sheet(
        "How wrong are counts answered from a release?",
        "Mean error of 400 counts of one sensitive value and one sex, a range of ages, or both. Down is better",
        panels,
        3,
    )


def _styled(rows: Rows) -> Rows:
    keep = ("table", "run", "l", "condition", "gcp_leaves", "error")
    return [
        {**{name: row[name] for name in keep if name in row}, "tier": STYLES[row["run"]][1]}
        for row in rows
        if row["run"] in STYLES
    ]


def _logarithmic(titled: bool) -> dict[str, Any]:
    axis = {"title": "GCP" if titled else None, "format": "~g", "values": [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]}
    return {"type": "quantitative", "scale": {"type": "log", "domain": [0.01, 1]}, "axis": axis}


def _linear(titled: bool) -> dict[str, Any]:
    axis = {"title": "mean error" if titled else None, "format": ".0%", "tickCount": 5}
    return {"type": "quantitative", "scale": {"zero": True}, "axis": axis}


def _panel(title: str, rows: Rows, field: str, y: dict[str, Any]) -> dict[str, Any]:
    order = [label for label in STYLES if any(row["run"] == label for row in rows)]
    legend = {"title": None, "orient": "bottom", "columns": 8, "symbolStrokeWidth": 3, "labelFontSize": 12}
    colours = {"domain": order, "range": [STYLES[label][0] for label in order]}
    encoding = {
        "x": {"field": "l", "type": "ordinal", "axis": {"title": "l", "labelAngle": 0, "grid": False}},
        "y": {"field": field, **y},
        "color": {"field": "run", "type": "nominal", "scale": colours, "legend": legend},
        "strokeDash": {
            "field": "tier",
            "type": "nominal",
            "scale": {"domain": list(DASHES), "range": list(DASHES.values())},
            "legend": legend,
        },
    }
    points = {name: encoding[name] for name in ("x", "y", "color")}
    return {
        "title": {"text": title, "anchor": "start", "fontSize": 13},
        "data": {"values": rows},
        "width": 270,
        "height": 230,
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 2.2}, "encoding": encoding},
            {"mark": {"type": "point", "filled": True, "size": 42, "opacity": 1}, "encoding": points},
        ],
    }


def _sheet(title: str, subtitle: str, panels: Rows, columns: int) -> dict[str, Any]:
    return {
        "background": "white",
        "padding": 16,
        "title": {"text": title, "subtitle": subtitle, "subtitleFontSize": 12, "anchor": "start", "fontSize": 17}
        | {"offset": 14},
        "columns": columns,
        "spacing": 26,
        "concat": panels,
        "config": {
            "font": "sans-serif",
            "view": {"stroke": "#ddd"},
            "axis": {"labelFontSize": 11, "titleFontSize": 12, "gridColor": "#eee", "domain": False},
        },
    }


def draw(found: dict[str, Any], folder: Path) -> None:
    """Both pictures."""
    write_picture(losses(found["entries"]), folder, "safety")
    write_picture(errors(found["errors"]), folder, "safety_queries")
