"""The audit of two tables on a cluster: both are read again, and must be of the same rows.

Promises about values are judged where the values of a group stand together, in the second table. In the first,
rows of a group lie in many parts: they are counted, and compared with the counts of the second, group by group.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from voile.auditing import AuditReport, noted_columns
from voile.core.order import value_counts
from voile.core.privacy_model import PrivacyModel
from voile.core.schema import GROUP, SENSITIVE_TABLE, Role, Schema
from voile.intake.sensitive_table import groups_of_lines, groups_of_rows, refuse_sums
from voile.published_bags import bags_of_one, known_columns
from voile.release_files import DATA
from voile.spark.crowds import crowds_in, crowds_together
from voile.spark.part_files import file_said, named_parts, read_part, refuse_straddling, told_by, whole_of
from voile.spark.session import asked
from voile.spark.spark_spread import mapped, record_batch
from voile.spark.spread import Codes, merged_tallies
from voile.spark.summary import Summary, summary_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def found_in_two_tables(
    spark: "SparkSession", folder: Path, schema: Schema, promises: list[PrivacyModel]
) -> tuple[AuditReport, Summary, dict[str, str]]:
    """What both tables say, and the digest of each of their parts."""
    secret = schema.with_role(Role.SENSITIVE)[0].name
    values, rows = (named_parts(spark, folder / name) for name in (SENSITIVE_TABLE, DATA))
    first = told_by(values, lambda name: _lines_in(name, schema, secret))
    refuse_straddling(first)
    _refuse_unlike(rows, values, schema, secret)
    whole = {secret: whole_of(first, secret)}
    said = told_by(values, lambda name: _judged(name, schema, secret, whole, promises))
    shown = told_by(rows, lambda name: _rows_in(name, schema))
    summary = Summary.merged([Summary.of(one) for one in said])
    summary = replace(summary, crowds=crowds_together(shown), separate=True)
    report = AuditReport(
        rows=sum(one["seen"] for one in shown),
        groups=int(summary.sizes[1].sum()),
        suppressed=0,
        generalised=0,
        achieved=summary.verdicts(),
        identifying=tuple(shown[0]["identifying"]),
        known=tuple(shown[0]["known"]),
        bags=summary.people,
    )
    return report, summary, {one["name"]: one["digest"] for one in (*first, *shown)}


def _lines_in(name: str, schema: Schema, secret: str) -> dict[str, Any]:
    """Of a part of the second table: its cells with their counts, its first and last group."""
    frame = read_part(name, schema)
    group, counts = groups_of_lines(frame, secret)
    cells = pl.DataFrame({"cell": frame[secret].cast(pl.String), "count": counts}).group_by("cell").sum()
    ends = [int(group.min()), int(group.max())] if group.size else []
    return file_said(name) | {"counts": {secret: [column.to_list() for column in cells]}, "ends": ends}


def _judged(
    name: str, schema: Schema, secret: str, whole: dict[str, pl.DataFrame], promises: list[PrivacyModel]
) -> dict[str, Any]:
    """What models say of the groups of a part of the second table."""
    frame = read_part(name, schema)
    group, counts = groups_of_lines(frame, secret)
    lines = np.repeat(np.arange(counts.size), counts)
    each = pl.DataFrame([pl.Series(GROUP, group[lines]), frame[secret].cast(pl.String).gather(lines)])
    return summary_of(None, bags_of_one(each, schema, {}, {}, whole)[0], 0, promises).document()


def _rows_in(name: str, schema: Schema) -> dict[str, Any]:
    """Of a part of the first table: how many rows it has, and how many are alike."""
    frame = read_part(name, schema)
    identifying, known = noted_columns(frame, schema, ())
    seen = {"seen": frame.height, "identifying": identifying, "known": known}
    return file_said(name) | seen | crowds_in(frame.select(known_columns(frame, schema)))


def _refuse_unlike(rows: "DataFrame", values: "DataFrame", schema: Schema, secret: str) -> None:
    """Every group has as many rows in the first table as the counts of its values add up to in the second."""

    def of_rows(name: str) -> tuple[Codes, Codes]:
        return value_counts(groups_of_rows(read_part(name, schema), secret))

    def of_lines(name: str) -> tuple[Codes, Codes]:
        group, counts = groups_of_lines(read_part(name, schema), secret)
        return merged_tallies([(group, -counts)])

    sums = _counted(rows, of_rows).union(_counted(values, of_lines)).groupBy("group").sum("number")
    if asked("comparing both tables", sums.filter("`sum(number)` <> 0").limit(1).count):
        refuse_sums()


def _counted(parts: "DataFrame", count: Callable[[str], tuple[Codes, Codes]]) -> "DataFrame":
    """A frame of group numbers, each with a number."""

    def each(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            for name in batch.column(0).to_pylist():
                group, number = count(name)
                yield record_batch({"group": group, "number": number})

    return mapped(parts, each, "group long, number long")
