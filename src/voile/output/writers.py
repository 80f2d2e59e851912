"""Published rows and documents as files of mode 0600."""

import csv
import datetime
import io
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import polars as pl

from voile.core.schema import COUNTERFEITS
from voile.errors import OutputError, ParameterError

# A spreadsheet runs cells that begin with these, also in other widths: hence NFKC (docs/facts/threats.md 2.2).
# A plain negative number is not a formula. A quote in front of such a cell is doubled, so that
# nothing is ambiguous.
_FORMULA = r"^'*[=+\-@\t\r]"
_NUMBER = r"^-\d+(\.\d+)?$"


def neutralised(text: pl.Expr) -> pl.Expr:
    """Cells that a spreadsheet would run, with a quote in front.

    >>> pl.DataFrame({"x": ["=1+1", "-5", "@a", "flu"]}).select(neutralised(pl.col("x"))).to_series().to_list()
    ["'=1+1", '-5', "'@a", 'flu']
    """
    harmless = ~text.str.normalize("NFKC").str.contains(_FORMULA) | text.str.contains(_NUMBER)
    return pl.when(harmless).then(text).otherwise(pl.lit("'") + text)


def write_data(frame: pl.DataFrame, folder: Path, format: str, name: str = "data") -> Path:
    """data.csv or data.parquet, or another name; neither holds anything but the published cells."""
    if format == "csv":
        safe = frame.with_columns(neutralised(pl.col(pl.String)))
        return _written(folder / f"{name}.csv", safe.write_csv)
    if format == "parquet":
        return _written(folder / f"{name}.parquet", frame.write_parquet)
    raise ParameterError("unknown format", where="format", rule="csv or parquet")


def write_counterfeits(auxiliary: pl.DataFrame, folder: Path) -> Path:
    """counterfeits.csv: how many rows of a group stand for nobody (Xiao and Tao 2007, Definition 3)."""
    return _written(folder / f"{COUNTERFEITS}.csv", auxiliary.write_csv)


def write_document(document: Mapping[str, Any], path: Path) -> Path:
    """A JSON document, keys in their order, one per line."""
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    return _written(path, lambda file: file.write(text.encode()))


def write_bytes(content: bytes, path: Path) -> Path:
    """Bytes as they are."""
    return _written(path, lambda file: file.write(content))


def write_private(record: Mapping[str, Any], folder: Path) -> None:
    """The steward's folder: the record, and the key of the source's digest in a file of its own."""
    folder.mkdir(mode=0o700)
    shown = {name: value for name, value in record.items() if name != "digest_key"}
    write_document({"note": "for the steward; never publish this folder", **shown}, folder / "record.json")
    if record.get("digest_key"):
        write_bytes(record["digest_key"].hex().encode(), folder / "input.key")


def set_dates(folder: Path, day: str) -> None:
    """Files carry the day of the release, not the minute of the run."""
    moment = datetime.datetime.fromisoformat(day).replace(tzinfo=datetime.UTC).timestamp()
    for path in sorted(folder.rglob("*")):
        os.utime(path, (moment, moment))


def write_hierarchy_file(lines: Iterable[Sequence[str]], path: Path) -> Path:
    """An ARX CSV: `;`, no header. Cells are written as they are: quoted against a spreadsheet they
    would not be read back."""
    if os.path.lexists(path):
        raise OutputError(
            "is already there", where=path.name, rule="a file is never overwritten", remedy="choose another name"
        )
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=";", lineterminator="\n").writerows(lines)
    return write_bytes(text.getvalue().encode(), path)


def _written(path: Path, write: Callable[[IO[bytes]], Any]) -> Path:
    problem, handle = "", -1
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            write(file)
    except OSError as error:
        problem = os.strerror(error.errno).lower() if error.errno else "the writer failed"
    except Exception:  # a library's message may quote cells
        problem = "the writer failed"
    if problem:
        if handle >= 0:  # ours: half a file is none
            path.unlink(missing_ok=True)
        raise OutputError(
            f"cannot be written ({problem})", where=path.name, remedy="free space or choose another folder"
        )
    return path
