"""The running example of Xiao and Tao 2007: two quarters of a hospital, and what several releases tell
together."""

import tempfile
from pathlib import Path

import polars as pl

import voile

SPEC = {
    "name": "subject",
    "age": {"role": "qi", "type": "integer", "min_width": 2},
    "zip": {"role": "qi", "type": "integer", "min_width": 2000},
    "disease": "sensitive",
}
FIRST = [
    ("Bob", 21, 12000, "dyspepsia"),
    ("Alice", 22, 14000, "bronchitis"),
    ("Andy", 24, 18000, "flu"),
    ("David", 23, 25000, "gastritis"),
    ("Gary", 41, 20000, "flu"),
    ("Helen", 36, 27000, "gastritis"),
    ("Jane", 37, 33000, "dyspepsia"),
    ("Ken", 40, 35000, "flu"),
    ("Linda", 43, 26000, "gastritis"),
    ("Paul", 52, 33000, "dyspepsia"),
    ("Steve", 56, 34000, "gastritis"),
]
LEFT = {"Alice", "Andy", "Helen", "Ken", "Paul"}
CAME = [
    ("Emily", 25, 21000, "flu"),
    ("Mary", 46, 30000, "gastritis"),
    ("Ray", 54, 31000, "dyspepsia"),
    ("Tom", 60, 44000, "gastritis"),
    ("Vince", 65, 36000, "flu"),
]


def table(rows):
    """Rows as a table that can be published."""
    return pl.DataFrame(rows, schema=["name", "age", "zip", "disease"], orient="row")


quarters = [table(FIRST), table([row for row in FIRST if row[0] not in LEFT] + CAME)]
with tempfile.TemporaryDirectory() as place:
    folder = Path(place)
    series = voile.Series.create(folder / "hospital.ledger", key=folder / "elsewhere" / "hospital.key")
    for rows in quarters:
        plan, _ = series.publish(voile.read(rows, SPEC), m=2)
        print(plan)
    releases = [folder / "release-1", folder / "release-2"]
    print(pl.read_csv(releases[1] / "data.csv"))
    report = voile.audit_series(releases, SPEC, known=quarters)
    print("both together:", "all promises met" if report.ok else report.failures)
