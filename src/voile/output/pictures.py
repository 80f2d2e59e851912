"""Pictures from our own Vega-Lite, as SVG or PNG; nothing is fetched from anywhere."""

from pathlib import Path
from typing import Any

import polars as pl

from voile.errors import OutputError, ParameterError
from voile.output.drawing import png_of, svg_of
from voile.output.writers import write_bytes

_KINDS = (".svg", ".png")
_INK, _COLOURS = "#333", ["#4c78a8", "#9ecae9", "#f58518", "#b279a2", "#e45756", "#bab0ac"]
_SHARES = {
    "known": "published before",
    "new": "new",
    "counterfeits": "counterfeits",
    "changed": "held back: value changed",
    "erased": "held back: erased",
    "waiting": "held back: waiting",
}


def history_picture(history: pl.DataFrame, path: Path) -> Path:
    """The releases of a series: who was published, what was added and held back, how much detail was lost.

    `path` ends in .svg or .png; a file is never overwritten.
    """
    if path.suffix.lower() not in _KINDS:
        raise ParameterError("unknown kind of picture", where=path.name, rule="a name ending in .svg or .png")
    if path.exists():
        raise OutputError("is already there", where=path.name, rule="a file is never overwritten")
    ours = history.filter(pl.col("published").is_not_null(), pl.col("state") != "abandoned")
    chart = _history_chart(ours)
    return write_bytes(png_of(chart) if path.suffix.lower() == ".png" else svg_of(chart).encode(), path)


def _history_chart(ours: pl.DataFrame) -> dict[str, Any]:
    counts = ours.with_columns(known=pl.col("published") - pl.col("new"))
    rows = [
        {"release": line["release"], "what": words, "persons": line[name], "order": i}
        for line in counts.iter_rows(named=True)
        for i, (name, words) in enumerate(_SHARES.items())
    ]
    loss = [{"release": r, "loss": 100 * x} for r, x in ours.select("release", "gcp_leaves").iter_rows()]
    held = [row for row in rows if row["order"] > 1]
    return {
        "background": "white",
        "config": {"font": "sans-serif", "view": {"stroke": None}, "axis": {"labelColor": _INK, "grid": False}},
        "vconcat": [
            _bars([row for row in rows if row["order"] < 2], "persons published", 150),
            _bars(held, "added, held back", 90),
            {
                "width": 520,
                "height": 70,
                "data": {"values": loss},
                "mark": {"type": "line", "point": True, "color": _INK},
                "encoding": {
                    "x": {"field": "release", "type": "ordinal", "title": "release", "axis": {"labelAngle": 0}},
                    "y": {"field": "loss", "type": "quantitative", "title": "loss, %"},
                },
            },
        ],
    }


def _bars(rows: list[dict[str, Any]], title: str, height: int) -> dict[str, Any]:
    words = list(_SHARES.values())
    return {
        "width": 520,
        "height": height,
        "data": {"values": rows},
        "mark": {"type": "bar"},
        "encoding": {
            "x": {"field": "release", "type": "ordinal", "title": None, "axis": {"labels": False, "ticks": False}},
            "y": {"field": "persons", "type": "quantitative", "title": title},
            "color": {
                "field": "what",
                "type": "nominal",
                "title": None,
                "scale": {"domain": words, "range": _COLOURS},
                "legend": {"orient": "right"},
            },
            "order": {"field": "order"},
        },
    }
