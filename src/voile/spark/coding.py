"""Cells on a cluster -> codes: every distinct cell is looked at once, on the driver, by the rules of the intake.

Executors send the distinct cells of each column, the driver types and codes these as it would a local column, and
executors look up their rows. Numbers and dates that a file has typed are their own codes: of these only the ends
travel.
"""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.algorithms.hilbert import AXIS_SHARE, bits_of
from voile.core.axis import Axis
from voile.core.hierarchy_recipe import Recipe
from voile.core.schema import ColumnSpec, Missing, Role, Schema
from voile.core.table import Column
from voile.errors import BeyondReach, InputError, SpecError, VoileError
from voile.intake.columns import Coded, coded, days, native_codes, prior_of
from voile.intake.hierarchy_file import read_hierarchy
from voile.intake.table_reader import IntakeRecord, refuse_absent, refuse_undeclared
from voile.kernels.hilbert import WORD_BITS, hilbert_keys
from voile.spark.blocks import SCHEMA, in_blocks
from voile.spark.session import asked
from voile.spark.spark_spread import SparkSpread, mapped, record_batch, secret_words
from voile.spark.spread import SECRET_WORDS, Layout

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_DISTINCT = 5_000_000  # cells of a column: the driver keeps each once
CURVE = "curve"


@dataclass(frozen=True, repr=False, eq=False)
class Seen:
    """What a column holds: its distinct cells, or both ends where cells are their own codes; and missing ones."""

    cells: pl.Series
    missing: int
    native: bool


@dataclass(frozen=True, repr=False, eq=False)
class Dictionary:
    """What each distinct cell of a column becomes; None: cells are their own codes."""

    name: str
    cells: pl.Series | None
    codes: NDArray[np.int64]
    null: int  # the code of a cell that is not there
    drops: NDArray[np.bool_]  # cells whose rows are left out
    drops_null: bool

    def of(self, series: pl.Series) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """The codes of a batch's cells, and which rows are left out."""
        series = days(series, f"column {self.name}")
        empty = series.is_null().to_numpy()
        if self.cells is None:
            return series.cast(pl.Int64).fill_null(self.null).to_numpy(), empty & self.drops_null
        places = pl.Series(np.arange(self.codes.size), dtype=pl.Int64)
        place = series.replace_strict(self.cells, places, default=0, return_dtype=pl.Int64).to_numpy()
        codes = self.codes[place] if self.codes.size else np.zeros(series.len(), np.int64)
        dropped = self.drops[place] if self.codes.size else np.zeros(series.len(), bool)
        return np.where(empty, self.null, codes), np.where(empty, self.drops_null, dropped)


def spread_table(frame: "DataFrame", schema: Schema, curve: bool) -> tuple[SparkSpread, IntakeRecord]:
    """Type, normalise and code the columns that a release needs. With `curve`, every row also knows its place on
    the Hilbert curve."""
    schema.require_roles()
    schema.refuse_reserved_names()
    header = pl.DataFrame(schema=dict.fromkeys(frame.columns, pl.String))
    refuse_undeclared(header, schema)
    refuse_absent(header, list(schema))
    _refuse_persons(frame, schema)
    wanted = [c for c in schema if c.role in (Role.QUASI_IDENTIFYING, Role.SENSITIVE) or c.keep]
    _refuse_quantiles(wanted)
    frame = frame.select([c.name for c in wanted])
    rows, seen = _seen(frame, wanted, [])
    if rows == 0:
        raise InputError("no rows", where="source", remedy="give a table with at least one row")
    parts = _coded(wanted, seen, schema)
    dropping = _dictionaries(wanted, seen, parts, final=False)
    left = rows
    if any(d.drops.any() or d.drops_null for d in dropping):
        left, seen = _seen(frame, wanted, dropping)
        if left == 0:
            raise InputError("every row has a missing value", where="source", rule='missing = "drop-row"')
        parts = _coded(wanted, seen, schema)
    parts = [replace(part, codes=part.codes).grown(c) for c, part in zip(wanted, parts, strict=True)]
    columns = tuple(
        Column(c.name, c.role, part.domain, np.empty(0, np.int64), c.weight, prior_of(c, part))
        for c, part in zip(wanted, parts, strict=True)
    )
    final = _dictionaries(wanted, seen, parts, final=True)
    layout = _layout(columns, left, final)
    record = IntakeRecord(rows, rows - left, {p.name: p.merged for p in parts if p.merged}, b"", "")
    lookup = [_with_drops(d, drop) for d, drop in zip(final, dropping, strict=True)]
    return _materialised(frame, lookup, layout, curve), record


