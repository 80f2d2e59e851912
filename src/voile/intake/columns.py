"""A column of cells becomes integer codes and a domain, as the schema types it.

Cells are looked at once per distinct value: `factorised` gives the distinct cells and an index
into them, the parsers below turn distinct cells into codes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.hierarchy import EVERYTHING, Hierarchy
from voile.core.hierarchy_builders import tree_of_codes, tree_on
from voile.core.hierarchy_recipe import Recipe
from voile.core.schema import ColumnSpec, Missing, Role, Type
from voile.errors import HierarchyError, InputError, SpecError, counted
from voile.intake.missing_words import without_hiding
from voile.intake.normalise import normalised, one_spelling, written_once

MISSING_LABEL = "(missing)"
_NOWHERE = np.iinfo(np.int64).min  # the code of a missing value until a policy is applied
UNCOVERED = _NOWHERE + 1  # of a value that its hierarchy lacks
_NUMBERS = {Type.INTEGER: r"^[+-]?[0-9]+$", Type.DECIMAL: r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)$"}
_FIRST_ROWS = 10_000
DIGITS = 15  # of a number at most: longer ones are identifiers, and would not fit exact arithmetic


@dataclass(frozen=True, repr=False, eq=False)
class Cells:
    """Distinct cells as normalised text (null: missing), and which one each row has."""

    distinct: pl.Series
    index: NDArray[np.int64]
    where: str

    def in_rows(self) -> pl.Series:
        """The normalised cell of each row."""
        return self.distinct.gather(self.index)

    def first_row(self, bad: pl.Series) -> str:
        """Where the first row with one of these distinct cells is; rows count from 1."""
        return f"{self.where}, row {int(np.argmax(bad.to_numpy()[self.index])) + 1}"

    def rows_with(self, some: pl.Series) -> int:
        """How many rows have one of these distinct cells."""
        return int(some.to_numpy()[self.index].sum())

    def merged(self) -> int:
        """Spellings that turned out to be another's value."""
        known = self.distinct.drop_nulls()
        return known.len() - known.n_unique()


def factorised(spec: ColumnSpec, series: pl.Series, markers: Sequence[str]) -> Cells:
    """Distinct normalised cells of a column."""
    where = f"column {spec.name}"
    if series.dtype.is_float() and spec.type in (Type.CATEGORY, Type.ORDINAL):
        raise InputError(
            "floating-point cells", where=where, rule=f"type = {spec.type}", remedy="type = decimal reads them"
        )
    text = series if series.dtype == pl.String else _text_of(series, where)
    raw, index = indexed(text)
    clean = normalised(raw)
    words = _normal_words(markers) + ([] if spec.type in (Type.CATEGORY, Type.ORDINAL) else ["NaN", "nan", "NAN"])
    clean = clean.set(clean.is_in(words).fill_null(False), None) if words else clean
    return Cells(clean.append(pl.Series([None], dtype=pl.String)), index, where)


def indexed(text: pl.Series) -> tuple[pl.Series, NDArray[np.int64]]:
    """The distinct cells, sorted, and which of them each row has; a missing one has the number after.

    In a long column of few values the first rows have them all, mostly: looking the rest up among
    those is half the work of looking for more.
    """
    for seen in (text.head(_FIRST_ROWS), text):
        raw = seen.unique().drop_nulls().sort()
        place = text.cast(pl.Enum(raw), strict=False).to_physical()
        if place.null_count() == text.null_count():
            break
    return raw, place.fill_null(raw.len()).to_numpy().astype(np.int64)


def _normal_words(words: Sequence[str]) -> list[str]:
    """Words of the spec, spelled like the cells they are compared with."""
    return normalised(pl.Series(words, dtype=pl.String)).drop_nulls().to_list()


def _text_of(series: pl.Series, where: str) -> pl.Series:
    """Typed cells of a Parquet file as text."""
    plain = series.dtype.is_numeric() or series.dtype in (pl.Boolean, pl.Date, pl.Categorical, pl.Enum)
    if not plain and series.dtype != pl.Null:
        raise InputError(
            "cells of an unsupported type",
            where=where,
            rule="text, number, date or true/false",
            remedy="convert the column before publishing",
        )
    if series.dtype.is_float():
        whole = series.round(0)
        if ((series == whole) | series.is_null() | series.is_nan()).all() and series.abs().max() is not None:
            big = series.abs().fill_nan(0).max()
            if isinstance(big, float) and big < 10.0**DIGITS:  # 3.0 is 3; infinity stays text
                return whole.fill_nan(None).cast(pl.Int64).cast(pl.String)
        single = series.dtype == pl.Float32  # 0.1 in 32 bits is written 0.1, not 0.10000000149
        plain_text = {
            x: f"{Decimal(str(np.float32(x)) if single else repr(x)):f}"
            for x in series.unique().drop_nulls().to_list()
        }
        return series.replace_strict(plain_text, return_dtype=pl.String)
    return series.cast(pl.String)


