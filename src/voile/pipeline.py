"""The straight line: read -> Table -> partition -> check -> render -> write -> audit -> reveal."""

import math
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voile import catalog
from voile.asked import RELEASE, algorithm_for, asked_for, refuse_seed
from voile.auditing import AuditReport
from voile.core.algorithm import Algorithm, RandomisedAlgorithm
from voile.core.bags import Bags
from voile.core.boxes import Boxes
from voile.core.draws import SECRET, Draws, InsecureDraws
from voile.core.family_set import merged_until
from voile.core.hierarchy import Hierarchy
from voile.core.metric import Metric
from voile.core.order import dense_rank
from voile.core.partition import Partition
from voile.core.privacy_model import PrivacyModel
from voile.core.release import Release
from voile.core.schema import Role, Schema
from voile.core.table import Table
from voile.core.verdict import Verdict
from voile.errors import InputError, ParameterError, PromiseBroken, SpecError
from voile.exposure import exact_findings, verdicts, worst_case
from voile.intake.exact_sets import refuse_exact_sets
from voile.intake.spec_file import Spec, schema_of
from voile.intake.table_reader import IntakeRecord, read_table
from voile.kernels.threads import Threads
from voile.measuring import measured, parse_measures
from voile.output.certificate import Claim, certificate
from voile.output.database_target import target_of
from voile.output.staging import Staging
from voile.output.writers import write_hierarchy_file
from voile.prices import priced_l, with_prices
from voile.rendering.publishable import refuse_exact, refuse_hidden_tree
from voile.rendering.release_frame import rendered
from voile.reporting.private_report import truth_of
from voile.requirements import further_promises, promise_of
from voile.sql.source import source_of
from voile.writing import write_audited

Report = Callable[[str, float], None]  # called with a stage and the share of it that is done


def silent(stage: str, share: float) -> None:
    """Report nothing."""


def read(
    source: Any, spec: Spec, *, table: str | None = None, query: str | None = None, may_be_empty: bool = False
) -> Table:
    """Read a table as its spec declares it.

    `source` is a CSV or Parquet file, or any Arrow-capable data frame: polars (also lazy), pandas,
    a pyarrow Table, a DuckDB relation. Or the address of a database (postgresql://user@host/database, sqlite:///file)
    with its `table` or a `query`. `spec` is a TOML file, a Schema, or a mapping of columns.
    `may_be_empty`: for a series from which everybody has left.

    >>> import polars as pl
    >>> patients = pl.DataFrame({"age": [31, 47], "disease": ["flu", "gout"]})
    >>> read(patients, {"age": {"role": "qi", "type": "integer"}, "disease": "sensitive"})
    Table(2 rows: age quasi-identifying, disease sensitive)
    """
    return read_table(source_of(source, table, query), schema_of(spec), may_be_empty=may_be_empty)


def export_hierarchy(table: Table, column: str, path: str | Path) -> Path:
    """Write a column's hierarchy as ARX CSV, to be edited and named in the spec.

    The file holds values of the source: it is private (mode 0600), and never overwrites another.
    """
    found = [c for c in table.columns if c.name == column and c.role != Role.SUBJECT]
    if not found or not isinstance(found[0].domain, Hierarchy):
        raise SpecError(
            "has no hierarchy" if found else "is not a column that is published",
            where=f"column {column}",
            rule="categories have one, other columns where the spec says so; dropped columns have none",
            remedy='declare one, for example hierarchy = { intervals = [5, 10] }, or { dates = ["month", "year"] }'
            if found
            else "write its name as in the header; a dropped column has none",
        )
    return write_hierarchy_file(found[0].domain.lines(), Path(path))


