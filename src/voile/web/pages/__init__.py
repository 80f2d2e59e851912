"""What a steward sees: one file per page."""

from voile.web.desk import Desk


def every_page(desk: Desk) -> None:
    """Register all pages."""
    from voile.web.pages import audit, columns, hierarchy, home, promise, result, run, series

    for page in (home, columns, hierarchy, promise, run, result, series, audit):
        page.add(desk)
