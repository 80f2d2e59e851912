"""The audit on a cluster: executors read the written parts again and say what is in them.

A release that Voile wrote has whole groups in every part: parts are read by executors as they are, file by file.
Any other table is dealt to cells by what an adversary knows of a row, so that rows which look alike meet.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from voile.auditing import AuditReport, Judgement, audit_frame, concluded
from voile.core.privacy_model import PrivacyModel
from voile.core.schema import COUNTERFEITS, GROUP, TWO_TABLES, Role, Schema
from voile.errors import InputError
from voile.intake.counterfeits import read_counterfeits
from voile.release_files import DATA, promised, read_certificate
from voile.spark.blocks import SCHEMA, dealt, together
from voile.spark.part_files import (
    file_said,
    named_parts,
    read_part,
    refuse_straddling,
    told_by,
    whole_of,
)
from voile.spark.session import asked
from voile.spark.source import Source, cells
from voile.spark.spark_spread import by_cell, mapped
from voile.spark.summary import Summary, findings, summary_of
from voile.spark.two_tables_audit import found_in_two_tables
from voile.writing import sha256_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

CELL_ROWS = 1_000_000  # of a foreign table, that one executor judges at once
Whole = Mapping[str, pl.DataFrame]


def audit_on_cluster(
    spark: "SparkSession",
    source: str | Path,
    schema: Schema,
    requirements: list[PrivacyModel] | None = None,
    demands: Any = (),
) -> AuditReport:
    """The audit, in a session that is there."""
    folder = Path(str(source))
    certificate, problem = read_certificate(folder) if (folder / DATA).is_dir() else (None, ())
    promises = promised(certificate) + (requirements or [])
    if certificate is not None and certificate["table"].get("published") == TWO_TABLES:
        report, summary, digests = found_in_two_tables(spark, folder, schema, promises)
    else:
        stated = read_counterfeits(folder / f"{COUNTERFEITS}.csv") if _counts_fakes(certificate) else {}
        report, summary, digests = _found_in_one(spark, source, schema, certificate, promises, stated)
    if certificate is not None:
        matches = _as_certified(folder, digests, certificate)
        report = replace(report, certificate=certificate, digest_matches=matches)

    def judge(promise: PrivacyModel) -> Judgement:
        return summary.judge(promise, promises.index(promise))

    return concluded(report, promises, judge, findings(summary, promises), demands, problem)


def _counts_fakes(certificate: Mapping[str, Any] | None) -> bool:
    return certificate is not None and "counterfeits" in certificate["table"]


def _found_in_one(
    spark: "SparkSession",
    source: str | Path,
    schema: Schema,
    certificate: Mapping[str, Any] | None,
    promises: list[PrivacyModel],
    stated: Mapping[int, int],
) -> tuple[AuditReport, Summary, dict[str, str]]:
    """What a table says, and the digest of each part of a release."""
    folder = Path(str(source)) / DATA
    ours = certificate is not None or folder.is_dir()
    table = named_parts(spark, folder) if ours else cells(spark, source, schema)
    first = _looked_at(table, schema)
    if not any(sum(counts) for one in first for _, counts in one["counts"].values()):
        raise InputError("no rows", where="source", remedy="give a table with at least one row")
    whole = {c.name: whole_of(first, c.name) for c in schema.with_role(Role.SENSITIVE)}
    if ours:
        refuse_straddling(first)
    said = _judged(table, schema, whole, promises, stated)
    summary = Summary.merged([Summary.of(one) for one in said])
    report = AuditReport(
        rows=sum(one["seen"] for one in said),
        groups=int(summary.sizes[1].sum()),
        suppressed=sum(one["suppressed"] for one in said),
        generalised=0,
        achieved=summary.verdicts(),
        identifying=tuple(said[0]["identifying"]),
        known=tuple(said[0]["known"]),
        bags=summary.people,
    )
    return report, summary, {one["name"]: one["digest"] for one in first}


def _looked_at(table: "DataFrame | Source", schema: Schema) -> list[dict[str, Any]]:
    """Of each part: its sensitive cells with their counts, its group numbers, its digest."""
    secrets = [c.name for c in schema.with_role(Role.SENSITIVE)]

    def look(rows: pl.DataFrame) -> dict[str, Any]:
        counts = {}
        for column in secrets:
            if column not in rows.columns:
                raise InputError(
                    "lacks a sensitive column", where="part", rule="all declared columns are published"
                )
            cells = rows[column].value_counts(name="count")
            counts[column] = [cells[column].cast(pl.String).to_list(), cells["count"].to_list()]
        ends = _ends(rows) if GROUP in rows.columns else []
        return {"counts": counts, "ends": ends}

    if not isinstance(table, Source):
        return told_by(table, lambda name: look(read_part(name, schema)) | file_said(name))
    named = table.rows()

    def each(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in batches:
            said = json.dumps(look(named(batch)) | {"name": "", "digest": ""})
            yield pa.RecordBatch.from_arrays([pa.array([said], pa.string())], ["said"])

    return [json.loads(row[0]) for row in asked("auditing", mapped(table.frame, each, "said string").collect)]


def _ends(rows: pl.DataFrame) -> list[int]:
    """The first and the last group of a part."""
    group = rows[GROUP].drop_nulls().to_numpy()
    return [int(group.min()), int(group.max())] if group.size else [0, 0]


def _judged(
    table: "DataFrame | Source",
    schema: Schema,
    whole: Whole,
    promises: list[PrivacyModel],
    stated: Mapping[int, int],
) -> list[dict[str, Any]]:
    """What each part says of itself."""

    def say(rows: pl.DataFrame) -> dict[str, Any]:
        rows = rows.with_columns(rows[column].cast(pl.String) for column in whole)
        own = {}
        if stated and GROUP in rows.columns:
            low, high = _ends(rows)
            own = {group: number for group, number in stated.items() if low <= group <= high}
        found = audit_frame(rows, schema, own, whole=whole)
        told = summary_of(None, found.bags, sum(own.values()), promises).document()
        more = {"identifying": found.identifying, "known": found.known, "suppressed": found.suppressed}
        return told | more | {"seen": found.rows}

    if not isinstance(table, Source):
        return told_by(table, lambda name: say(read_part(name, schema)))
    job = _by_look(table, schema, lambda rows: json.dumps(say(rows)))
    return [json.loads(row[0]) for row in asked("auditing", job.collect)]


def _by_look(table: Source, schema: Schema, say: Callable[[pl.DataFrame], str]) -> "DataFrame":
    """Rows that look alike in one cell."""
    known = [c.name for c in schema if c.role in (Role.QUASI_IDENTIFYING, Role.INSENSITIVE)]
    names = [name for name in table.names if name in (*known, GROUP)]
    many = max(1, -(-asked("counting", table.frame.count) // CELL_ROWS))
    named = table.rows()

    def placed(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            look = named(batch).select(pl.col(names).cast(pl.String)).hash_rows(seed=0) % many
            yield dealt("cell", look.cast(pl.Int64).to_numpy(), batch)

    def judge(key: Any, blocks: Any) -> Any:
        import pyarrow as pa

        return pa.table({"said": pa.array([say(named(together(blocks)))], pa.string())})

    return by_cell(mapped(table.frame, placed, f"cell long, {SCHEMA}"), "cell", judge, "said string", many)


def _as_certified(folder: Path, digests: Mapping[str, str], certificate: Mapping[str, Any]) -> bool:
    """Whether parts and what lies beside them are the files that the certificate names."""
    found = dict(digests)
    beside = folder / f"{COUNTERFEITS}.csv"
    if beside.is_file():
        found[beside.name] = sha256_of(beside)
    return found == dict(certificate["files"])