def anonymize(
    table: Table,
    algorithm: str | None = None,
    *,
    against: str | None = None,
    strong: bool = False,
    also: str = "",
    measure: str = "",
    insecure_seed: int | None = None,
    prices: bool = False,
    report: Report = silent,
    **parameters: object,
) -> Release:
    """Make a release of a table in memory; `.write(folder)` publishes it.

    `against` says who must be held off: "algorithm" (readers who know the algorithm; the default), or "release"
    (readers who only look at the release). With `strong` they may also know everybody else's values. It chooses
    the algorithm, by a fixed rule that never looks at who has what; one that is named must hold against them. An
    algorithm that is named without `against` is taken as it is.

    `parameters` are the algorithm's own, see `voile algorithms`. `also` are further promises, for example
    "k>=20, t<=0.3": groups are merged until they hold. `measure` names metrics for the steward, such as
    "qwe_mean, qwe_median[theta=0.05]": they go to the private record, under "measured". `insecure_seed` repeats a
    random draw, for tests only: the certificate then claims less. `prices` adds what the other promises would cost
    on this table to the private record: see there what may not be made of it.

    >>> patients = {"age": [31, 47, 52, 29], "disease": ["flu", "gout", "flu", "asthma"]}
    >>> import polars as pl
    >>> spec = {"age": {"role": "qi", "type": "integer"}, "disease": "sensitive"}
    >>> release = anonymize(read(pl.DataFrame(patients), spec), l=2)
    >>> release, release.certificate["algorithm"]["key"], release.certificate["adversary"]["rung"]
    (Release(4 rows, 3 columns), 'glass', 'algorithm, marginal')
    """
    if not isinstance(table, Table):
        raise InputError(
            "not a table that was read",
            where="anonymize",
            remedy="read it first: voile.read(file or data frame, spec)",
        )
    wanted = parse_measures(measure, table)
    asked = asked_for(algorithm, against, strong)
    found = algorithm_for(asked, _published_schema(table), algorithm, parameters)
    if asked is not None and insecure_seed is not None:
        refuse_seed(asked)
    chosen = catalog.algorithm(found.key).configure(parameters).resolve(table)
    _refuse_unfit(table, chosen)
    promise = promise_of(chosen)
    further = further_promises(also, chosen, promise, table)
    ell = priced_l(table, promise) if prices else 0
    draws = SECRET if insecure_seed is None else InsecureDraws(_seed(insecure_seed))
    partition = _drawn(chosen, table, draws, lambda share: report("grouping", share))
    report("checking and rendering", 0)
    partition = merged_until(table, partition, further, chosen.blocks_of(table))
    told = None if asked is None else {**asked.document(), "algorithm": found.key, "why": found.why}
    split = bool(table.kept) and not chosen.separates  # that such a draw keeps its promise tells who has what
    chosen_by_result = asked is not None and asked.against == RELEASE  # as is allowed there: no proof covers it
    weakened = split or chosen_by_result
    claim = Claim(chosen, promise, further, secret=insecure_seed is None, weakened=weakened, asked=told)
    release = released(table, partition, claim, wanted, report)
    return with_prices(release, table, claim, ell, report) if prices else release


def released(
    table: Table,
    partition: Partition,
    claim: Claim,
    measures: dict[str, Metric] | None = None,
    report: Report = silent,
) -> Release:
    """Check a partition, render it and write its certificate; all in memory."""
    schema = _published_schema(table)
    if partition.generalises:
        refuse_hidden_tree(schema)
    boxes = Boxes.around(table, partition)
    with Threads(table.n, 2) as beside:  # neither needs the other; a broken promise discards the rows
        rendering = beside.submit(rendered, table, partition, boxes)
        promises = [claim.promise, *claim.also]
        bags = _checked(table, partition, promises)
        checks = verdicts(bags)
        document = certificate(table, boxes, claim, bags, checks, catalog.metrics())
        attacked = exact_findings(bags, checks, promises, claim.algorithm.key)
        document["attacks"] = [finding.document() for finding in attacked]
        graded = worst_case(table, classes_of_partition(table, partition), bags, promises)
        truth: dict[str, Any] = {}
        if claim.algorithm.generalises:
            document["true_values"], truth = _on_true_values(table, partition, claim.promise)
        if truth and not truth["kept"]:
            document["adversary"]["not_promised"].insert(0, "the same on true values: see true_values")
        frame, counterfeits, sensitive = rendering.result()
    record = _private_record(table) | ({"true_values": truth} if truth else {})
    record["attacks"] = [finding.document() for finding in graded]
    if measures:
        report("measuring", 0)
        record["measured"] = measured(measures, boxes)
    fakes = counterfeits if claim.algorithm.counterfeits else None
    compared = partial(truth_of, table, boxes, bool(measures))
    return Release(frame, document, schema, record, fakes, write, sensitive, compared)


def _refuse_unfit(table: Table, algorithm: Algorithm) -> None:
    """What cannot be published as this algorithm does it."""
    refuse_exact(_published_schema(table), algorithm)
    if not algorithm.separates:
        refuse_exact_sets(table.columns, table.n)


def _published_schema(table: Table) -> Schema:
    if table.schema is None:
        raise ValueError("a table without a schema cannot be published")
    return table.schema


def _seed(given: object) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        raise ParameterError("not a seed", where="insecure_seed", rule="a whole number from 0")
    return given


def _drawn(algorithm: Algorithm, table: Table, draws: Draws, progress: Callable[[float], None]) -> Partition:
    """The partition; of a randomised algorithm with these draws."""
    if isinstance(algorithm, RandomisedAlgorithm):
        return algorithm.partition(table, progress, draws)
    if draws is not SECRET:
        raise ParameterError(
            f"{algorithm.key} draws nothing at random", where="insecure_seed", remedy="leave it out"
        )
    return algorithm.partition(table, progress)