def days(series: pl.Series, where: str) -> pl.Series:
    """Moments at midnight, as data frames keep dates, as the days they are; all else as it is."""
    if not isinstance(series.dtype, pl.Datetime):
        return series
    local = series.dt.replace_time_zone(None)
    days = local.dt.date()
    timed = (local != days.cast(local.dtype)).fill_null(False)
    if timed.any():
        raise InputError(
            f"{counted(int(timed.sum()), 'cell')} with a time of day, the first here",
            where=f"{where}, row {int(np.argmax(timed.to_numpy())) + 1}",
            rule="dates have none",
            remedy="cut the time off before publishing",
        )
    return days


def _refuse_other_types(cells: Cells, sound: pl.Series, type_: str, remedy: str) -> None:
    """Raise for known cells that are not sound."""
    bad = cells.distinct.is_not_null() & ~sound.fill_null(False)
    if bad.any():
        raise InputError(
            f"{counted(cells.rows_with(bad), 'cell')} not of this type, the first here",
            where=cells.first_row(bad),
            rule=f"type = {type_}",
            remedy=remedy,
        )


def _parse_numbers(cells: Cells, spec: ColumnSpec) -> tuple[pl.Series, int]:
    """Distinct cells as whole multiples of 10**-scale; scale 0 for integers."""
    text = cells.distinct
    remedy = "correct the cell, or list the word under [file] missing if it means a missing value"
    _refuse_other_types(cells, text.str.contains(_NUMBERS[spec.type]), spec.type, remedy)
    digits = text.str.strip_chars_start("+-")
    whole = digits.str.extract(r"^([0-9]*)").str.strip_chars_start("0")
    part = digits.str.extract(r"\.([0-9]*)$").fill_null("").str.strip_chars_end("0")
    scale = max(part.str.len_chars().unique().drop_nulls().to_list(), default=0)
    recipe = spec.hierarchy.numbers if isinstance(spec.hierarchy, Recipe) else ()
    for fraction in (spec.grid, spec.min_width, *recipe):  # the grid must be whole steps, too
        while fraction is not None and (fraction * 10**scale).denominator != 1 and scale < DIGITS:
            scale += 1
    magnitude = whole + part.str.pad_end(scale, "0")
    _refuse_long(cells, magnitude.str.len_chars() > DIGITS)
    codes = ("0" + magnitude).cast(pl.Int64)
    return codes.zip_with(~text.str.starts_with("-").fill_null(False), -codes), scale


def _refuse_long(cells: Cells, long: pl.Series) -> None:
    if long.any():
        raise InputError(
            "a number of more than 15 digits",
            where=cells.first_row(long.fill_null(False)),
            rule="numbers fit exact arithmetic",
            remedy="round the column, or declare it identifying if it is a number of a person",
        )


_DATES = "write dates as YYYY-MM-DD, or list the word under [file] missing if it means a missing value"


