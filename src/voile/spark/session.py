"""A Spark session that keeps cells to itself: what is spilled is encrypted, nothing is served, logged or kept.

Spark quotes cells and plans in its exceptions, so these never leave this package: see `asked`.
"""

import contextlib
import os
import re
import shutil
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from voile.errors import InputError, ParameterError, VoileError
from voile.spark.refusals import found_in

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Result = TypeVar("Result")
BATCH_ROWS, BATCH_BYTES = 200_000, 2**25  # that executors look at at once
INSTALL = "pip install 'voile[spark]', and Java 17 or newer"
_LOST = "a share of the rows was lost, there was no memory or disk for it, or more came back than the driver takes"
_AGAIN = "look at the workers, give executors or driver more memory, and run it again: nothing was revealed"
_ONE = threading.Lock()  # session of ours in a process
_SAFE: Mapping[str, str] = {
    "spark.ui.enabled": "false",  # its pages show plans and environments
    "spark.ui.showConsoleProgress": "false",
    "spark.eventLog.enabled": "false",
    "spark.io.encryption.enabled": "true",  # whatever is spilled, shuffled or cached on a disk
    "spark.io.encryption.keySizeBits": "256",
    "spark.network.crypto.enabled": "true",  # where spark.authenticate is on
    "spark.extraListeners": "",  # whoever listens is told plans and why tasks failed
    "spark.sql.queryExecutionListeners": "",
    "spark.sql.streaming.streamingQueryListeners": "",
    "spark.plugins": "",
    "spark.sql.caseSensitive": "true",  # intake refuses names that differ by case alone, by their position
    "spark.sql.execution.pyspark.udf.hideTraceback.enabled": "true",
    "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "true",
    "spark.python.worker.faulthandler.enabled": "false",
    "spark.sql.debug.maxToStringFields": "0",
    "spark.sql.maxPlanStringLength": "0",  # literals of a plan
    "spark.sql.maxMetadataStringLength": "4",
    "spark.speculation": "false",  # a share is computed once
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(BATCH_ROWS),
    "spark.sql.execution.arrow.maxBytesPerBatch": str(BATCH_BYTES),
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.adaptive.enabled": "false",
    "spark.log.level": "OFF",  # log lines of tasks that fail quote what they failed on
    "spark.executor.syncLogLevel.enabled": "true",
    "spark.sql.files.maxPartitionBytes": str(2**25),
}


