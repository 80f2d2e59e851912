"""Figures 4 to 9 of Xiao and Tao 2007 as one picture: series.svg and series.png."""

from pathlib import Path
from typing import Any

from benchmarks.pictures import panel, sheet, write_picture


def picture(found: dict[str, Any]) -> dict[str, Any]:
    """All figures, as a Vega-Lite chart."""
    told = [{**row, "line": f"l = {row['l']}"} for row in found["figure_4"]]
    r, m = ("r", "update volume r"), ("m", "m")
    release = ("release", "release")
    share = {"format": ".0%"}
    log = {"scale": "symlog"}
    seconds, counterfeits = ("seconds", "CPU seconds"), ("counterfeits", "counterfeits per release")
    error = ("error", "median error of counts")
    panels = [
        panel("4a  l-diverse tables, group known", told, r, ("by_groups", "persons told"), "line", x_format=","),
        panel("4b  the same, boxes alone", told, r, ("by_boxes", "persons told"), "line", x_format=",", **log),
        panel("5  r = 5,000, m = 10", found["figure_5"], release, counterfeits, "line", ordinal=False, **log),
        panel("6a  m = 10", found["figure_6a"], r, counterfeits, "line", x_format=",", format=",.1f", **log),
        panel("6b  r = 5,000", found["figure_6b"], m, counterfeits, "line", format=",.1f", **log),
        panel("7  m = 10, theta = 10 %", found["figure_7"], release, error, "line", ordinal=False, **share),
        panel(
            "8a  r = 5,000, m = 10", found["figure_8a"], ("theta", "theta"), error, "line", x_format=".0%", **share
        ),
        panel("8b  r = 5,000, theta = 10 %", found["figure_8b"], m, error, "line", **share),
        panel("9a  m = 10, grouping", found["figure_9a"], r, seconds, "line", x_format=",", format=".2f"),
        panel("9b  r = 5,000, grouping", found["figure_9b"], m, seconds, "line", format=".2f"),
    ]
    return sheet("A series of releases: Figures 4 to 9 of Xiao and Tao 2007 on ACS 2018", panels)


def draw(found: dict[str, Any], folder: Path) -> None:
    """series.svg and series.png."""
    write_picture(picture(found), folder, "series")