def _with_drops(final: Dictionary, first: Dictionary) -> Dictionary:
    """Codes of the second look, rows left out by the first: cells that only such rows had have no code."""
    if final.cells is None or first.cells is None or not (first.drops.any() or first.drops_null):
        return replace(final, drops_null=first.drops_null)
    gone = first.cells.filter(pl.Series(first.drops))
    cells = pl.concat([final.cells, gone.filter(~gone.is_in(final.cells.implode()))])
    codes = np.concatenate([final.codes, np.zeros(cells.len() - final.cells.len(), np.int64)])
    drops = cells.is_in(gone.implode()).to_numpy()
    return replace(final, cells=cells, codes=codes, drops=drops, drops_null=first.drops_null)


def _refuse_persons(frame: "DataFrame", schema: Schema) -> None:
    """One row per person: layers of rows that know of each other would need all rows of a person in one place."""
    for column in schema.with_role(Role.SUBJECT):
        again = frame.groupBy(f"`{column.name}`").count().filter("count > 1").limit(1)
        several = asked("counting persons", again.count)
        if several:
            raise InputError(
                "several rows of one person",
                where=f"column {column.name}",
                rule="the cluster takes one row per person",
                remedy="keep one row of each, or publish without --engine spark",
            )


def _refuse_quantiles(columns: list[ColumnSpec]) -> None:
    for column in columns:
        if isinstance(column.hierarchy, Recipe) and column.hierarchy.kind == "quantiles":
            raise SpecError(
                "a hierarchy of quantiles",
                where=f"column {column.name}",
                rule="its ends depend on every row",
                remedy="use intervals, or write the hierarchy as a file (voile hierarchy) and name that",
            )


def _seen(frame: "DataFrame", wanted: list[ColumnSpec], dropping: list[Dictionary]) -> tuple[int, dict[str, Seen]]:
    """Rows that stay, and the distinct cells of each column among them."""

    def distinct(batches: Iterator[Any]) -> Iterator[Any]:
        sets: list[list[pl.Series]] = [[] for _ in wanted]
        empty, rows = np.zeros(len(wanted), np.int64), 0
        for batch in batches:
            part = _kept(pl.DataFrame(pl.from_arrow(batch)), dropping)
            rows += part.height
            for i, spec in enumerate(wanted):
                series = days(part[spec.name], f"column {spec.name}")
                empty[i] += series.null_count()
                sets[i].append(_ends(series) if _is_native(spec, series) else series.drop_nulls().unique())
                if len(sets[i]) > 16:
                    sets[i] = [_together(sets[i])]
        whole = [_together(several) for several in sets]
        yield record_batch(
            {
                "column": np.arange(len(wanted)),
                "missing": empty,
                "rows": np.full(len(wanted), rows),
                "cells": [_as_bytes(series) for series in whole],
            }
        )

    schema = "column long, missing long, rows long, cells binary"
    answer = asked("looking at cells", lambda: mapped(frame, distinct, schema).toArrow().to_pydict())
    found: dict[str, Seen] = {}
    for i, spec in enumerate(wanted):
        own = [j for j, column in enumerate(answer["column"]) if column == i]
        parts = [part for part in (_from_bytes(answer["cells"][j]) for j in own) if part.len()]
        cells = _together(parts) if parts else pl.Series([], dtype=pl.String)
        native = _is_native(spec, cells)
        if not native and cells.len() > MOST_DISTINCT:
            raise BeyondReach(
                f"more than {MOST_DISTINCT} different cells",
                where=f"column {spec.name}",
                rule="the driver keeps each once",
                remedy="round the values, or store numbers and dates as such in Parquet",
            )
        found[spec.name] = Seen(cells.sort(), sum(answer["missing"][j] for j in own), native)
    rows = sum(answer["rows"][j] for j, column in enumerate(answer["column"]) if column == 0)
    return rows, found


def _kept(part: pl.DataFrame, dropping: list[Dictionary]) -> pl.DataFrame:
    dropped = np.zeros(part.height, bool)
    for dictionary in dropping:
        dropped |= dictionary.of(part[dictionary.name])[1]
    return part.filter(~pl.Series(dropped, dtype=pl.Boolean)) if dropped.any() else part


def _is_native(spec: ColumnSpec, series: pl.Series) -> bool:
    return spec.hierarchy is None and native_codes(spec, series) is not None


def _ends(series: pl.Series) -> pl.Series:
    known = series.drop_nulls()
    return pl.concat([known.sort().head(1), known.sort().tail(1)])


def _together(parts: list[pl.Series]) -> pl.Series:
    return pl.concat(parts, rechunk=True).unique() if parts else pl.Series([], dtype=pl.String)


def _as_bytes(series: pl.Series) -> bytes:
    buffer = io.BytesIO()
    series.alias("cell").to_frame().write_ipc(buffer)
    return buffer.getvalue()


def _from_bytes(content: bytes) -> pl.Series:
    return pl.read_ipc(io.BytesIO(content))["cell"]