def _checked(table: Table, partition: Partition, promises: list[PrivacyModel]) -> Bags:
    """The bags of the classes an adversary sees; raises if a promise is broken."""
    bags = table.bags(classes_of_partition(table, partition), partition)
    for promise in promises:
        if promise.check(bags).ok:
            continue
        kept = [column.name for column in table.kept]
        raise PromiseBroken(
            f"kept columns {', '.join(kept)} split groups apart" if kept else "the grouping breaks its promise",
            rule=f"{promise.title} for all that is published",
            remedy="drop them, or declare them quasi-identifying"
            if kept
            else "this is a defect: please report it",
        )
    return bags


def _on_true_values(
    table: Table, partition: Partition, promise: PrivacyModel
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The same promise on the values before they were generalised: what a reader learns who sees through it. For
    the certificate, rounded up to one decimal place, and exactly, with counts, for the steward: exact figures are
    facts about who has what, with which a reader could test guesses (docs/architecture.md)."""
    classes = classes_of_partition(table, partition)
    bags = table.bags(classes)
    found = {"achieved": promise.check(bags)}
    if partition.generalises:  # and who only knows how frequent values are in the table
        frequencies = np.bincount(table.sensitive[0].codes, minlength=partition.weight.size)
        known = table.bags(classes, replace(partition, weight=frequencies))
        found["achieved_by_table_frequencies"] = promise.check(known)
    kept = {"kept": found["achieved"].ok}
    groups, rows = promise.failing(bags)
    exact = {name: verdict.shown() for name, verdict in found.items()}
    coarse = {name: _rounded_up(verdict) for name, verdict in found.items()}
    return kept | coarse, kept | exact | {"groups_above": groups, "rows_above": rows}


def _rounded_up(verdict: Verdict) -> float | int | str | None:
    """A figure to one decimal place."""
    if verdict.achieved is None or verdict.achieved == math.inf:
        return verdict.shown()
    tenths = math.ceil(verdict.achieved * 10)
    return tenths // 10 if tenths % 10 == 0 else tenths / 10


def classes_of_partition(table: Table, partition: Partition) -> NDArray[np.int64]:
    """Groups, split by the columns that are published as they are: the adversary sees those too, unless they are
    apart from the values."""
    if not table.kept or partition.separate:
        return partition.everyone
    published = partition.group >= 0
    classes = np.full(partition.group.size, -1, np.int64)
    columns = [partition.group, *(column.codes for column in table.kept)]
    classes[published] = dense_rank([column[published] for column in columns])
    return classes


def _private_record(table: Table) -> dict[str, Any]:
    """For the steward only: what reading did, and a keyed digest of what was read."""
    intake = table.intake
    if not isinstance(intake, IntakeRecord):
        return {}
    record: dict[str, Any] = {
        "rows_read": intake.rows_read,
        "rows_dropped_as_missing": intake.rows_dropped,
        "merged_spellings": intake.merged_spellings,
    }
    if intake.digest:  # of a file; a data frame has no bytes of its own
        record |= {"input_hmac_sha256": intake.digest, "digest_key": intake.digest_key}
    return record


def write(
    release: Release,
    folder: str | Path,
    format: str = "csv",
    with_report: bool | None = None,
    to: str | None = None,
    to_table: str | None = None,
) -> Path:
    """Publish a release into a new folder, or its rows into a database; a failed audit reveals nothing."""
    target = None if to is None else target_of(to, to_table)
    with Staging(folder) as staging, target or nullcontext():
        write_audited(release, staging, format, with_report=with_report, target=target)
    return staging.target


def publish(
    source: Any,
    spec: Spec,
    algorithm: str | None,
    folder: str | Path,
    *,
    format: str = "csv",
    to: str | None = None,
    to_table: str | None = None,
    report: Report = silent,
    with_report: bool | None = None,
    **options: Any,
) -> tuple[Release, AuditReport]:
    """Read a file, data frame or `voile.database`, make a release and write it into a new folder; the whole line.

    `algorithm` may be None: then what `against` asks for chooses it, as in `anonymize`. `format` is "csv" or
    "parquet", `with_report=False` leaves report.html out, `options` are those of `anonymize`. `to` is the address
    of a database: the rows become its table `to_table`, and the folder has all but them.
    Returns the release and its audit. The place is reserved first, so that a long run cannot fail at its end.
    """
    target = None if to is None else target_of(to, to_table)
    with Staging(folder) as staging, target or nullcontext():
        report("reading", 0)
        table = read(source, spec)
        release = anonymize(table, algorithm, report=report, **options)
        report("writing and auditing", 0)
        found = write_audited(release, staging, format, with_report=with_report, target=target)
    return replace(release, certificate=found.certificate or {}), found
