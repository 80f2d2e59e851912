"""Cluster: where to publish, audit and count a table that is too large for one machine."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voile.asked import demanded
from voile.intake.spec_file import Spec, schema_of
from voile.output.staging import Staging
from voile.querying.query_text import parse_query
from voile.requirements import parse_requirements
from voile.spark.auditing import audit_on_cluster
from voile.spark.estimating import estimate_on_cluster, refuse_whole
from voile.spark.publishing import CELL_ROWS, Report, SpreadRelease, prepared, run, silent
from voile.spark.session import session
from voile.spark.versions import require_same

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from voile.auditing import AuditReport
    from voile.estimating import Estimate


@dataclass(frozen=True)
class Cluster:
    """A Spark cluster, or the cores of this machine; nothing runs before something is asked of it.

    `master` is its address, `settings` are Spark's own, for memory and cores. Each call has a session of its own.

    >>> Cluster("spark://head:7077", {"spark.executor.memory": "8g"}).master
    'spark://head:7077'
    """

    master: str = "local[*]"
    settings: Mapping[str, str] = field(default_factory=dict, repr=False)  # may hold a secret

    def publish(
        self,
        source: str | Path,
        spec: Spec,
        algorithm: str | None,
        folder: str | Path,
        *,
        format: str = "parquet",
        against: str | None = None,
        strong: bool = False,
        cell_rows: int = CELL_ROWS,
        report: Report = silent,
        **parameters: object,
    ) -> tuple[SpreadRelease, "AuditReport"]:
        """Publish a table that lies on a cluster; returns the release without its rows, and its audit.

        `source` is a Parquet or CSV file or folder, or `table:NAME`. `folder` must be visible to all executors
        under the same path. `cell_rows` bounds what an executor groups at once. Everything else is as in
        `voile.publish`.
        """
        schema = schema_of(spec)
        task = prepared(schema, algorithm, against, strong, parameters)
        with Staging(folder) as staging, self._session(report) as spark:
            return run(spark, source, schema, task, staging, format, cell_rows, report)

    def audit(
        self,
        source: str | Path,
        spec: Spec,
        require: str = "",
        *,
        against: str | None = None,
        strong: bool = False,
        report: Report = silent,
    ) -> "AuditReport":
        """Audit a release folder, or any published table that the cluster can read; as `voile.audit` otherwise."""
        schema, requirements, demands = schema_of(spec), parse_requirements(require), demanded(against, strong)
        with self._session(report) as spark:
            report("reading and judging", 0)
            return audit_on_cluster(spark, source, schema, requirements, demands)

    def estimate(
        self, release: str | Path, query: str, spec: Spec | None = None, *, report: Report = silent
    ) -> "Estimate":
        """How many rows of the source meet a query, from a release in parts; as `voile.estimate` otherwise."""
        conditions, schema = list(parse_query(query)), None if spec is None else schema_of(spec)
        refuse_whole(Path(release))
        with self._session(report) as spark:
            report("reading and counting", 0)
            return estimate_on_cluster(spark, Path(release), conditions, schema)

    @contextmanager
    def _session(self, report: Callable[[str, float], Any]) -> Iterator["SparkSession"]:
        report("starting Spark", 0)
        with session(self.master, self.settings) as spark:
            require_same(spark)
            yield spark