@contextlib.contextmanager
def session(master: str | None = None, settings: Mapping[str, str] | None = None) -> Iterator["SparkSession"]:
    """A session of one's own on a cluster, or on this machine's cores; stopped and swept away afterwards.

    `settings` are Spark's own, for memory and cores; those that protect cells cannot be changed.
    """
    changed = sorted(set(settings or {}) & set(_SAFE))
    if changed:
        raise ParameterError(
            f"{changed[0]} cannot be changed", where="Spark settings", rule="it keeps cells out of files and pages"
        )
    if any(re.search("secret|password|token|access.?key", name, re.IGNORECASE) for name in settings or {}):
        raise ParameterError(
            "a secret among the settings",
            where="Spark settings",
            rule="the process table shows them",
            remedy="put it into spark-defaults.conf, mode 0600, in the folder that SPARK_CONF_DIR names",
        )
    spark_session = _library()
    with _alone():
        scratch = Path(tempfile.mkdtemp(prefix="voile-spark-"))
        found = None
        try:
            found = _started(spark_session, master or "local[*]", scratch, dict(settings or {}))
            _refuse_other(found)
            yield found
        finally:
            if found is not None:
                with contextlib.suppress(Exception), _silent():
                    found.stop()
            _end_java()
            shutil.rmtree(scratch, ignore_errors=True)


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Nobody else has a context in this process: in no thread, and none without a session either."""
    from pyspark import SparkContext

    mine = _ONE.acquire(blocking=False)
    try:
        if not mine or SparkContext._active_spark_context is not None:
            raise ParameterError(
                "a Spark session is running in this process already",
                where="cluster",
                rule="ours has settings of its own, which protect cells",
                remedy="stop it first, or call voile in a process of its own",
            )
        yield
    finally:
        if mine:
            _ONE.release()


def _refuse_other(found: "SparkSession") -> None:
    """The settings that protect cells are those that are in force."""
    in_force = found.sparkContext.getConf()
    if any(in_force.get(name) != value for name, value in _SAFE.items()):
        raise InputError(
            "the session has other settings than were asked for",
            where="cluster",
            rule="they keep cells out of files and pages",
            remedy="stop other sessions of this process; if there are none, please report it",
        )


def _end_java() -> None:
    """End the JVM with its session: the next one would inherit its secret, its settings and its folders."""
    from pyspark import SparkContext

    gateway: Any = SparkContext._gateway
    SparkContext._gateway = SparkContext._jvm = None
    if gateway is None:
        return
    with contextlib.suppress(Exception), _silent():
        gateway.shutdown()
    with contextlib.suppress(Exception):
        gateway.proc.stdin.close()  # it ends when nobody speaks to it any more
        gateway.proc.wait(30)


def _library() -> Any:
    missing = False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of pandas versions
            from pyspark.logger import PySparkLogger
            from pyspark.sql import SparkSession

            for context in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):  # log what they quote
                PySparkLogger.getLogger(context).disabled = True
    except ImportError:
        missing = True
    if missing or (shutil.which("java") is None and not os.environ.get("JAVA_HOME")):
        raise InputError(
            "needs PySpark and Java" if missing else "needs Java", where="--engine spark", remedy=INSTALL
        )
    return SparkSession


def _started(spark_session: Any, master: str, scratch: Path, settings: dict[str, str]) -> "SparkSession":
    """The JVM's own log goes to nowhere; its scratch folder is private and ours."""
    quiet = scratch / "log4j2.properties"
    quiet.write_text("rootLogger.level = off\n", encoding="utf-8")
    java = f"-Dlog4j2.configurationFile={quiet.as_uri()}"
    own = {
        **_SAFE,
        "spark.master": master,
        "spark.app.name": "voile",
        "spark.local.dir": str(scratch),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        "spark.driver.extraJavaOptions": java,
        "spark.driver.maxResultSize": "2g",  # a question that brings more is refused; the driver must not die
        **settings,
    }
    # from their first line on; a worker's own log4j2 settings are overruled by `_hush`, before every job
    executors = "spark.executor.extraJavaOptions"
    own[executors] = f"{own.get(executors, '')} -Dlog4j2.level=OFF".strip()
    if master.startswith("local") or _loopback(master):
        own |= {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    if master.startswith("local"):
        own.setdefault("spark.authenticate", "true")  # with a secret that Spark makes by itself
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # of executors on this machine, or installed alike
    builder = spark_session.builder
    for name, value in own.items():
        builder = builder.config(name, value)
    found: SparkSession | None = None
    try:
        with _silent():
            found = builder.getOrCreate()
    except Exception:  # it may quote the environment
        found = None
    if found is None:
        raise InputError(
            "cannot be reached, or refuses",
            where=f"Spark master {master}",
            remedy="check the address, and " + INSTALL,
        )
    return found


def _loopback(master: str) -> bool:
    return master.startswith(("spark://127.0.0.1", "spark://localhost"))


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """The launcher of the JVM writes to this process's own standard error."""
    sys.stderr.flush()
    kept, nothing = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nothing)


def _hush() -> None:
    """Switch logging off on all executors that are there: log lines of a task that fails quote what it failed
    on."""
    from pyspark import SparkContext

    context = SparkContext._active_spark_context
    if context is not None:
        context.setLogLevel("OFF")


def asked(
    what: str, job: Callable[[], Result], where: str = "cluster", rule: str = _LOST, remedy: str = _AGAIN
) -> Result:
    """What a job answers. What it fails with becomes a refusal without a word of the cluster's: that may quote
    cells, and so may whatever is kept as its context. What our own code refused on an executor is said again."""
    problem: VoileError | None = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _hush()
            return job()
    except VoileError as refusal:
        problem = refusal
    except Exception as error:
        problem = found_in(str(error)) or InputError(f"{what} failed", where=where, rule=rule, remedy=remedy)
    raise problem.with_traceback(None)
