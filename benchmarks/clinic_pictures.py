"""`python -m benchmarks.clinic_pictures`: what two releases of examples/clinic.csv tell about each patient."""

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import voile
from benchmarks.minimality_pictures import FRAME, GREEN, INK, PICTURES, RED, headed, words

EXAMPLES = Path(__file__).parents[1] / "examples"
TITLES = {"naive": "naive search: three age groups", "jump": "k-jump: two age groups"}
SEEN = ["on its face", "knowing the search"]


def dots() -> list[dict[str, Any]]:
    """A dot per patient, release and reader, at the highest share of a diagnosis."""
    table, spec = EXAMPLES / "clinic.csv", EXAMPLES / "clinic.toml"
    found = []
    with tempfile.TemporaryDirectory() as place:
        for strategy in TITLES:
            folder = Path(place) / strategy
            voile.publish(table, spec, "k_jump", folder, l=2, strategy=strategy)
            told = voile.attack_minimality(folder, spec, table).found
            for seen, tables in zip(SEEN, (told.face, told.left), strict=True):
                below: Counter[float] = Counter()
                for share in sorted(float(tables.ratios[kind]) for kind in tables.kind):
                    column = round(share * 40) / 40  # dots of one column stand on one another
                    below[column] += 1
                    tone = RED if share > 0.5 else GREEN
                    at = {"release": strategy, "seen": seen, "x": column, "height": below[column]}
                    found.append({**at, "colour": tone})
    return found


def panel(values: list[dict[str, Any]], strategy: str, seen: str) -> dict[str, Any]:
    """The patients of one release for one reader."""
    own = [dot for dot in values if dot["release"] == strategy and dot["seen"] == seen]
    last = strategy == list(TITLES)[-1]
    axis = {"values": [0, 0.25, 0.5, 0.75, 1], "format": ".0%", "grid": False, "labels": last, "ticks": last}
    x = {"field": "x", "type": "quantitative", "scale": {"domain": [0, 1.04], "nice": False}, "axis": axis}
    x["title"] = None
    y = {"field": "height", "type": "quantitative", "scale": {"domain": [0, 43], "nice": False}, "axis": None}
    colour = {"field": "colour", "type": "nominal", "scale": None}
    above = sum(dot["colour"] == RED for dot in own)
    say = [{"x": 0.52, "height": 38, "words": f"{above} of {len(own)} patients above 1/2"}]
    rule = {"type": "rule", "strokeDash": [4, 3], "color": INK, "strokeWidth": 1.5}
    return {
        "title": {"text": f"{TITLES[strategy]}, {seen}", "anchor": "start", "fontSize": 13, "offset": 6},
        "width": 350,
        "height": 200,
        "layer": [
            {"data": {"values": [{}]}, "mark": rule, "encoding": {"x": {"datum": 0.5, "type": "quantitative"}}},
            {
                "data": {"values": own},
                "mark": {"type": "point", "filled": True, "size": 17, "opacity": 1},
                "encoding": {"x": x, "y": y, "color": colour},
            },
            words(say, x, y, align="left", dx=6, fontSize=12),
        ],
    }


def picture() -> dict[str, Any]:
    """A row per release, a column per reader."""
    values = dots()
    return {
        **FRAME,
        "title": headed(
            "Sixty patients of a clinic, published twice",
            ["A dot is a patient, at the highest share of a diagnosis in the tables that are left to the reader"],
        ),
        "columns": 2,
        "spacing": {"row": 18, "column": 36},
        "concat": [panel(values, strategy, seen) for strategy in TITLES for seen in SEEN],
    }


if __name__ == "__main__":
    import vl_convert

    svg = vl_convert.vegalite_to_svg(json.dumps(picture()))
    (PICTURES / "minimality-clinic.svg").write_text(svg, encoding="utf-8")
