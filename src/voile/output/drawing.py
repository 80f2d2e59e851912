"""From our own Vega-Lite to SVG and PNG; nothing is fetched from anywhere."""

import contextlib
import json
from collections.abc import Mapping
from typing import Any

from voile.errors import OutputError

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"  # a name that tells the version, not an address to open


def svg_of(chart: Mapping[str, Any]) -> str:
    """A chart as SVG text."""
    import vl_convert  # of some weight: only who draws loads it

    svg = None
    with contextlib.suppress(Exception):  # its message may quote what is drawn
        svg = str(vl_convert.vegalite_to_svg(_text(chart), allowed_base_urls=[]))
    if svg is None:
        raise OutputError(
            "cannot be drawn", where="a chart", remedy="leave the report out (--no-report), and please report this"
        )
    return svg


def png_of(chart: Mapping[str, Any], scale: float = 2) -> bytes:
    """A chart as a PNG file's bytes."""
    import vl_convert

    return bytes(vl_convert.vegalite_to_png(_text(chart), scale=scale, allowed_base_urls=[]))


LONGEST = 120  # characters of a text in a chart


def _text(chart: Mapping[str, Any]) -> str:
    return json.dumps({"$schema": SCHEMA, **_harmless(chart)}, default=float)


def _harmless(part: Any) -> Any:
    """Texts that can be drawn: the converter measures them, takes minutes for very long ones, and a NUL ends the
    whole process.

    >>> _harmless({"values": [{"name": "a" + chr(0)}], "width": 3})
    {'values': [{'name': 'a\ufffd'}], 'width': 3}
    """
    if isinstance(part, str):
        plain = "".join(c if c.isprintable() else "\ufffd" for c in part[:LONGEST])
        return plain + "\u2026" if len(part) > LONGEST else plain
    if isinstance(part, Mapping):
        return {name: _harmless(value) for name, value in part.items()}
    return [_harmless(value) for value in part] if isinstance(part, list | tuple) else part
