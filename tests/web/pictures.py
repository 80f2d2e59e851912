"""Pages at both widths: nothing is wider than the screen. With VOILE_PICTURES they go to docs/pictures/app."""

import os
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "pictures" / "app"
KEPT = bool(os.environ.get("VOILE_PICTURES"))
WIDTHS = (1280, 390)


def pictured(page, name):
    """Both widths of what the page shows now; nothing reaches beyond the edge of a narrow screen."""
    before = page.viewport_size
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("width => innerWidth === width", arg=width)
        beyond = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert beyond <= 0, f"{name} is {beyond} pixels wider than a screen of {width}"
        if KEPT:
            page.screenshot(path=FOLDER / f"{name}-{width}.png", full_page=name not in LONG)
    page.set_viewport_size(before)


LONG = ("result", "prices", "series-result", "audit-result")  # pages that end in a report: their top tells
