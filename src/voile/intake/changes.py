"""A table as an earlier one and what has changed since: rows inserted or replaced, persons deleted."""

import os
from typing import Any

import polars as pl

from voile.core.schema import ColumnSpec, Schema, Type
from voile.errors import InputError, counted
from voile.intake.data_frame import data_frame
from voile.intake.normalise import normalised, twin_keys
from voile.intake.panics import FAILURES
from voile.intake.table_reader import read_frame

_PERSON = "\0person"  # no column of a file can have this name


def changed_frame(base: Any, schema: Schema, insert: Any = None, delete: Any = None) -> pl.DataFrame:
    """The rows of `base` without the persons in `delete`, with the rows of `insert` added, or in place of the
    row of the same person. `delete` is a table with at least the subject column."""
    own = schema.required_subject()
    frame = _keyed(base, schema, own, "table")
    if delete is not None:
        gone = _keyed(delete, schema, own, "deletions")
        absent = gone.join(frame, on=_PERSON, how="anti").height
        if absent:
            raise InputError(
                f"{counted(absent, 'person')} not in the table",
                where="deletions",
                rule="who is deleted was there",
                remedy="check that the table is the one of the last release",
            )
        frame = frame.join(gone, on=_PERSON, how="anti", maintain_order="left")
    if insert is not None:
        new = _keyed(insert, schema, own, "insertions")
        if set(new.columns) != set(frame.columns):
            raise InputError(
                "other columns than the table", where="insertions, header", remedy="give it the table's header"
            )
        kept = frame.join(new, on=_PERSON, how="anti", maintain_order="left")
        frame = _together(kept, new.select(kept.columns))
    return frame.drop(_PERSON)


def _together(kept: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    whole = None
    try:
        whole = pl.concat([kept, new], how="vertical_relaxed")
    except FAILURES:  # its message may quote cells
        whole = None
    if whole is None:
        raise InputError(
            "columns of other types than the table's", where="insertions", remedy="convert them before publishing"
        )
    return whole


def _spelled(text: pl.Series, spec: ColumnSpec) -> pl.Series:
    """Persons as reading spells them."""
    clean = normalised(text)
    if spec.type == Type.INTEGER:
        return clean.str.replace(r"^\+?(-?)0*([0-9])", "${1}${2}")
    return twin_keys(clean) if spec.casefold else clean


def _keyed(source: Any, schema: Schema, own: ColumnSpec, where: str) -> pl.DataFrame:
    """A table with each row's person, spelled as reading spells it; nobody twice."""
    is_file = isinstance(source, str | os.PathLike)
    frame = read_frame(source, schema, may_be_empty=True) if is_file else data_frame(source)
    name = own.name
    if name not in frame.columns:
        raise InputError(f"no column {name}", where=where, rule="changes are told by person")
    person = _spelled(frame[name].cast(pl.String), own)
    if person.null_count() or person.n_unique() < frame.height:
        raise InputError(
            "a person is missing" if person.null_count() else "a person twice",
            where=f"{where}, column {name}",
            rule="one row per person",
            remedy="complete the column, and keep one row of each person",
        )
    return frame.with_columns(person.alias(_PERSON))
