"""A file whose first line is data: its "names" are a person's cells, and must not be shown."""

import re

import polars as pl

from voile.errors import InputError
from voile.intake.normalise import normalised

_GIVEAWAY = re.compile(r"^(\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|[^@\s]+@[^@\s]+\.\w+|[+-]?\d+\.\d+|\d{5,}|\?)$")
_ROWS = 10_000  # whose cells are compared with the names


def refuse_headerless(frame: pl.DataFrame) -> None:
    """Refuse when half of the names are cells of their own column, or one is a date, an amount or an address."""
    names = list(frame.columns)
    if any(_GIVEAWAY.match(name) for name in names) or 2 * sum(map(_is_cell, frame.head(_ROWS))) >= len(names):
        raise InputError(
            "looks like data",
            where="file, line 1",
            rule="the first line names the columns",
            remedy="put a line of column names on top; if it is one, say --header",
        )


def _is_cell(column: pl.Series) -> bool:
    """Whether a name is also a cell below it, or has digits where the cells have theirs."""
    name, cells = column.name, normalised(column.unique()).drop_nulls()
    if name in cells.to_list():
        return True
    shape = re.sub(r"\d", "9", name)
    shapes = cells.str.replace_all(r"\d", "9")
    return "9" in shape and cells.len() > 1 and 10 * int((shapes == shape).sum()) >= 9 * cells.len()
