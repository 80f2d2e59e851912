"""Parts of a release as files: executors read them, each as it lies there, and say what is in them."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from voile.core.schema import FileOptions, Role, Schema
from voile.errors import InputError
from voile.intake.part_files import parts_of
from voile.intake.published_values import unquoted
from voile.intake.table_reader import read_frame
from voile.spark.session import asked
from voile.spark.spark_spread import mapped
from voile.writing import sha256_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def named_parts(spark: "SparkSession", folder: Path) -> "DataFrame":
    """A frame of the names of the files in a folder, one part each."""
    listed = [(str(path.absolute()),) for path in parts_of(folder)]
    return asked("listing parts", lambda: spark.createDataFrame(listed, "name string").repartition(len(listed)))


def read_part(name: str, schema: Schema) -> pl.DataFrame:
    """A part, without the quotes that our CSV puts before what a spreadsheet would run in a sensitive column."""
    frame = read_frame(Path(name), Schema((), file=FileOptions()), may_be_empty=True)
    if not name.endswith(".csv"):
        return frame
    secrets = [c.name for c in schema.with_role(Role.SENSITIVE) if c.name in frame.columns]
    return frame.with_columns(unquoted(frame[column]) for column in secrets)


def file_said(name: str) -> dict[str, str]:
    """How a certificate names a part, and its digest."""
    return {"name": "/".join(Path(name).parts[-2:]), "digest": sha256_of(Path(name))}


def told_by(parts: "DataFrame", tell: Callable[[str], dict[str, Any]]) -> list[dict[str, Any]]:
    """What there is to tell of each part, by its name."""

    def each(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            said = [json.dumps(tell(name)) for name in batch.column(0).to_pylist()]
            yield pa.RecordBatch.from_arrays([pa.array(said, pa.string())], ["said"])

    return [json.loads(row[0]) for row in asked("auditing", mapped(parts, each, "said string").collect)]


def apart(parts: Sequence[Mapping[str, Any]]) -> bool:
    """Whether no group number is in two parts, by the least and the greatest of each."""
    ends = sorted(one["ends"] for one in parts if one["ends"])
    return len(ends) == len(parts) and all(a[1] < b[0] for a, b in pairwise(ends))


def refuse_straddling(parts: Sequence[Mapping[str, Any]]) -> None:
    """Groups must be whole where they are judged."""
    if not apart(parts):
        raise InputError(
            "a group in two parts", where="data", rule="parts have whole groups", remedy="write it again"
        )


def whole_of(parts: Sequence[Mapping[str, Any]], column: str) -> pl.DataFrame:
    """All cells of a sensitive column with their counts, from those of each part."""
    kinds = {"cell": pl.String, "count": pl.Int64}
    own = [pl.DataFrame(dict(zip(kinds, one["counts"][column], strict=True)), schema=kinds) for one in parts]
    return pl.concat(own).group_by("cell").sum().sort("cell")
