"""From our own Vega-Lite to SVG and PNG; nothing is fetched from anywhere."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from voile.errors import OutputError

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"  # a name that tells the version, not an address to open


_ELSEWHERE = "import sys, vl_convert; print(vl_convert.vegalite_to_svg(sys.stdin.read(), allowed_base_urls=[]))"
INSTALL = "pip install vl-convert-python"
_drawer = [
    0
]  # the process in which the converter runs: its threads do not survive a fork, and it would wait for ever


def _converter() -> Any:
    """Of some weight: loaded to draw only. A release goes on without it, and its report says what is missing."""
    with contextlib.suppress(ImportError):
        import vl_convert

        return vl_convert
    raise OutputError("cannot be drawn without vl-convert", where="a chart", remedy=INSTALL)


def svg_of(chart: Mapping[str, Any]) -> str:
    """A chart as SVG text."""
    vl_convert = _converter()
    svg, text = "", _text(chart)
    _drawer[0] = _drawer[0] or os.getpid()
    with contextlib.suppress(Exception):  # its message may quote what is drawn
        if _drawer[0] == os.getpid():
            svg = str(vl_convert.vegalite_to_svg(text, allowed_base_urls=[]))
        else:
            run = [sys.executable, "-c", _ELSEWHERE]
            svg = subprocess.run(run, input=text, capture_output=True, text=True, check=True).stdout.strip()
    if not svg:
        raise OutputError(
            "cannot be drawn", where="a chart", remedy="leave the report out (--no-report), and please report this"
        )
    return svg


def png_of(chart: Mapping[str, Any], scale: float = 2) -> bytes:
    """A chart as a PNG file's bytes."""
    return bytes(_converter().vegalite_to_png(_text(chart), scale=scale, allowed_base_urls=[]))


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
