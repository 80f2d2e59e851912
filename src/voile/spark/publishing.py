"""The straight line on a cluster: read -> codes -> plan -> cells -> groups -> parts -> audit -> reveal."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voile import catalog
from voile.asked import RELEASE, algorithm_for, asked_for
from voile.core.algorithm import Algorithm
from voile.core.schema import Role, Schema
from voile.core.table import Table
from voile.errors import PromiseBroken, SpecError
from voile.intake.exact_sets import refuse_exact_sets
from voile.intake.table_reader import IntakeRecord
from voile.output.certificate import Claim, certificate
from voile.output.staging import Staging
from voile.output.writers import set_dates, write_counterfeits, write_document, write_private
from voile.rendering.publishable import refuse_exact
from voile.requirements import promise_of
from voile.spark import plans
from voile.spark.auditing import audit_on_cluster
from voile.spark.coding import spread_table
from voile.spark.source import cells
from voile.spark.spread import Layout
from voile.spark.summary import findings
from voile.spark.two_tables import write_two_tables
from voile.spark.writing import Written, grouped, write_parts
from voile.writing import sha256_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from voile.auditing import AuditReport

Report = Callable[[str, float], None]
CELL_ROWS = 500_000  # that one executor groups at once


def silent(stage: str, share: float) -> None:
    """Report nothing."""


@dataclass(frozen=True, repr=False, eq=False)
class SpreadRelease:
    """A release whose rows nobody has in one place: its certificate for everyone, a record for the steward."""

    certificate: Mapping[str, Any]
    private_record: Mapping[str, Any]


@dataclass(frozen=True)
class Task:
    """What is to be done, as far as the spec alone tells."""

    algorithm: Algorithm
    plan: plans.Plan
    asked: dict[str, Any] | None  # for the certificate
    only_release: bool  # nobody who knows the algorithm is to be held off


def prepared(
    schema: Schema, algorithm: str | None, against: str | None, strong: bool, parameters: Mapping[str, object]
) -> Task:
    """Choose and configure the algorithm; what a cluster does not do is refused before there is one."""
    refuse_columns(schema)
    asked = asked_for(algorithm, against, strong)
    found = algorithm_for(asked, schema, algorithm, parameters)
    chosen = catalog.algorithm(found.key).configure(dict(parameters))
    refuse_exact(schema, chosen)
    told = None if asked is None else {**asked.document(), "algorithm": found.key, "why": found.why}
    return Task(chosen, plans.plan_of(chosen), told, asked is not None and asked.against == RELEASE)


def run(
    spark: "SparkSession",
    source: str | Path,
    schema: Schema,
    task: Task,
    staging: Staging,
    format: str,
    cell_rows: int,
    report: Report,
) -> tuple[SpreadRelease, "AuditReport"]:
    """The line, in a session that is there."""
    report("reading and coding", 0)
    spread, intake = spread_table(cells(spark, source, schema), schema, curve=task.plan.curve)
    if not task.algorithm.separates:
        refuse_exact_sets(spread.layout.columns, spread.layout.n)
    report("planning", 0)
    planned = task.plan.make(spread, task.algorithm, cell_rows)
    report("grouping", 0)
    records = grouped(spread, planned.cell_of, planned.work)
    split = not task.algorithm.separates and any(c.role == Role.INSENSITIVE for c in spread.layout.columns)
    weakened = split or task.only_release
    claim = Claim(planned.algorithm, promise_of(planned.algorithm), weakened=weakened, asked=task.asked)
    report("writing", 0)
    with staging.writing():
        write = write_two_tables if task.algorithm.separates else write_parts
        written = write(records, spread.layout, staging.path, format, [claim.promise])
        release = _described(written, spread.layout, schema, claim, intake, staging.path, planned.announced)
        report("auditing", 0)
        audit = audit_on_cluster(spark, staging.path, schema)
        set_dates(staging.path, str(release.certificate["date"]))
    _refuse_unsound(audit, written, spread.layout.n)
    staging.reveal()
    return release, audit


def refuse_columns(schema: Schema) -> None:
    """What a cluster does not do."""
    if len(schema.with_role(Role.SENSITIVE)) > 1:
        raise SpecError(
            "several sensitive columns",
            where="spec",
            rule="on a cluster one is protected",
            remedy="publish without --engine spark, or declare the others identifying or quasi-identifying",
        )


def _described(
    written: Written,
    layout: Layout,
    schema: Schema,
    claim: Claim,
    intake: IntakeRecord,
    folder: Path,
    announced: str,
) -> SpreadRelease:
    """Write the certificate and the private record."""
    summary = written.summary
    columns = list(layout.columns)
    table = Table(columns, schema=schema, intake=intake)
    boxes = summary.boxes(table.quasi, table.sensitive)
    document = certificate(table, boxes, claim, summary.people, summary.verdicts(), catalog.metrics())
    document["attacks"] = [finding.document() for finding in findings(summary, [claim.promise])]
    document["engine"] = "spark"
    files = dict(written.files)
    if claim.algorithm.counterfeits:
        beside = write_counterfeits(written.counterfeits, folder)
        files[beside.name] = sha256_of(beside)
    document["files"] = files
    write_document(document, folder / "certificate.json")
    record: dict[str, Any] = {"rows_read": intake.rows_read, "rows_dropped_as_missing": intake.rows_dropped}
    record |= {"merged_spellings": intake.merged_spellings} | ({"announced": announced} if announced else {})
    write_private(record, folder / "private")
    if not summary.judge(claim.promise, 0)[0].ok:
        raise PromiseBroken(
            "the grouping breaks its promise",
            rule=claim.promise.title,
            remedy="this is a defect: please report it",
        )
    return SpreadRelease(document, record)


def _refuse_unsound(audit: "AuditReport", written: Written, rows: int) -> None:
    if audit.ok and audit.rows == rows + written.summary.fakes and audit.digest_matches:
        return
    raise PromiseBroken(
        "the written release failed its audit; nothing was revealed",
        where="data",
        rule="; ".join(audit.failures) or "rows and digests as written",
        remedy="check the disks of the executors; if it persists, please report it",
    )
