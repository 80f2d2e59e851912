"""Cells on a cluster -> codes: every distinct cell is looked at once, on the driver, by the rules of the intake.

Executors send the distinct cells of each column, the driver types and codes these as it would a local column, and
executors look up their rows. Numbers and dates that a file has typed are their own codes: of these only the ends
travel.
"""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.algorithms.hilbert import AXIS_SHARE, bits_of
from voile.core.axis import Axis
from voile.core.hierarchy_recipe import Recipe
from voile.core.schema import ColumnSpec, Missing, Role, Schema
from voile.core.table import Column
from voile.errors import BeyondReach, InputError, SpecError, VoileError
from voile.intake.columns import Coded, coded, days, factorised, native_codes, prior_of
from voile.intake.hidden import refuse_several
from voile.intake.hierarchy_file import read_hierarchy
from voile.intake.table_reader import IntakeRecord, refuse_absent, refuse_undeclared
from voile.kernels.hilbert import WORD_BITS, hilbert_keys
from voile.spark.blocks import SCHEMA, in_blocks
from voile.spark.session import asked
from voile.spark.source import Source
from voile.spark.spark_spread import SparkSpread, mapped, record_batch, secret_words
from voile.spark.spread import SECRET_WORDS, Layout

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

    def dropped(self, series: pl.Series) -> NDArray[np.bool_]:
        """Which rows of a batch are left out for their cell."""
        series = days(series, f"column {self.name}")
        empty = series.is_null().to_numpy() & self.drops_null
        if self.cells is None or not self.drops.any():
            return empty
        marked = series.is_in(self.cells.filter(pl.Series(self.drops)).implode()).fill_null(False)
        return np.asarray(empty | marked.to_numpy(), bool)

    def of(self, series: pl.Series) -> NDArray[np.int64]:
        """The codes of a batch's cells."""
        series = days(series, f"column {self.name}")
        if self.cells is None:
            return series.cast(pl.Int64).fill_null(self.null).to_numpy()
        empty = series.is_null().to_numpy()
        places = pl.Series(np.arange(self.codes.size), dtype=pl.Int64)
        place = series.replace_strict(self.cells, places, default=-1, return_dtype=pl.Int64).to_numpy()
        if ((place < 0) & ~empty).any():
            raise InputError(
                "cells that were not there at the first look",
                where=f"column {self.name}",
                remedy="run it again when nobody writes to the source",
            )
        return np.where(empty, self.null, np.append(self.codes, 0)[place])


def spread_table(source: Source, schema: Schema, curve: bool) -> tuple[SparkSpread, IntakeRecord]:
    """Type, normalise and code the columns that a release needs. With `curve`, every row also knows its place on
    the Hilbert curve."""
    schema.require_roles()
    schema.refuse_reserved_names()
    header = pl.DataFrame(schema=dict.fromkeys(source.names, pl.String))
    refuse_undeclared(header, schema)
    refuse_absent(header, list(schema))
    _refuse_persons(source, schema)
    wanted = [c for c in schema if c.role in (Role.QUASI_IDENTIFYING, Role.SENSITIVE) or c.keep]
    _refuse_quantiles(wanted)
    source = source.only([c.name for c in wanted])
    rows, seen = _seen(source, wanted, [])
    if rows == 0:
        raise InputError("no rows", where="source", remedy="give a table with at least one row")
    parts = _coded(wanted, seen, schema)
    dropping = _dictionaries(wanted, seen, parts, final=False)
    left = rows
    if any(d.drops.any() or d.drops_null for d in dropping):
        left, seen = _seen(source, wanted, dropping)
        if left == 0:
            raise InputError("every row has a missing value", where="source", rule='missing = "drop-row"')
        parts = _coded(wanted, seen, schema)
    for column, part in zip(wanted, parts, strict=True):
        refuse_several(column, part.domain)
    parts = [replace(part, codes=part.codes).grown(c) for c, part in zip(wanted, parts, strict=True)]
    columns = tuple(
        Column(c.name, c.role, part.domain, np.empty(0, np.int64), c.weight, prior_of(c, part))
        for c, part in zip(wanted, parts, strict=True)
    )
    final = _dictionaries(wanted, seen, parts, final=True)
    layout = _layout(columns, left, final)
    record = IntakeRecord(rows, rows - left, {p.name: p.merged for p in parts if p.merged}, b"", "")
    return _materialised(source, dropping, final, layout, curve), record


def _refuse_persons(source: Source, schema: Schema) -> None:
    """One row per person, however it is spelled: layers of rows that know of each other would need all rows of a
    person in one place."""
    for column in schema.with_role(Role.SUBJECT):
        own = source.only([column.name])
        persons = mapped(own.frame, _persons(own.rows(), column, schema.file.missing), "person string")
        again = persons.groupBy("person").count().filter("count > 1 or person is null").limit(1)
        several = asked("counting persons", again.collect)
        if several and several[0][0] is None:
            raise InputError(
                "rows of nobody",
                where=f"column {column.name}",
                rule="every row has its person",
                remedy="leave these rows out, or publish without --engine spark",
            )
        if several:
            raise InputError(
                "several rows of one person",
                where=f"column {column.name}",
                rule="the cluster takes one row per person",
                remedy="keep one row of each, or publish without --engine spark",
            )


