"""Screenshots of pages at both widths: kept in docs/pictures/app when VOILE_PICTURES says so, else looked at and
dropped."""

import os
from pathlib import Path

KEPT = Path(__file__).parents[2] / "docs" / "pictures" / "app"
WIDTHS = (1280, 390)


def pictured(page, name, folder):
    """Both widths of what the page shows now; nothing reaches beyond the edge of a narrow screen."""
    place = KEPT if os.environ.get("VOILE_PICTURES") else Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    before = page.viewport_size
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("width => innerWidth === width", arg=width)
        beyond = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert beyond <= 0, f"{name} is {beyond} pixels wider than a screen of {width}"
        taken = place / f"{name}-{width}.png"
        page.screenshot(path=taken, full_page=name not in LONG)
        assert taken.stat().st_size > 5_000
    page.set_viewport_size(before)


LONG = ("result", "prices", "series-result", "audit-result")  # pages that end in a report: their top tells
