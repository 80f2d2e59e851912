"""Data frames: polars, pandas, pyarrow, DuckDB, anything that speaks Arrow; and tables of a database.

Libraries quote cells when a conversion fails, so their exceptions never leave this module.
"""

import sys
from collections.abc import Collection
from typing import Any

import polars as pl

from voile.errors import InputError
from voile.intake.header import sound_names
from voile.intake.panics import FAILURES
from voile.sql.source import DatabaseSource

# of pandas' object columns: what Arrow turns into one type without changing a value
_ONE_KIND = {"string", "boolean", "integer", "floating", "decimal", "date", "datetime", "datetime64", "empty"}


def data_frame(source: Any, blank: Collection[str] = ()) -> pl.DataFrame:
    """A data frame's cells as polars, names trimmed; the caller's own frame is not touched. Of a database
    the cells of the columns in `blank` are not fetched.

    >>> data_frame(pl.DataFrame({" age ": [31]}).lazy()).columns
    ['age']
    """
    if isinstance(source, DatabaseSource):
        frame = source.frame(blank)
        frame.columns = sound_names(frame.columns)
        return frame
    lazy = isinstance(source, pl.LazyFrame)
    if not lazy and not hasattr(source, "__arrow_c_stream__"):
        raise InputError(
            "neither a path nor a data frame",
            where="source",
            rule="a data frame speaks Arrow",
            remedy="pass a path, or a polars, pandas, pyarrow or DuckDB table",
        )
    if _is_pandas(source):
        _refuse_mixed(source)
    found, absent = None, False
    try:
        found = source.collect() if lazy else pl.DataFrame(source)
    except ImportError:
        absent = True
    except FAILURES:  # its message may quote a cell
        found = None
    if absent:
        raise InputError("needs pyarrow to be read", where="data frame", remedy="pip install pyarrow")
    if found is None:
        raise InputError(
            "cannot be read",
            where="data frame",
            rule="names differ, and a column has one type",
            remedy="check the query, or convert its columns to text, numbers or dates",
        )
    frame = found.clone()
    frame.columns = sound_names(frame.columns)
    return frame


def _is_pandas(source: Any) -> bool:
    """Whether this is a pandas frame; pandas is not loaded to find out."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(source, pandas.DataFrame)


def _refuse_mixed(source: Any) -> None:
    """Object columns hold anything; one of several kinds would be refused by Arrow, or changed."""
    sound_names([str(name) for name in source.columns])
    infer = sys.modules["pandas"].api.types.infer_dtype
    for position, dtype in enumerate(source.dtypes):
        if dtype.name != "object":
            continue
        cells = source.iloc[:, position].dropna()
        kind = infer(cells)
        if kind not in _ONE_KIND or (kind == "date" and cells.map(type).nunique() > 1):
            raise InputError(
                "cells of several kinds, or of none that can be published",
                where=f"data frame, column {position + 1} of {source.shape[1]}",
                rule="a column has one type",
                remedy="convert it to text, numbers or dates",
            )
