"""Parquet and CSV folders, and tables of the cluster -> a DataFrame of cells, nothing typed yet.

Parquet is read by Spark. CSV files are read by our own strict reader, one file at a time on an executor: Spark's
would take ragged rows and foreign encodings for data.
"""

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import polars as pl

from voile.core.schema import FileOptions, Schema
from voile.errors import InputError, VoileError
from voile.intake.csv_file import read_csv
from voile.intake.header import sound_names
from voile.spark.session import asked
from voile.spark.spark_spread import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Result = TypeVar("Result")
PLACE = "a Parquet or CSV file or folder that driver and executors see under this path"
TABLE = "table:"  # before the name of a table that the cluster knows
LARGEST_CSV = 2**28  # bytes of one CSV file: an executor holds it whole


class Source(NamedTuple):
    """A table on the cluster: its cells, and the names of its columns. For Spark these are x0, x1, ...: names of a
    file may hold signs that have a meaning there."""

    frame: "DataFrame"
    names: tuple[str, ...]

    def only(self, wanted: Sequence[str]) -> "Source":
        """Some of the columns."""
        return Source(self.frame.select([f"x{self.names.index(name)}" for name in wanted]), tuple(wanted))

    def rows(self) -> Callable[[Any], pl.DataFrame]:
        """What makes the rows of an Arrow batch, under their names."""
        names = self.names

        def named(batch: Any) -> pl.DataFrame:
            part = pl.DataFrame(pl.from_arrow(batch))
            part.columns = list(names)
            return part

        return named


def cells(spark: "SparkSession", source: str | Path, schema: Schema) -> Source:
    """The cells of a table of the cluster (`table:name`), or of a Parquet or CSV file or folder."""
    text = str(source)
    if text.startswith(TABLE):
        frame = _found(lambda: spark.table(text.removeprefix(TABLE)), "the name of a table that the cluster knows")
        names = frame.columns
    elif _suffix(text) == ".csv":
        frame, names = _csv(spark, text, schema.file)
    else:
        # what only some files have must be declared, too
        frame = _found(lambda: spark.read.option("mergeSchema", "true").parquet(text), PLACE)
        names = frame.columns
    sound = sound_names(names)
    return Source(frame.toDF(*(f"x{i}" for i in range(len(sound)))), tuple(sound))


def _found(job: Callable[[], Result], rule: str) -> Result:
    return asked("reading", job, "source", rule, "check the path or the name, and look at the workers")


def _suffix(text: str) -> str:
    """Of a file; of a folder that this machine can see, of its files."""
    path = Path(text)
    if path.is_dir():
        kinds = {p.suffix.lower() for p in path.iterdir() if p.is_file() and not p.name.startswith((".", "_"))}
        if len(kinds) != 1:
            raise InputError(
                "files of several kinds, or none", where="source folder", rule="all Parquet, or all CSV"
            )
        return kinds.pop()
    return path.suffix.lower()


def _csv(spark: "SparkSession", text: str, options: FileOptions) -> tuple["DataFrame", list[str]]:
    """Every file read by an executor, all cells as text; all files have the same header."""
    whole = _found(lambda: spark.read.format("binaryFile").load(text), PLACE)
    biggest = _found(lambda: whole.agg({"length": "max"}).collect()[0][0], PLACE)
    if biggest is None:
        raise InputError("no files", where="source folder", remedy="give a folder with CSV files")
    if biggest > LARGEST_CSV:
        raise InputError(
            "a CSV file that is too large for one executor",
            where="source folder",
            rule=f"at most {LARGEST_CSV // 2**20} MiB each",
            remedy="split it into files with the same header, or convert it to Parquet",
        )
    files = whole.select("path", "content")
    headers = mapped(files, _reader(options, header_only=True), "names string")
    found = {row[0] for row in _found(headers.collect, PLACE)}
    if len(found) != 1:
        raise InputError("files with different headers", where="source folder", rule="one header for all")
    names = json.loads(found.pop())
    spread = files.repartition(max(1, files.rdd.getNumPartitions()))
    return mapped(spread, _reader(options), ", ".join(f"x{i} string" for i in range(len(names)))), names


def _reader(options: FileOptions, header_only: bool = False) -> Any:
    def read(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            for path, content in zip(batch.column("path"), batch.column("content"), strict=True):
                frame = _of_file(path.as_py(), content.as_buffer(), options)
                if header_only:
                    yield pa.RecordBatch.from_arrays([pa.array([json.dumps(frame.columns)])], names=["names"])
                else:
                    frame.columns = [f"x{i}" for i in range(frame.width)]
                    table = frame.select(pl.all().cast(pl.String)).to_arrow(compat_level=pl.CompatLevel.oldest())
                    yield from table.to_batches()

    return read


def _of_file(path: str, content: Any, options: FileOptions) -> pl.DataFrame:
    """A refusal says which file of the folder it is."""
    problem: VoileError
    try:
        return read_csv_bytes(content, options)
    except InputError as refusal:
        problem = refusal
    name = path.rpartition("/")[2]
    raise InputError(
        problem.what,
        where=f"{problem.where} of {name}" if problem.where else name,
        rule=problem.rule,
        remedy=problem.remedy,
    )


def read_csv_bytes(content: Any, options: FileOptions) -> pl.DataFrame:
    """A CSV file's bytes by the strict reader, which wants a file: one in memory, or one without a name. Whoever
    is killed meanwhile leaves nothing on a disk."""
    in_memory = getattr(os, "memfd_create", None)
    with open(in_memory("voile"), "w+b") if in_memory else tempfile.TemporaryFile() as file:
        file.write(content)
        file.flush()
        return read_csv(Path(f"/dev/fd/{file.fileno()}"), options)
