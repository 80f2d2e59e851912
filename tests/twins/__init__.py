"""Twins: tables with the columns, domains and shares of real ones, made by a seeded generator; nobody is in them.

Tests use them and never the real tables, so that a run is the same wherever it runs. `python -m benchmarks.twins`
sets them beside the real tables.
"""

from pathlib import Path

FILES = {
    "adult": ("adult/adult.data", "adult/adult.test"),
    "nursery": ("nursery/nursery.data",),
    "acs": ("acs2018/acs-income-2018-holdout.parquet",),
    "work": ("longitudinal/nlswork.csv",),
}


def write(folder: Path, *names: str) -> None:
    """Twins in the files in which the real tables are: those named, or all."""
    from tests.twins import acs, adult, nursery, work

    for name, twin in {"adult": adult, "nursery": nursery, "acs": acs, "work": work}.items():
        if not names or name in names:
            twin.write(folder)
