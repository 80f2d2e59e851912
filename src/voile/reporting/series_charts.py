"""The history of a series as charts: whom each release held, and what it allowed and lost."""

from typing import Any

import polars as pl

from voile.core.privacy_model import READER
from voile.reporting.charts import Cell, Chart, VegaLite, shown
from voile.reporting.palette import COLOURS

_SHARES = {
    "known": "published before",
    "new": "new",
    "counterfeits": "counterfeits",
    "held": "held back",
}
_RISK, _LOSS = "confidence allowed", "detail lost"


def history_charts(history: pl.DataFrame) -> list[Chart]:
    """Two charts of the releases of a series that may have been seen; none if there are none."""
    seen = pl.col("state") != "abandoned"
    ours = history.filter(pl.col("published").is_not_null(), pl.col("m").is_not_null(), seen)
    return [_persons(ours), _risk_and_loss(ours)] if ours.height else []


def _persons(ours: pl.DataFrame) -> Chart:
    counts = ours.select(
        "release",
        known=pl.col("published") - pl.col("new"),
        new="new",
        counterfeits="counterfeits",
        held=pl.sum_horizontal("changed", "erased", "waiting"),
    )
    values = [
        {"release": line["release"], "what": words, "persons": line[name], "order": i}
        for line in counts.iter_rows(named=True)
        for i, (name, words) in enumerate(_SHARES.items())
    ]
    spec = {
        "height": 220,
        "data": {"values": values},
        "mark": {"type": "bar"},
        "encoding": {
            "x": _ACROSS,
            "y": {"field": "persons", "type": "quantitative", "title": "rows", "axis": {"tickCount": 5}},
            "color": _coloured(list(_SHARES.values())),
            "order": {"field": "order"},
        },
    }
    rows: tuple[tuple[Cell, ...], ...] = tuple(counts.iter_rows())
    return Chart(
        "Who was in each release",
        "Counterfeits stand for nobody and are published; who is held back is not.",
        VegaLite(spec),
        ("release", *_SHARES.values()),
        rows,
    )


def _risk_and_loss(ours: pl.DataFrame) -> Chart:
    lines = [(r, 1 / m, loss) for r, m, loss in ours.select("release", "m", "gcp_leaves").iter_rows()]
    values = [
        {"release": release, "what": name, "share": share}
        for release, *shares in lines
        for name, share in zip((_RISK, _LOSS), shares, strict=True)
    ]
    spec = {
        "height": 220,
        "data": {"values": values},
        "mark": {"type": "line", "point": {"filled": True, "size": 50}},
        "encoding": {
            "x": _ACROSS,
            "y": {
                "field": "share",
                "type": "quantitative",
                "title": "share",
                "axis": {"format": "~%", "tickCount": 5},
                "scale": {"domainMin": 0},
            },
            "color": _coloured([_RISK, _LOSS], (COLOURS[4], COLOURS[0])),
            "shape": {"field": "what", "scale": {"domain": [_RISK, _LOSS], "range": ["square", "circle"]}},
        },
    }
    return Chart(
        "Risk and loss",
        f"The confidence with which a value may be guessed at most by {READER}, and the share of detail that was "
        "given up.",
        VegaLite(spec),
        ("release", _RISK, _LOSS),
        tuple((release, shown(risk, True), shown(loss, True)) for release, risk, loss in lines),
    )


_QUIET = {"labelAngle": 0, "labelOverlap": True}
_ACROSS = {"field": "release", "type": "ordinal", "title": "release", "axis": _QUIET}


def _coloured(names: list[str], colours: tuple[str, ...] = COLOURS) -> dict[str, Any]:
    scale = {"domain": names, "range": list(colours[: len(names)])}
    return {"field": "what", "title": None, "scale": scale, "legend": {"columns": 2}}
