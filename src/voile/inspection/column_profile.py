"""What a column looks like, from its distinct cells: counts, shapes and types. No cell is kept in words."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.schema import ColumnSpec, Role, Type
from voile.intake.columns import factorised
from voile.intake.exact_sets import COMMA, DAY, MOMENT, OTHER_DATE, looks_like
from voile.intake.missing_words import MARKERS, NUMBER_MARKERS, mean_missing
from voile.intake.normalise import twin_keys

OTHER_DATES = "dates that are not YYYY-MM-DD"
DECIMAL_COMMA = "numbers with a decimal comma"
WITH_TIME = "dates with a time"
NAMES = "names of persons"
UUIDS = "UUIDs"
LONG_NUMBERS = "long numbers"

# Shapes of cells; a column has one when nine of ten distinct cells do.
SHAPES = {
    "email addresses": r"^[^@\s]+@[^@\s]+\.[a-zA-Z]{2,}$",
    UUIDS: r"(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
    "web addresses": r"(?i)^(https?://|www\.)\S+$",
    "IP addresses": r"^([0-9]{1,3}\.){3}[0-9]{1,3}$",
    "IBANs": r"(?i)^[A-Z]{2}[0-9]{2}( ?[A-Z0-9]{4}){2,7}( ?[A-Z0-9]{1,3})?$",
    OTHER_DATES: OTHER_DATE,
    WITH_TIME: MOMENT,
    DECIMAL_COMMA: COMMA,
    "phone numbers": r"^(\+|00?)[0-9()][0-9 ()/.\-]{6,}[0-9]$|^\(?[0-9]{3}\)?[ -][0-9]{3}-[0-9]{4}$",
    LONG_NUMBERS: r"^[0-9][0-9 .\-/]{7,}[0-9]$",
    NAMES: r"^\p{Lu}[\p{L}'\u2019.\-]+,? (\p{Lu}[\p{L}'\u2019.\-]* )*\p{Lu}[\p{L}'\u2019.\-]*$",
}
GIVEAWAYS = ("email addresses", "web addresses", "IP addresses", "IBANs", "phone numbers")
_WHOLE = r"^[+-]?[0-9]+$"
_DECIMAL = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)$"
_CODE = r"^0[0-9]+$"
_FEW = 12  # distinct values of a scale
_LONG = 15  # digits beyond which intake refuses a number


@dataclass(frozen=True, repr=False, eq=False)
class ColumnProfile:
    """Counts of a column, and the shape of its distinct cells."""

    name: str
    rows: int
    missing: int
    counts: NDArray[np.int64]  # rows per distinct value; a missing cell is none
    merged: NDArray[np.int64]  # the same with twins as one value
    top_cell: str  # only shown on request
    markers: tuple[str, ...]  # words found that mean "missing"
    doubtful: tuple[str, ...]  # words found that mean it in other columns
    hiding: tuple[str, ...]  # words found that mean it if the column is sensitive
    type: Type
    shape: str  # a key of SHAPES, or ""
    floating: bool  # stored as floating-point numbers
    readable: bool  # of a type that intake knows
    running: bool  # 1, 2, 3, ...: a row number
    long: bool  # numbers of more than 15 digits
    coded: bool  # digits with a leading zero: codes, not numbers
    length: float  # mean number of characters of a distinct cell
    words: tuple[str, ...]  # the distinct cells of a column with few, for known scales; never shown

    @property
    def distinct(self) -> int:
        """How many different values there are."""
        return int(self.counts.size)

    @property
    def top(self) -> int:
        """Rows of the most frequent value."""
        return int(self.counts.max()) if self.counts.size else 0

    @property
    def twins(self) -> int:
        """Values that differ from another only in case or width."""
        return int(self.counts.size - self.merged.size)

    @property
    def uniqueness(self) -> float:
        """Different values per row that has one; 1 for a key."""
        known = self.rows - self.missing
        return self.distinct / known if known else 0.0


def profile(name: str, series: pl.Series, also_missing: Collection[str] = ()) -> ColumnProfile:
    """Look at a column once per distinct cell; `also_missing`: markers that other columns brought up."""
    if not _is_readable(series):
        return _opaque(name, series)
    table = _counted(name, series)
    usual = [*MARKERS, *NUMBER_MARKERS, *also_missing]
    words = table["cell"].filter(table["cell"].is_in(usual).fill_null(False)).to_list()
    found = sorted({*_markers(table["cell"], words), *(w for w in words if w in also_missing)})
    known = table.filter(pl.col("cell").is_not_null() & ~pl.col("cell").is_in(found).fill_null(False))
    values, counts = known["cell"], known["count"].to_numpy().astype(np.int64)
    merged = known.group_by(twin_keys(values).alias("key"), maintain_order=True).agg(pl.col("count").sum())
    type_ = Type.DATE if series.dtype == pl.Date else _type_of(values)
    number = type_ in (Type.INTEGER, Type.DECIMAL)
    return ColumnProfile(
        name=name,
        rows=series.len(),
        missing=series.len() - int(counts.sum()),
        counts=counts,
        merged=merged["count"].to_numpy().astype(np.int64),
        top_cell=values[int(counts.argmax())] if counts.size else "",
        markers=tuple(found),
        doubtful=tuple(sorted(set(words) - set(found))),
        hiding=tuple(values.filter(mean_missing(values)).to_list()),
        type=type_,
        shape="" if type_ in (Type.DATE, Type.DECIMAL) else _shape_of(values),
        floating=series.dtype.is_float(),
        readable=True,
        running=type_ == Type.INTEGER and _is_running(values, series.len()),
        long=number and _digits(values) > _LONG,
        coded=type_ == Type.CATEGORY and bool(values.len()) and bool(values.str.contains(_WHOLE).all()),
        length=float(np.mean(values.str.len_chars().to_numpy())) if values.len() else 0.0,
        words=tuple(values.to_list()) if values.len() <= _FEW else (),
    )


def _counted(name: str, series: pl.Series) -> pl.DataFrame:
    """Distinct normalised cells and their rows, in a fixed order."""
    type_ = Type.DECIMAL if series.dtype.is_float() else Type.CATEGORY
    cells = factorised(ColumnSpec(name, Role.QUASI_IDENTIFYING, type_), series, ())
    sizes = np.bincount(cells.index, minlength=cells.distinct.len())
    table = pl.DataFrame({"cell": cells.distinct, "count": sizes}).filter(pl.col("count") > 0)
    return table.group_by("cell", maintain_order=True).agg(pl.col("count").sum())


def _is_readable(series: pl.Series) -> bool:
    kind = series.dtype
    return kind.is_numeric() or kind in (pl.String, pl.Boolean, pl.Date, pl.Categorical, pl.Enum, pl.Null)


def _opaque(name: str, series: pl.Series) -> ColumnProfile:
    """A column of lists, bytes or moments: it cannot be published as it is."""
    nothing = np.zeros(0, np.int64)
    return ColumnProfile(
        name=name,
        rows=series.len(),
        missing=series.null_count(),
        counts=nothing,
        merged=nothing,
        top_cell="",
        markers=(),
        doubtful=(),
        hiding=(),
        type=Type.CATEGORY,
        shape=WITH_TIME if series.dtype in (pl.Datetime, pl.Time, pl.Duration) else "",
        floating=False,
        readable=False,
        running=False,
        long=False,
        coded=False,
        length=0.0,
        words=(),
    )


def _markers(text: pl.Series, words: list[str]) -> list[str]:
    """The words of a column that mean "missing" in it."""
    found = [word for word in words if word in MARKERS]
    rest = text.filter(~text.is_in(words).fill_null(False)).drop_nulls() if words else text.drop_nulls()
    if "NA" in found and rest.len() > 1 and rest.str.contains("^[A-Z]{2}$").all():
        found.remove("NA")  # Namibia among two-letter countries
    return words if words and rest.len() and _type_of(rest) != Type.CATEGORY else found


def _type_of(values: pl.Series) -> Type:
    """The type that reads every distinct value; codes with leading zeros stay categories."""
    if values.len() == 0 or values.str.contains(_CODE).any():
        return Type.CATEGORY
    if values.str.contains(_WHOLE).all():
        return Type.INTEGER
    if values.str.contains(_DECIMAL).all():
        return Type.DECIMAL
    if values.str.contains(DAY).all() and values.str.to_date("%Y-%m-%d", strict=False).null_count() == 0:
        return Type.DATE
    return Type.CATEGORY


def _shape_of(values: pl.Series) -> str:
    """What at least nine of ten distinct values look like, as far as it is known."""
    for shape, pattern in SHAPES.items():
        if looks_like(values, pattern):
            return shape
    return ""


def _digits(values: pl.Series) -> int:
    """Digits of the longest value, read with the decimals of the finest one, as intake does."""
    digits = values.str.strip_chars_start("+-")
    whole = digits.str.extract(r"^([0-9]*)").str.strip_chars_start("0").str.len_chars().to_numpy()
    part = digits.str.extract(r"\.([0-9]*)$").fill_null("").str.strip_chars_end("0").str.len_chars().to_numpy()
    return int(whole.max() + part.max())


def _is_running(values: pl.Series, rows: int) -> bool:
    """Whether the values are consecutive whole numbers, one per row."""
    if values.len() != rows or rows < 3 or _digits(values) > _LONG:
        return False
    numbers = values.cast(pl.Int64).to_numpy()
    return int(numbers.max() - numbers.min()) == rows - 1
