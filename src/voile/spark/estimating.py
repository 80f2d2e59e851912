"""Counts from a release in parts, on a cluster: as `voile.estimate`, from sums that parts add up to.

What a label means may depend on all labels of its column, so these are collected first; then every executor sums
over the groups of its parts. Nothing is looked at but the release.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from voile.core.schema import TWO_TABLES, Schema
from voile.errors import InputError
from voile.estimating import Described, Estimate
from voile.intake.counterfeits import read_counterfeits
from voile.intake.part_files import parts_of, suffix_of
from voile.intake.table_reader import read_frame
from voile.querying.estimated_sums import (
    Meaning,
    PublishedRows,
    Sums,
    group_numbers,
    other_counterfeits,
    sums_of,
)
from voile.querying.query_text import Condition
from voile.release_files import locate
from voile.spark.session import asked
from voile.spark.spark_spread import mapped

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def estimate_on_cluster(
    spark: "SparkSession", folder: Path, conditions: list[Condition], schema: Schema | None
) -> Estimate:
    """The estimate, in a session that is there."""
    data, certificate, problem = refuse_whole(folder)
    if problem and schema is None:
        raise InputError(problem[0], where=folder.name, remedy="give the spec (-s)")
    stated = _counterfeits(data)
    names = list(dict.fromkeys(condition.column for condition in conditions))

    def look(rows: PublishedRows) -> Any:
        return sorted(rows.names), {name: rows.labels(name).to_list() for name in names if name in rows.names}

    first = _of_parts(spark, data, look)
    header = first[0][0]
    if any(own != header for own, _ in first):
        raise InputError("parts that differ", where=data.name, rule="one header for all parts")
    described = Described.of(schema, certificate, set(header))
    labels = {name: sorted({label for _, own in first for label in own.get(name, ())}) for name in names}
    quoted = suffix_of(data) == ".csv"
    meanings = {
        name: Meaning.of(described.columns[name], pl.Series(labels[name], dtype=pl.String), mine, quoted)
        for name, mine in described.asked(conditions).items()
    }

    def add(rows: PublishedRows) -> Any:
        own = _own(stated, rows.frame)
        return *sums_of(PublishedRows(rows.frame, own), meanings), len(own)

    parts = _of_parts(spark, data, add)
    if sum(one[-1] for one in parts) != len(stated):
        raise other_counterfeits()
    return described.concluded(Sums.together(Sums(*one[:-1]) for one in parts), meanings)


def refuse_whole(folder: Path) -> tuple[Path, dict[str, Any] | None, tuple[str, ...]]:
    """The folder of parts with its certificate; refuses a release that is one file."""
    data, certificate, problem = locate(folder)
    if not data.is_dir():
        raise InputError(
            "not a release in parts",
            where=folder.name,
            rule="a cluster counts in what it wrote: part files in data/",
            remedy="leave --engine out",
        )
    if certificate is not None and certificate["table"].get("published") == TWO_TABLES:
        raise InputError(
            "published in two tables",
            where=f"release {data.parent.name}",
            rule="rows of a group are in several parts there, and a cluster counts part by part",
            remedy="leave --engine out",
        )
    return data, certificate, problem


def _counterfeits(data: Path) -> dict[int, int]:
    listed = data.with_name("counterfeits.csv")
    return read_counterfeits(listed) if listed.is_file() else {}


def _own(stated: Mapping[int, int], frame: pl.DataFrame) -> dict[int, int]:
    """The counterfeits of a part's groups."""
    here = set(np.unique(group_numbers(frame)).tolist()) if stated else set()
    return {group: number for group, number in stated.items() if group in here}


def _of_parts(spark: "SparkSession", data: Path, say: Callable[[PublishedRows], Any]) -> list[Any]:
    """What executors say of each part, which travels as JSON."""
    parts = [(str(part.absolute()),) for part in parts_of(data)]

    def each(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            said = [json.dumps(say(_rows(Path(name)))) for name in batch.column(0).to_pylist()]
            yield pa.RecordBatch.from_arrays([pa.array(said, pa.string())], ["said"])

    listed = asked("listing parts", lambda: spark.createDataFrame(parts, "name string").repartition(len(parts)))
    return [json.loads(row[0]) for row in asked("counting", mapped(listed, each, "said string").collect)]


def _rows(part: Path) -> PublishedRows:
    return PublishedRows(read_frame(part, Schema(()), may_be_empty=True), {})
