"""File, data frame or table of a database, and schema -> Table."""

import hashlib
import hmac
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from voile.core.schema import ColumnSpec, Missing, Role, Schema
from voile.core.table import Column, Table
from voile.errors import InputError, SpecError, counted
from voile.intake.columns import Coded, coded, prior_of
from voile.intake.csv_file import read_csv
from voile.intake.data_frame import data_frame
from voile.intake.hidden import refuse_several
from voile.intake.hierarchy_file import read_hierarchy
from voile.intake.parquet_file import read_parquet
from voile.kernels.threads import Threads
from voile.sql.source import database, is_sqlite

_USED = (Role.QUASI_IDENTIFYING, Role.SENSITIVE, Role.INSENSITIVE, Role.SUBJECT)


@dataclass(frozen=True, repr=False)
class IntakeRecord:
    """What reading did, for the private record: never published."""

    rows_read: int
    rows_dropped: int
    merged_spellings: dict[str, int]
    digest_key: bytes
    digest: (
        str  # of a file, else empty; keyed: an unkeyed one would let an adversary test a guess of the whole table
    )


def read_frame(path: str | Path, schema: Schema, *, may_be_empty: bool = False) -> pl.DataFrame:
    """A file's cells, columns named and ordered as in the file, nothing typed or dropped yet."""
    path = Path(path)
    if "\0" in str(path) or not path.is_file() or not os.access(path, os.R_OK):
        raise InputError("cannot be read", where=path.name, remedy="check the path and its permissions")
    if is_sqlite(path):
        database(path)  # says that a table is to be named
    frame = read_parquet(path) if path.suffix.lower() == ".parquet" else read_csv(path, schema.file)
    return frame if may_be_empty else with_rows(frame, "file")


def _is_used(column: ColumnSpec) -> bool:
    return column.role in _USED and (column.role != Role.INSENSITIVE or column.keep)


def with_rows(frame: pl.DataFrame, where: str) -> pl.DataFrame:
    """The frame; refused if it has none."""
    if frame.height == 0:
        raise InputError("no rows", where=where, remedy="give a table with at least one row")
    return frame


def refuse_undeclared(frame: pl.DataFrame, schema: Schema, also: tuple[str, ...] = ()) -> None:
    """Every column of the file is declared; the file's names are not quoted, they may be data."""
    declared = {column.name for column in schema} | set(also)
    undeclared = [i for i, name in enumerate(frame.columns, 1) if name not in declared]
    if not undeclared:
        return
    absent = [column.name for column in schema if column.name not in frame.columns]
    if len(undeclared) == frame.width:
        remedy = "no name is known: check the header line, the delimiter and the encoding in [file]"
    elif absent:
        remedy = f"the file has no {absent[0]}, which the spec declares: is it a misspelling?"
    else:
        remedy = 'declare it under [columns], for example as { role = "identifying" } to drop it'
    raise SpecError(
        f"{counted(len(undeclared), 'column')} not declared, the first is column {undeclared[0]} of {frame.width}",
        where="header",
        rule="every column has a declared role",
        remedy=remedy,
    )


def refuse_absent(frame: pl.DataFrame, columns: list[ColumnSpec]) -> None:
    """Every declared column is in the file."""
    absent = [column.name for column in columns if column.name not in frame.columns]
    if absent:
        raise SpecError(
            f"the file has no column {absent[0]}",
            where="header",
            rule="declared columns exist",
            remedy="correct the spec, or check the delimiter and the header line",
        )


def read_table(source: Any, schema: Schema, *, may_be_empty: bool = False) -> Table:
    """Read, type, normalise and code a file, a data frame or a table of a database. What is not needed of
    people is dropped here; from a database it is not even fetched.

    `may_be_empty`: in a series everybody may have left."""
    schema.require_roles()
    schema.refuse_reserved_names()
    is_file = isinstance(source, str | os.PathLike)
    unused = {column.name for column in schema if not _is_used(column)}
    frame = read_frame(source, schema, may_be_empty=True) if is_file else data_frame(source, unused)
    if not may_be_empty:
        with_rows(frame, "file" if is_file else "table")
    refuse_undeclared(frame, schema)
    refuse_absent(frame, list(schema))
    if not is_file:
        return table_of(frame, schema)
    key = os.urandom(32)
    digest = hmac.new(key, Path(source).read_bytes(), hashlib.sha256).hexdigest()
    return table_of(frame, schema, key, digest)


def table_of(frame: pl.DataFrame, schema: Schema, digest_key: bytes = b"", digest: str = "") -> Table:
    """Code the columns a release needs."""
    wanted = [column for column in schema if _is_used(column)]
    with Threads(frame.height, 2) as pair:
        each = pair.map(lambda c: coded(c, frame[c.name], schema.file.missing, read_hierarchy(c)), wanted)
        parts = dict(zip((c.name for c in wanted), each, strict=True))
    _refuse_missing(wanted, parts)
    dropped = np.zeros(frame.height, bool)
    for column in wanted:
        if column.missing == Missing.DROP_ROW:
            dropped |= parts[column.name].missing
    if dropped.all() and dropped.size:
        raise InputError("every row has a missing value", where="file", rule='missing = "drop-row"')
    for part in parts.values():
        part.refuse_uncovered(dropped)
    if dropped.any():
        parts = {name: part.without(dropped) for name, part in parts.items()}
    for column in wanted:
        refuse_several(column, parts[column.name].domain)
    parts = {c.name: parts[c.name].grown(c) for c in wanted}
    columns = [
        Column(c.name, c.role, parts[c.name].domain, parts[c.name].codes, c.weight, prior_of(c, parts[c.name]))
        for c in wanted
    ]
    merged = {c.name: parts[c.name].merged for c in wanted if parts[c.name].merged}
    record = IntakeRecord(frame.height, int(dropped.sum()), merged, digest_key, digest)
    return Table(columns, schema=schema, intake=record)


def _refuse_missing(columns: list[ColumnSpec], parts: dict[str, Coded]) -> None:
    """All columns whose missing values nobody has decided about, at once."""
    found = {c.name: parts[c.name].missing for c in columns if c.missing == Missing.REFUSE}
    lacking = {name: missing for name, missing in found.items() if missing.any()}
    if lacking:
        first = next(iter(lacking))
        sensitive = any(c.role == Role.SENSITIVE and c.name in lacking for c in columns)
        counts = ", ".join(f"{int(missing.sum())} in {name}" for name, missing in lacking.items())
        raise InputError(
            f"missing values: {counts}; the first here",
            where=f"column {first}, row {int(np.argmax(lacking[first])) + 1}",
            rule='missing = "refuse"',
            remedy='decide per column: missing = "drop-row", or "category" for a category column'
            + ("; a word that is a value is named in order or a hierarchy" if sensitive else ""),
        )
