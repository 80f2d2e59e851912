"""What a steward sees: one file per page."""

from voile.web.desk import Desk


def every_page(desk: Desk) -> None:
    """Register all pages."""
    from voile.web.pages import (
        audit,
        columns,
        hierarchy,
        home,
        promise,
        result,
        run,
        series,
        series_history,
        series_preview,
        series_result,
    )

    of_series = (series, series_history, series_preview, series_result)
    for page in (home, columns, hierarchy, promise, run, result, *of_series, audit):
        page.add(desk)
