"""Words that mean "missing": whoever writes one of them hides a value, and says none."""

from collections.abc import Sequence

import polars as pl

# Wherever they stand; `*` means everything in a release, so it cannot be a value.
MARKERS = ("?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "NaN", "nan", "*")
# Only in a column that otherwise holds numbers or dates.
NUMBER_MARKERS = ("-", "--", ".", "unknown", "Unknown", "UNKNOWN", "none", "None", "NONE", "missing")
# In a sensitive column, in any case: what hides a value is not another value. "none" may be one: no allergy.
_HIDING = ["?", "na", "n/a", "#n/a", "<na>", "null", "nan", "-", "--", ".", "unknown", "missing", "(missing)"]


def mean_missing(cells: pl.Series) -> pl.Series:
    """Which cells of a sensitive column are a word for missing; a blank cell is none.

    >>> mean_missing(pl.Series(["HIV", "NA", "Unknown", "none", None])).to_list()
    [False, True, True, False, False]
    """
    return cells.str.to_lowercase().is_in(_HIDING).fill_null(False)


def without_hiding(cells: pl.Series, named: Sequence[str]) -> pl.Series:
    """Cells of a sensitive column, null where a word hides one; a word that the steward names, in an order or a
    hierarchy, is a value."""
    hiding = mean_missing(cells) & ~cells.is_in(named).fill_null(False)
    return cells.set(hiding, None) if hiding.any() else cells
