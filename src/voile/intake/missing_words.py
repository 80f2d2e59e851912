"""Words that mean "missing": whoever writes one of them hides a value, and says none."""

import polars as pl

from voile.core.hierarchy import Hierarchy
from voile.core.schema import ColumnSpec
from voile.intake.normalise import twin_keys

# Wherever they stand; `*` means everything in a release, so it cannot be a value.
MARKERS = ("?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "NaN", "nan", "*")
# Only in a column that otherwise holds numbers or dates.
NUMBER_MARKERS = ("-", "--", ".", "unknown", "Unknown", "UNKNOWN", "none", "None", "NONE", "missing")
# In a sensitive column, in any case: what hides a value is not another value. "none" may be one: no allergy.
_HIDING = ["?", "na", "n/a", "#n/a", "<na>", "null", "nan", "-", "--", ".", "unknown", "missing", "(missing)"]


def mean_missing(cells: pl.Series) -> pl.Series:
    """Which cells of a sensitive column are a word for missing; a blank cell is none.

    >>> mean_missing(pl.Series(["HIV", "NA", "Unknown", "none", "-", None])).to_list()
    [False, True, True, False, True, False]
    >>> mean_missing(pl.Series(["+", "-"])).to_list()  # results of a test
    [False, False]
    """
    hiding = cells.str.to_lowercase().is_in(_HIDING)
    if (cells == "+").any():
        hiding &= cells != "-"
    return hiding.fill_null(False)


def without_hiding(cells: pl.Series, spec: ColumnSpec, tree: Hierarchy | None) -> pl.Series:
    """Cells of a sensitive column, null where a word hides one. A word that the steward names is a value: in an
    order, a prior or a hierarchy."""
    hiding = mean_missing(cells)
    if not hiding.any():
        return cells
    known = (*spec.order, *(name for name, _ in spec.prior), *(tree.labels if tree is not None else ()))
    said, named = cells.fill_null(""), pl.Series(known, dtype=pl.String)
    if spec.casefold:
        said, named = twin_keys(said), twin_keys(named)
    return cells.set(hiding & ~said.is_in(named.to_list()), None)
