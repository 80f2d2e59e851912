"""A table as one file, or as a folder of part files that a cluster wrote: rows in the order of their names."""

from pathlib import Path

import polars as pl

from voile.core.schema import Schema
from voile.errors import InputError
from voile.intake.table_reader import read_frame


def parts_of(path: Path) -> list[Path]:
    """The file itself; of a folder its files in the order of their names.

    >>> [part.name for part in parts_of(Path("data.csv"))]
    ['data.csv']
    """
    if not path.is_dir():
        return [path]
    found = sorted(part for part in path.iterdir() if part.is_file())
    if not found:
        raise InputError("no parts", where=path.name, remedy="check the folder")
    return found


def suffix_of(path: Path) -> str:
    """Of the file, or of the first of the parts.

    >>> suffix_of(Path("data.CSV"))
    '.csv'
    """
    return parts_of(path)[0].suffix.lower()


def read_parts(path: Path, schema: Schema, *, may_be_empty: bool = False) -> pl.DataFrame:
    """The cells of a file or of all parts, nothing typed or dropped yet; as `read_frame`."""
    parts = parts_of(path)
    if parts == [path]:
        return read_frame(path, schema, may_be_empty=may_be_empty)
    frames = [read_frame(part, schema, may_be_empty=True) for part in parts]
    if len({(part.suffix, *frame.columns) for part, frame in zip(parts, frames, strict=True)}) != 1:
        raise InputError("parts that differ", where=path.name, rule="one format and one header for all parts")
    whole = None
    try:
        whole = pl.concat(frames, how="vertical_relaxed")  # numbers of groups grow wider from part to part
    except pl.exceptions.PolarsError:  # it may quote cells
        whole = None
    if whole is None or (whole.height == 0 and not may_be_empty):
        rule = "columns have the same types in all parts" if whole is None else "a table has rows"
        raise InputError("cannot be put together", where=path.name, rule=rule, remedy="check the parts")
    return whole