def _persons(rows: Callable[[Any], pl.DataFrame], column: ColumnSpec, markers: Sequence[str]) -> Any:
    """The persons of batches, as intake spells them."""

    def spelled(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            cells = factorised(column, days(rows(batch)[column.name], f"column {column.name}"), markers)
            yield record_batch({"person": cells.distinct.gather(cells.index).to_list()})

    return spelled


def _refuse_quantiles(columns: list[ColumnSpec]) -> None:
    for column in columns:
        if isinstance(column.hierarchy, Recipe) and column.hierarchy.kind == "quantiles":
            raise SpecError(
                "a hierarchy of quantiles",
                where=f"column {column.name}",
                rule="its ends depend on every row",
                remedy="use intervals, or write the hierarchy as a file (voile hierarchy) and name that",
            )


def _seen(source: Source, wanted: list[ColumnSpec], dropping: list[Dictionary]) -> tuple[int, dict[str, Seen]]:
    """Rows that stay, and the distinct cells of each column among them."""
    named = source.rows()

    def distinct(batches: Iterator[Any]) -> Iterator[Any]:
        sets: list[list[pl.Series]] = [[] for _ in wanted]
        empty, rows = np.zeros(len(wanted), np.int64), 0
        for batch in batches:
            part = _kept(named(batch), dropping)
            rows += part.height
            for i, spec in enumerate(wanted):
                series = days(part[spec.name], f"column {spec.name}")
                empty[i] += series.null_count()
                sets[i].append(_ends(series) if _is_native(spec, series) else series.drop_nulls().unique())
                if len(sets[i]) > 16:
                    sets[i] = [_together(sets[i])]
        whole = [_together(several) for several in sets]
        for spec, cells in zip(wanted, whole, strict=True):
            _refuse_many(spec, cells)
        yield record_batch(
            {
                "column": np.arange(len(wanted)),
                "missing": empty,
                "rows": np.full(len(wanted), rows),
                "cells": [_as_bytes(series) for series in whole],
            }
        )

    schema = "column long, missing long, rows long, cells binary"
    answer = asked("looking at cells", lambda: mapped(source.frame, distinct, schema).toArrow().to_pydict())
    found: dict[str, Seen] = {}
    for i, spec in enumerate(wanted):
        own = [j for j, column in enumerate(answer["column"]) if column == i]
        parts = [part for part in (_from_bytes(answer["cells"][j]) for j in own) if part.len()]
        cells = _together(parts) if parts else pl.Series([], dtype=pl.String)
        native = _is_native(spec, cells)
        _refuse_many(spec, cells)
        found[spec.name] = Seen(cells.sort(), sum(answer["missing"][j] for j in own), native)
    rows = sum(answer["rows"][j] for j, column in enumerate(answer["column"]) if column == 0)
    return rows, found


def _refuse_many(spec: ColumnSpec, cells: pl.Series) -> None:
    if cells.len() > MOST_DISTINCT:  # of cells that are their own codes only both ends are here
        raise BeyondReach(
            f"more than {MOST_DISTINCT} different cells",
            where=f"column {spec.name}",
            rule="the driver keeps each once",
            remedy="round the values, or store numbers and dates as such in Parquet",
        )


def _kept(part: pl.DataFrame, dropping: list[Dictionary]) -> pl.DataFrame:
    dropped = np.zeros(part.height, bool)
    for dictionary in dropping:
        dropped |= dictionary.dropped(part[dictionary.name])
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
        nobody = pl.Series(own.cells.name, [None] if own.missing else [], dtype=own.cells.dtype)
        cells = pl.concat([own.cells, nobody])
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


def _materialised(
    source: Source, dropping: list[Dictionary], lookup: list[Dictionary], layout: Layout, curve: bool
) -> SparkSpread:
    """Codes and secrets, kept by the executors, encrypted where they touch a disk. Everything after is a function
    of these, so what an executor loses is computed again and comes out the same; if these are lost, the run
    ends."""
    from pyspark import StorageLevel

    place, named = curve_of(layout) if curve else None, source.rows()
    narrow = {name for name in layout.least if layout.least[name] >= -(2**31) and layout.most[name] < 2**31}

    def code(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            part = _kept(named(batch), dropping)
            codes = {f"c{i}": d.of(part[d.name]) for i, d in enumerate(lookup)}
            more = {CURVE: place(codes)} if place is not None else {}
            kept = {name: own.astype(np.int32) if name in narrow else own for name, own in codes.items()}
            yield in_blocks(record_batch({**kept, **more, **secret_words(part.height)}))

    names = [*(f"c{i}" for i in range(len(lookup))), *([CURVE] if curve else []), *SECRET_WORDS]
    coded_rows = mapped(source.frame, code, SCHEMA)
    kept = asked("coding", lambda: coded_rows.localCheckpoint(True, StorageLevel.DISK_ONLY))
    return SparkSpread(kept, layout, names)