def _parse_dates(cells: Cells, spec: ColumnSpec) -> pl.Series:
    shaped = cells.distinct.str.contains(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$").fill_null(False)
    days = cells.distinct.set(~shaped, None).str.to_date("%Y-%m-%d", strict=False)
    _refuse_other_types(cells, days.is_not_null(), spec.type, _DATES)
    return days.to_physical()


def _parse_ranks(cells: Cells, spec: ColumnSpec) -> pl.Series:
    order = _normal_words(spec.order)
    _refuse_other_types(cells, cells.distinct.is_in(order), spec.type, "add the value to order")
    return cells.distinct.cast(pl.Enum(order)).to_physical()


def _steps(fraction: Fraction | None, scale: int) -> int | None:
    return None if fraction is None else max(1, int(fraction * 10**scale))


def _axis(spec: ColumnSpec, codes: pl.Series, scale: int = 0) -> Axis:
    """The axis that spans some codes."""
    low, high = codes.min(), codes.max()
    ends = (low, high) if isinstance(low, int) and isinstance(high, int) else (0, 0)
    grid, width = _steps(spec.grid, scale), _steps(spec.min_width, scale)
    return Axis(spec.type, *ends, scale, tuple(_normal_words(spec.order)), grid, width)


def _parsed(spec: ColumnSpec, cells: Cells) -> tuple[Axis, pl.Series]:
    if spec.type == Type.DATE:
        codes, scale = _parse_dates(cells, spec), 0
    elif spec.type == Type.ORDINAL:
        codes, scale = _parse_ranks(cells, spec), 0
    else:
        codes, scale = _parse_numbers(cells, spec)
    codes = codes.cast(pl.Int64)
    return _axis(spec, codes, scale), codes


def native_codes(spec: ColumnSpec, series: pl.Series) -> pl.Series | None:
    """Codes of a column that the file has typed as the schema does; None: read it as text."""
    if spec.type == Type.DATE and series.dtype == pl.Date:
        return series.to_physical().cast(pl.Int64)
    if spec.type == Type.INTEGER and series.dtype.is_integer():
        ends = [end for end in (series.min(), series.max()) if isinstance(end, int)]
        if all(abs(end) < 10**DIGITS for end in ends):
            return series.cast(pl.Int64)
    return None


def _tree(spec: ColumnSpec, cells: Cells, hierarchy: Hierarchy | None) -> tuple[Hierarchy, pl.Series]:
    labels = cells.distinct.drop_nulls().unique()
    spelling = one_spelling(labels, hierarchy.labels[: hierarchy.leaves] if hierarchy else ())
    twins = labels.len() - spelling.n_unique()
    if twins and spec.role == Role.SENSITIVE and spec.casefold is None:
        raise SpecError(
            f"{counted(twins, 'value')} that differ from another only in case, width or zeros after the point",
            where=cells.where,
            rule="one value under two spellings is not diversity",
            remedy="set casefold = true to merge them, or casefold = false if they are different",
        )
    final = cells.distinct.replace(labels, spelling) if spec.casefold else cells.distinct
    _refuse_star(cells, final)
    if hierarchy is None:
        hierarchy = Hierarchy.flat(final.drop_nulls().unique().sort().to_list())
    return _with_missing(spec, cells, final, hierarchy)


def _with_missing(
    spec: ColumnSpec, cells: Cells, final: pl.Series, hierarchy: Hierarchy
) -> tuple[Hierarchy, pl.Series]:
    """Codes of the final labels; missing ones get a leaf of their own if that is the policy."""
    if spec.missing == Missing.CATEGORY and cells.rows_with(final.is_null()):
        final = final.fill_null(MISSING_LABEL)
        hierarchy, _ = _missing_leaf(hierarchy)
    leaves = written_once(spec, pl.Series(hierarchy.labels[: hierarchy.leaves], dtype=pl.String))
    if leaves.n_unique() < leaves.len():
        raise HierarchyError(
            "a number twice, written differently",
            where=f"{cells.where}, hierarchy",
            rule="one line per value",
            remedy="delete one of the two lines",
        )
    covered = final.is_in(leaves.to_list()).fill_null(True)
    codes = final.set(~covered, None).cast(pl.Enum(leaves)).to_physical().cast(pl.Int64)
    return hierarchy, codes.set(~covered, UNCOVERED)


def _typed_tree(spec: ColumnSpec, cells: Cells, hierarchy: Hierarchy) -> tuple[Hierarchy, pl.Series]:
    """The leaves of the cells of a typed column: 007 is the leaf 7, and 1.50 the leaf 1.5."""
    _parsed(spec, cells)  # refuses what is not of the type
    return _with_missing(spec, cells, written_once(spec, cells.distinct), hierarchy)


def _refuse_star(cells: Cells, final: pl.Series) -> None:
    star = (final == EVERYTHING).fill_null(False)
    if star.any():
        raise InputError(
            "a cell that is *",
            where=cells.first_row(star),
            rule="in a release * means everything",
            remedy="list it under [file] missing if it means a missing value, or rename it",
        )


@dataclass(frozen=True, repr=False, eq=False)
class Coded:
    """A coded column, which of its rows are missing, and how many spellings were merged."""

    domain: Axis | Hierarchy
    codes: NDArray[np.int64]
    missing: NDArray[np.bool_]
    merged: int
    name: str = ""

    def refuse_uncovered(self, dropped: NDArray[np.bool_]) -> None:
        """A hierarchy has a leaf for every value of the rows that stay."""
        unknown = (self.codes == UNCOVERED) & ~dropped
        if unknown.any():
            raise HierarchyError(
                f"{counted(int(unknown.sum()), 'row')} with a value not in the hierarchy, the first here",
                where=f"column {self.name}, row {int(np.argmax(unknown)) + 1}",
                rule="every value has a line",
                remedy="add a line for each value to the hierarchy file (or repair codes that lost leading zeros)",
            )

    def without(self, dropped: NDArray[np.bool_]) -> "Coded":
        """The column without some rows; a domain made from the data forgets their values, too."""
        codes, missing = self.codes[~dropped], self.missing[~dropped]
        domain = self.domain
        if isinstance(domain, Axis):
            known = codes[~missing]
            ends = (int(known.min()), int(known.max())) if known.size else (0, 0)
            domain = replace(domain, low=ends[0], high=ends[1])
        elif domain.is_flat:
            used, codes = np.unique(codes, return_inverse=True)
            domain = Hierarchy.flat([domain.labels[code] for code in used])
        return Coded(domain, codes, missing, self.merged, self.name)

    def grown(self, spec: ColumnSpec) -> "Coded":
        """The column with the tree its spec describes, over the values that are left in it."""
        if not isinstance(spec.hierarchy, Recipe):
            return self
        where = f"column {spec.name}"
        if isinstance(self.domain, Axis):
            missing, codes = self.missing, self.codes.copy()
            tree, codes[~missing] = tree_on(self.domain, spec.hierarchy, codes[~missing], where)
        else:
            names = list(self.domain.labels[: self.domain.leaves])
            own = names.index(MISSING_LABEL) if spec.missing == Missing.CATEGORY and MISSING_LABEL in names else -1
            tree, leaf = tree_of_codes(spec.hierarchy, [n for i, n in enumerate(names) if i != own], where)
            missing = self.codes == own
            codes = (np.insert(leaf, own, -1) if own >= 0 else leaf)[self.codes]
        if missing.any():
            tree, codes[missing] = _missing_leaf(tree)
        return Coded(tree, codes, np.zeros_like(missing), self.merged, self.name)


def _missing_leaf(tree: Hierarchy) -> tuple[Hierarchy, int]:
    """The tree with a leaf for missing values, and its code; a value of that name is the same."""
    leaves = tree.labels[: tree.leaves]
    if MISSING_LABEL in leaves:
        return tree, leaves.index(MISSING_LABEL)
    return tree.with_leaf(MISSING_LABEL), tree.leaves


def _named(spec: ColumnSpec, series: pl.Series, markers: Sequence[str]) -> Coded:
    """Persons by name: nearly as many as rows, never published, so nothing is looked for but who is who."""
    text = series if series.dtype == pl.String else _text_of(series, f"column {spec.name}")
    clean, words = normalised(text), _normal_words(markers)
    clean = clean.set(clean.is_in(words).fill_null(False), None) if words else clean
    names = clean.unique().drop_nulls().sort()
    codes = clean.rank("dense").cast(pl.Int64) - 1
    merged = 0 if clean is text else text.n_unique() - clean.n_unique()
    missing = codes.is_null().to_numpy()
    domain = Hierarchy.flat(names.to_list())
    return Coded(domain, codes.fill_null(_NOWHERE).to_numpy(), missing, merged, spec.name)


def prior_of(spec: ColumnSpec, part: Coded) -> NDArray[np.int64] | None:
    """The weight of each leaf by the spec's prior: 1 where it names none."""
    if not spec.prior or not isinstance(part.domain, Hierarchy):
        return None
    leaves = part.domain.labels[: part.domain.leaves]
    given = dict(zip(_normal_words([name for name, _ in spec.prior]), (w for _, w in spec.prior), strict=True))
    if not set(given) <= set(leaves):
        raise SpecError(
            "prior names a value that the column cannot have",
            where=f"column {spec.name}",
            rule="a value of the table, or a leaf of its hierarchy",
            remedy="write it as in the table",
        )
    return np.array([given.get(leaf, 1) for leaf in leaves], np.int64)


def coded(spec: ColumnSpec, series: pl.Series, markers: Sequence[str], hierarchy: Hierarchy | None) -> Coded:
    """Type a column; missing cells are flagged, or a category of their own if that is the policy."""
    domain: Axis | Hierarchy
    series = days(series, f"column {spec.name}")
    plain = spec.type == Type.CATEGORY and hierarchy is None and not spec.casefold
    if spec.role == Role.SUBJECT and plain and spec.missing != Missing.CATEGORY:
        return _named(spec, series, markers)
    native = native_codes(spec, series) if hierarchy is None else None
    if native is not None:
        domain, merged = _axis(spec, native), 0
        missing = native.is_null().to_numpy()
        values = native.fill_null(_NOWHERE).to_numpy()
    else:
        cells = factorised(spec, series, markers)
        if spec.role == Role.SENSITIVE:
            cells = replace(cells, distinct=without_hiding(cells.distinct, spec, hierarchy))
        if spec.type == Type.CATEGORY:
            domain, codes = _tree(spec, cells, hierarchy)
        elif hierarchy is not None:
            domain, codes = _typed_tree(spec, cells, hierarchy)
        else:
            domain, codes = _parsed(spec, cells)
        values = codes.fill_null(_NOWHERE).to_numpy()[cells.index]
        missing, merged = values == _NOWHERE, cells.merged()
    return Coded(domain, values, missing, merged, spec.name)
