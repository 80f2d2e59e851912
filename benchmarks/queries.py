"""`python -m benchmarks.queries`: how wrong counts from a release are, as in Liu and Wang 2012, section 4.2.

For l = 6 to 10 and conditions on age, gender, both and all four columns: the mean error of 1,000 queries
(`qwe_mean`) with occupation and with income as the sensitive column. Writes queries.md, queries.json, queries.svg
and queries.png; needs the extra `bench` for the pictures.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import voile
from benchmarks import acs
from voile import catalog
from voile.core.boxes import Boxes
from voile.core.partition import Partition
from voile.measuring import parse_measures
from voile.rendering.release_frame import render

HERE = Path(__file__).parent
# label, algorithm, its parameters beside l, and whether columns have the weights of Liu and Wang 2012
RUNS: list[tuple[str, str, dict[str, object], bool]] = [
    ("rda (safe)", "rda", {}, False),
    ("gda (not safe)", "gda", {}, True),
    ("rda, blocks = gender (safe)", "rda", {"blocks": "gender"}, False),
    ("elig, refine = 0 (not safe)", "elig", {"refine": 0}, False),
]
ELLS = (6, 7, 8, 9, 10)
CONDITIONS = {"Age": "age", "Gender": "gender", "Age and Gender": "age+gender", "All": "all"}
SENSITIVE = {"occupation": "Occupation", "income": "Income"}
COLOURS = ["#d1495b", "#edae49", "#00798c", "#30638e", "#8d96a3", "#5b8c5a"]


def errors(
    rows: int | None = None,
    runs: list[tuple[str, str, dict[str, object], bool]] | None = None,
    queries: int = 1000,
) -> list[dict[str, Any]]:
    """One entry per sensitive column, run, l and condition; runs that the catalog lacks are left out."""
    frame, found = acs.recoded() if rows is None else acs.resampled(rows), []
    asked = {name: f"qwe_mean[queries={queries}, on={on}]" for name, on in CONDITIONS.items()}
    for sensitive, title in SENSITIVE.items():
        for label, key, parameters, weighted in RUNS if runs is None else runs:
            if key not in catalog.algorithms():
                print(f"{label}: no such algorithm, left out", file=sys.stderr)
                continue
            spec = acs.columns(sensitive, weighted=weighted)
            table = voile.read(frame.select(list(spec)), spec)
            for ell in ELLS:
                release = voile.anonymize(table, key, measure=", ".join(asked.values()), l=ell, **parameters)
                measured = release.private_record["measured"]
                found += [
                    {"sensitive": title, "run": label, "l": ell, "condition": name, "qwe_mean": measured[words]}
                    for name, words in asked.items()
                ]
    return found


def ten_thousand(rows: int = 1_000_000, turns: int = 3) -> dict[str, float]:
    """10,000 queries of `qwe_median`, estimates and truths, against one group-by of all that is published.

    The release has groups of 8 random rows, as rda makes them: wide boxes, so no group can be skipped.
    """
    spec = acs.columns()
    table = voile.read(acs.resampled(rows).select(list(spec)), spec)
    partition = Partition(np.random.default_rng(1).permutation(np.arange(rows) // 8))
    boxes = Boxes.around(table, partition)
    frame, _ = render(table, partition, boxes)
    (metric,) = parse_measures("qwe_median[queries=10000]").values()
    next(iter(parse_measures("qwe_median[queries=10]").values())).measure(boxes)  # compiled now
    ours, theirs = [], []
    for _ in range(turns):
        began = time.perf_counter()
        frame.group_by(frame.columns).len()
        between = time.perf_counter()
        error = metric.measure(boxes)
        theirs.append(between - began)
        ours.append(time.perf_counter() - between)
    seconds, one = float(np.median(ours)), float(np.median(theirs))
    return {
        "rows": rows,
        "groups": boxes.sizes.size,
        "qwe_median": float(error),
        "seconds": seconds,
        "group_by_seconds": one,
        "times_group_by": seconds / one,
    }


def picture(found: list[dict[str, Any]]) -> dict[str, Any]:
    """A Vega-Lite chart: a panel per sensitive column and condition, a line per run."""
    order = list(dict.fromkeys(entry["run"] for entry in found))
    colour = {
        "field": "run",
        "type": "nominal",
        "sort": order,
        "scale": {"domain": order, "range": COLOURS[: len(order)]},
        "legend": {"title": None, "orient": "bottom", "symbolStrokeWidth": 3, "columns": len(order)},
    }
    layer = {
        "encoding": {
            "x": {
                "field": "l",
                "type": "ordinal",
                "axis": {"title": "l", "labelAngle": 0, "grid": False, "titleFontStyle": "italic"},
            },
            "y": {
                "field": "qwe_mean",
                "type": "quantitative",
                "scale": {"zero": True},
                "axis": {"title": "mean error of 1,000 counts", "format": ".0%", "tickCount": 5},
            },
            "color": colour,
        },
        "layer": [
            {"mark": {"type": "line", "strokeWidth": 2.5}},
            {"mark": {"type": "point", "filled": True, "size": 55, "opacity": 1}},
        ],
        "width": 190,
        "height": 150,
    }
    header = {"title": None, "labelFontSize": 13, "labelFontWeight": "bold"}
    return {
        "background": "white",
        "padding": 16,
        "title": {
            "text": "How wrong are counts answered from a release?",
            "subtitle": "ACS 2018: one sensitive value, and a range of the columns over the panel. "
            "Safe: from who knows the algorithm",
            "anchor": "start",
            "fontSize": 17,
            "subtitleFontSize": 12,
            "offset": 14,
        },
        "data": {"values": found},
        "facet": {
            "column": {"field": "condition", "sort": list(CONDITIONS), "header": header},
            "row": {"field": "sensitive", "sort": list(SENSITIVE.values()), "header": header},
        },
        "spec": layer,
        "config": {
            "font": "sans-serif",
            "view": {"stroke": "#ddd"},
            "axis": {"labelFontSize": 11, "titleFontSize": 12, "gridColor": "#eee", "domain": False},
            "legend": {"labelFontSize": 13},
        },
    }


def draw(found: list[dict[str, Any]], folder: Path) -> None:
    """queries.svg and queries.png."""
    import vl_convert

    chart = json.dumps(picture(found))
    (folder / "queries.svg").write_text(vl_convert.vegalite_to_svg(chart), encoding="utf-8")
    (folder / "queries.png").write_bytes(vl_convert.vegalite_to_png(chart, scale=2))


def table_of(found: list[dict[str, Any]]) -> str:
    """The errors as Markdown: a line per run and l."""
    wide = pl.DataFrame(found).pivot("condition", index=["sensitive", "run", "l"], values="qwe_mean")
    head = wide.columns
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in wide.iter_rows():
        lines.append("| " + " | ".join(f"{c:.3f}" if isinstance(c, float) else str(c) for c in row) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, write the table and draw the picture."""
    if not acs.available():
        sys.exit("no data: put acs2018/acs-income-2018-holdout.parquet where docs/testing.md says")
    found, speed = errors(), ten_thousand()
    text = f"""# Counts from a release

Made by `python -m benchmarks.queries`. ACS 2018 recoded to the papers' domains (`benchmarks/acs.py`);
`qwe_mean` of 1,000 random queries per cell: a range of the columns named, and one sensitive value.

![errors](queries.png)

{table_of(found)}
10,000 queries on {speed["rows"]:,} rows in {speed["groups"]:,} groups, estimates and truths:
{speed["seconds"]:.2f} s, {speed["times_group_by"]:.1f} times one group-by of that release.
"""
    (HERE / "queries.md").write_text(text, encoding="utf-8")
    (HERE / "queries.json").write_text(json.dumps({"errors": found, "speed": speed}, indent=2) + "\n")
    print(text)
    draw(found, HERE)


if __name__ == "__main__":
    main()
