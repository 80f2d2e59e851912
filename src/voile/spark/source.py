"""Parquet and CSV folders, and tables of the cluster -> a DataFrame of cells, nothing typed yet.

Parquet is read by Spark. CSV files are read by our own strict reader, one file at a time on an executor: Spark's
would take ragged rows and foreign encodings for data.
"""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from voile.core.schema import FileOptions, Schema
from voile.errors import InputError
from voile.intake.csv_file import read_csv
from voile.intake.header import sound_names
from voile.spark.session import asked
from voile.spark.spark_spread import mapped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TABLE = "table:"  # before the name of a table that the cluster knows
LARGEST_CSV = 2**28  # bytes of one CSV file: an executor holds it whole


def cells(spark: "SparkSession", source: str | Path, schema: Schema) -> "DataFrame":
    """The cells of a table of the cluster (`table:name`), or of a Parquet or CSV file or folder."""
    text = str(source)
    if text.startswith(TABLE):
        frame = asked("reading", lambda: spark.table(text.removeprefix(TABLE)), "source")
    elif _suffix(text) == ".csv":
        frame = _csv(spark, text, schema.file)
    else:
        frame = asked("reading", lambda: spark.read.parquet(text), "source")
    names = sound_names(frame.columns)
    return frame.toDF(*names)


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


def _csv(spark: "SparkSession", text: str, options: FileOptions) -> "DataFrame":
    """Every file read by an executor, all cells as text; all files have the same header."""
    files = spark.read.format("binaryFile").load(text).select("content", "length")
    biggest = asked("reading", lambda: files.agg({"length": "max"}).collect()[0][0], "source")
    if biggest is None:
        raise InputError("no files", where="source folder", remedy="give a folder with CSV files")
    if biggest > LARGEST_CSV:
        raise InputError(
            "a CSV file that is too large for one executor",
            where="source folder",
            rule=f"at most {LARGEST_CSV // 2**20} MiB each",
            remedy="split it into files with the same header, or convert it to Parquet",
        )
    headers = mapped(files.select("content"), _reader(options, header_only=True), "names string")
    found = {row[0] for row in asked("reading", headers.collect, "source")}
    if len(found) != 1:
        raise InputError("files with different headers", where="source folder", rule="one header for all")
    names = found.pop().split("\x1f")
    spread = files.select("content").repartition(max(1, files.rdd.getNumPartitions()))
    return mapped(spread, _reader(options), ", ".join(f"`{name.replace('`', '``')}` string" for name in names))


def _reader(options: FileOptions, header_only: bool = False) -> Any:
    def read(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            for content in batch.column(0):
                frame = read_csv_bytes(content.as_py(), options)
                if header_only:
                    yield pa.RecordBatch.from_arrays([pa.array(["\x1f".join(frame.columns)])], names=["names"])
                else:
                    table = frame.select(pl.all().cast(pl.String)).to_arrow(compat_level=pl.CompatLevel.oldest())
                    yield from table.to_batches()

    return read


def read_csv_bytes(content: bytes, options: FileOptions) -> pl.DataFrame:
    """A CSV file's bytes by the strict reader, which wants a file: a private one, gone at once."""
    import tempfile

    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        file.write(io.BytesIO(content).getbuffer())
        file.flush()
        return read_csv(Path(file.name), options)