def _coded(wanted: list[ColumnSpec], seen: dict[str, Seen], schema: Schema) -> list[Coded]:
    """What the intake makes of the distinct cells; a refusal names the column, not a row that nobody would
    find."""
    parts, problem = [], None
    for spec in wanted:
        own = seen[spec.name]
        cells = own.cells.append(pl.Series([None], dtype=own.cells.dtype)) if own.missing else own.cells
        try:
            part = coded(spec, cells, schema.file.missing, read_hierarchy(spec))
            part.refuse_uncovered(part.missing)
            parts.append(part)
        except VoileError as error:
            problem = type(error), error.what, f"column {spec.name}", error.rule, error.remedy
        if problem is not None:
            kind, what, where, rule, remedy = problem
            raise kind(what.removesuffix(", the first here"), where=where, rule=rule, remedy=remedy)
        if spec.missing == Missing.REFUSE and parts[-1].missing.any():
            raise InputError(
                "missing values",
                where=f"column {spec.name}",
                rule='missing = "refuse"',
                remedy='decide per column: missing = "drop-row", or "category" for a category column',
            )
    return parts


def _dictionaries(
    wanted: list[ColumnSpec], seen: dict[str, Seen], parts: list[Coded], final: bool
) -> list[Dictionary]:
    """How executors look cells up. Before rows are left out only that matters, not the codes."""
    found = []
    for spec, part in zip(wanted, parts, strict=True):
        own = seen[spec.name]
        drop = spec.missing == Missing.DROP_ROW
        many = own.cells.len()
        missing = part.missing[:many] if not final else np.zeros(many, bool)
        null = int(part.codes[many]) if own.missing else 0
        cells = None if own.native else own.cells
        codes = np.empty(0, np.int64) if own.native else part.codes[:many]
        drops = missing & drop if cells is not None else np.empty(0, bool)
        found.append(Dictionary(spec.name, cells, codes, null, drops, drop and own.missing > 0))
    return found


def _layout(columns: tuple[Column, ...], rows: int, final: list[Dictionary]) -> Layout:
    least, most = {}, {}
    for i, column in enumerate(columns):
        domain = column.domain
        ends = (domain.low, domain.high) if isinstance(domain, Axis) else (0, domain.leaves - 1)
        least[f"c{i}"], most[f"c{i}"] = ends
    return Layout(columns, rows, least, most)


def curve_of(layout: Layout) -> Callable[[dict[str, NDArray[np.int64]]], NDArray[np.int64]]:
    """What tells the place of each row on the Hilbert curve through the quasi-identifiers: the first 63 bits of
    it, the same for every row that looks alike."""
    quasi = layout.names(Role.QUASI_IDENTIFYING)
    axes = [n for n in quasi if isinstance(layout.columns[int(n[1:])].domain, Axis)]
    trees = [n for n in quasi if n not in axes]
    names = [n for n in axes + trees if layout.least[n] < layout.most[n]]
    low = np.array([layout.least[n] for n in names], np.int64)
    across = np.array([layout.most[n] - layout.least[n] + 1 for n in names], np.int64)
    coarse = np.array([max(0, int(a).bit_length() - 30) for a in across], np.int64)
    across = (across >> coarse) + (coarse > 0)
    spans = across * np.array([AXIS_SHARE if n in axes else 1 for n in names], np.int64)
    bits = bits_of(len(names)) if names else 1

    def places(batch: dict[str, NDArray[np.int64]]) -> NDArray[np.int64]:
        rows = next(iter(batch.values())).size
        if not names:
            return np.zeros(rows, np.int64)
        values = np.column_stack([(batch[n] - low[j]) >> coarse[j] for j, n in enumerate(names)]).astype(np.int32)
        keys = np.empty((rows, -(-bits * len(names) // WORD_BITS)), np.int64)
        hilbert_keys(values, spans, bits, keys)
        return np.ascontiguousarray(keys[:, 0])

    return places


def _materialised(frame: "DataFrame", lookup: list[Dictionary], layout: Layout, curve: bool) -> SparkSpread:
    """Codes and secrets, kept by the executors, encrypted where they touch a disk. Everything after is a function
    of these, so what an executor loses is computed again and comes out the same; if these are lost, the run
    ends."""
    from pyspark import StorageLevel

    place = curve_of(layout) if curve else None
    narrow = {name for name in layout.least if layout.least[name] >= -(2**31) and layout.most[name] < 2**31}

    def code(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            part = _kept(pl.DataFrame(pl.from_arrow(batch)), lookup)
            codes = {f"c{i}": d.of(part[d.name])[0] for i, d in enumerate(lookup)}
            more = {CURVE: place(codes)} if place is not None else {}
            kept = {name: own.astype(np.int32) if name in narrow else own for name, own in codes.items()}
            yield in_blocks(record_batch({**kept, **more, **secret_words(part.height)}))

    names = [*(f"c{i}" for i in range(len(lookup))), *([CURVE] if curve else []), *SECRET_WORDS]
    coded_rows = mapped(frame, code, SCHEMA)
    kept = asked("coding", lambda: coded_rows.localCheckpoint(True, StorageLevel.DISK_ONLY))
    return SparkSpread(kept, layout, names)
