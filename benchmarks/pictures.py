"""Pictures of results: a Vega-Lite chart, written as SVG and PNG."""

import json
from pathlib import Path
from typing import Any


def write_picture(chart: dict[str, Any], folder: Path, name: str) -> None:
    """name.svg and name.png."""
    import vl_convert

    text = json.dumps(chart)
    (folder / f"{name}.svg").write_text(vl_convert.vegalite_to_svg(text), encoding="utf-8")
    (folder / f"{name}.png").write_bytes(vl_convert.vegalite_to_png(text, scale=1.5))
