"""A column of cells becomes integer codes and a domain, as the schema types it.

Cells are looked at once per distinct value: `factorised` gives the distinct cells and an index
into them, the parsers below turn distinct cells into codes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.hierarchy import Hierarchy
from voile.core.schema import ColumnSpec, Missing, Role, Type
from voile.errors import HierarchyError, InputError, SpecError
from voile.intake.normalise import case_folded, normalised

MISSING_LABEL = "(missing)"
_NOWHERE = np.iinfo(np.int64).min  # the code of a missing value until a policy is applied
_DIGITS = 15  # longer numbers are identifiers, and would not fit exact arithmetic


@dataclass(frozen=True, repr=False, eq=False)
class Cells:
    """Distinct cells as normalised text (None: missing), and which one each row has."""

    distinct: list[str | None]
    index: NDArray[np.int64]
    merged: int  # spellings that turned out to be one value
    where: str

    def first_row(self, bad: Sequence[int]) -> str:
        """Where the first row with one of these distinct cells is; rows count from 1."""
        flags = np.zeros(len(self.distinct), bool)
        flags[list(bad)] = True
        return f"{self.where}, row {int(np.argmax(flags[self.index])) + 1}"

    def rows_with(self, some: Sequence[int]) -> int:
        """How many rows have one of these distinct cells."""
        flags = np.zeros(len(self.distinct), bool)
        flags[list(some)] = True
        return int(flags[self.index].sum())


def factorised(spec: ColumnSpec, series: pl.Series, markers: Sequence[str]) -> Cells:
    """Distinct normalised cells of a column."""
    where = f"column {spec.name}"
    if series.dtype.is_float() and spec.type in (Type.CATEGORY, Type.ORDINAL):
        raise InputError(
            "floating-point cells", where=where, rule=f"type = {spec.type}", remedy="type = decimal reads them"
        )
    text = series if series.dtype == pl.String else _text_of(series, where)
    raw = text.unique().drop_nulls().sort()
    physical = text.cast(pl.Enum(raw)).to_physical()
    index = physical.fill_null(raw.len()).to_numpy().astype(np.int64)
    clean = normalised(raw)
    missing_words = list(markers)
    if spec.type not in (Type.CATEGORY, Type.ORDINAL):
        missing_words += ["NaN", "nan", "NAN"]
    clean = clean.set(clean.is_in(missing_words), None) if missing_words else clean
    labels = clean.to_list()
    spelled = len({label for label in labels if label is not None})
    merged = sum(label is not None for label in labels) - spelled
    return Cells([*labels, None], index, merged, where)


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
            if isinstance(big, float) and big < 10.0**_DIGITS:  # 3.0 is 3; infinity stays text
                return whole.fill_nan(None).cast(pl.Int64).cast(pl.String)
    return series.cast(pl.String)


def _not_of_type(cells: Cells, bad: list[int], type_: str, remedy: str) -> InputError:
    return InputError(
        f"{cells.rows_with(bad)} cells are not {type_}, the first here", where=cells.first_row(bad),
        rule=f"type = {type_}", remedy=remedy,
    )  # fmt: skip


def _parse_decimals(cells: Cells, spec: ColumnSpec) -> tuple[list[int | None], int]:
    """Distinct cells as whole multiples of 10**-scale; scale 0 for integers."""
    parts: list[tuple[bool, str, str] | None] = []
    bad: list[int] = []
    for i, cell in enumerate(cells.distinct):
        if cell is None:
            parts.append(None)
            continue
        whole, point, part = cell.lstrip("+-").partition(".")
        part = part.rstrip("0")
        sound = (whole + part).isascii() and (whole + part or "0").isdigit() and cell.lstrip("+-") not in ("", ".")
        sound &= len(cell) - len(cell.lstrip("+-")) <= 1 and not (point and spec.type == Type.INTEGER)
        if not sound:
            bad.append(i)
        parts.append((cell.startswith("-"), whole or "0", part))
    if bad:
        remedy = "correct the cell, or list the word under [file] missing if it means a missing value"
        raise _not_of_type(cells, bad, spec.type, remedy)
    scale = max((len(p[2]) for p in parts if p), default=0)
    for fraction in (spec.grid, spec.min_width):  # the grid must be whole steps, too
        while fraction is not None and (fraction * 10**scale).denominator != 1 and scale < _DIGITS:
            scale += 1
    codes = [None if p is None else int(p[1] + p[2].ljust(scale, "0")) * (-1 if p[0] else 1) for p in parts]
    long = [i for i, code in enumerate(codes) if code is not None and abs(code) >= 10**_DIGITS]
    if long:
        raise InputError(
            "a number of more than 15 digits",
            where=cells.first_row(long),
            rule="numbers fit exact arithmetic",
            remedy="round the column, or declare it identifying if it is a number of a person",
        )
    return codes, scale


def _parse_dates(cells: Cells, spec: ColumnSpec) -> list[int | None]:
    text = pl.Series(cells.distinct, dtype=pl.String)
    shaped = text.str.contains(r"^\d{4}-\d{2}-\d{2}$")
    days = text.set(~shaped.fill_null(False), None).str.to_date("%Y-%m-%d", strict=False)
    bad = (text.is_not_null() & days.is_null()).arg_true().to_list()
    if bad:
        raise _not_of_type(cells, bad, spec.type, "write dates as YYYY-MM-DD")
    return days.to_physical().to_list()


def _parse_ranks(cells: Cells, spec: ColumnSpec) -> list[int | None]:
    rank = {label: i for i, label in enumerate(spec.order)}
    bad = [i for i, cell in enumerate(cells.distinct) if cell is not None and cell not in rank]
    if bad:
        raise _not_of_type(cells, bad, spec.type, "add the value to order")
    return [None if cell is None else rank[cell] for cell in cells.distinct]


def _steps(fraction: Fraction | None, scale: int) -> int | None:
    return None if fraction is None else max(1, int(fraction * 10**scale))


def _axis(spec: ColumnSpec, cells: Cells) -> tuple[Axis, list[int | None]]:
    scale = 0
    if spec.type == Type.DATE:
        codes = _parse_dates(cells, spec)
    elif spec.type == Type.ORDINAL:
        codes = _parse_ranks(cells, spec)
    else:
        codes, scale = _parse_decimals(cells, spec)
    known = [code for code in codes if code is not None] or [0]
    return (
        Axis(
            spec.type,
            min(known),
            max(known),
            scale,
            spec.order,
            _steps(spec.grid, scale),
            _steps(spec.min_width, scale),
        ),
        codes,
    )


def _tree(spec: ColumnSpec, cells: Cells, hierarchy: Hierarchy | None) -> tuple[Hierarchy, list[int | None]]:
    labels = [cell for cell in cells.distinct if cell is not None]
    folded = dict(zip(labels, case_folded(labels), strict=True))
    twins = len(set(labels)) - len(set(folded.values()))
    if twins and spec.role == Role.SENSITIVE and spec.casefold is None:
        raise SpecError(
            f"{twins} values differ from another only in upper and lower case",
            where=cells.where,
            rule="one value under two spellings is not diversity",
            remedy="set casefold = true to merge them, or casefold = false if they are different",
        )
    final = [None if c is None else folded[c] if spec.casefold else c for c in cells.distinct]
    if hierarchy is None:
        hierarchy = Hierarchy.flat(sorted({label for label in final if label is not None}))
    code = {label: i for i, label in enumerate(hierarchy.labels[: hierarchy.leaves])}
    unknown = [i for i, label in enumerate(final) if label is not None and label not in code]
    if unknown:
        raise HierarchyError(
            f"{len({final[i] for i in unknown})} values in {cells.rows_with(unknown)} rows are not in "
            "the hierarchy, the first here",
            where=cells.first_row(unknown),
            rule="coverage",
            remedy="add a line for each to the hierarchy file",
        )
    if None in final[:-1] or (cells.index == len(final) - 1).any():
        if spec.missing == Missing.CATEGORY:
            hierarchy = hierarchy.with_leaf(MISSING_LABEL)
            return hierarchy, [hierarchy.leaves - 1 if c is None else code[c] for c in final]
    return hierarchy, [None if label is None else code[label] for label in final]


@dataclass(frozen=True, repr=False, eq=False)
class Coded:
    """A coded column, which of its rows are missing, and how many spellings were merged."""

    domain: Axis | Hierarchy
    codes: NDArray[np.int64]
    missing: NDArray[np.bool_]
    merged: int

    def without(self, dropped: NDArray[np.bool_]) -> "Coded":
        """The column without some rows; a domain made from the data forgets their values, too."""
        codes, missing = self.codes[~dropped], self.missing[~dropped]
        domain = self.domain
        if isinstance(domain, Axis):
            domain = replace(domain, low=int(codes.min()), high=int(codes.max()))
        elif domain.is_flat:
            used, codes = np.unique(codes, return_inverse=True)
            domain = Hierarchy.flat([domain.labels[code] for code in used])
        return Coded(domain, codes, missing, self.merged)


def coded(spec: ColumnSpec, series: pl.Series, markers: Sequence[str], hierarchy: Hierarchy | None) -> Coded:
    """Type a column; missing cells are flagged, or refused if that is the policy."""
    cells = factorised(spec, series, markers)
    domain: Axis | Hierarchy
    if spec.type == Type.CATEGORY:
        domain, codes = _tree(spec, cells, hierarchy)
    else:
        domain, codes = _axis(spec, cells)
    lookup = np.array([_NOWHERE if code is None else code for code in codes], np.int64)
    values = lookup[cells.index]
    missing = values == _NOWHERE
    if missing.any() and spec.missing == Missing.REFUSE:
        raise InputError(
            f"{int(missing.sum())} missing values, the first here",
            where=f"{cells.where}, row {int(np.argmax(missing)) + 1}",
            rule='missing = "refuse"',
            remedy='decide: missing = "drop-row", or "category" for a category column',
        )
    return Coded(domain, values, missing, cells.merged)
