"""Whether executors can run this very program: the same Voile and the same Python as the driver."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from voile import __version__
from voile.errors import InputError, VoileError
from voile.spark.session import asked
from voile.spark.spark_spread import mapped

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def own() -> str:
    """What runs here.

    >>> own().split(" on ")[1].startswith("Python 3.")
    True
    """
    return f"voile {__version__} on Python {sys.version_info.major}.{sys.version_info.minor}"


def require_same(spark: "SparkSession") -> None:
    """Ask as many executors as there are cores what runs there, and refuse what differs or cannot even answer."""
    here, found = own(), set[str]()

    def each(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for _ in batches:
            yield pa.RecordBatch.from_arrays([pa.array([own()], pa.string())], ["said"])

    def told() -> list[Any]:
        many = max(1, spark.sparkContext.defaultParallelism)
        return mapped(spark.range(many, numPartitions=many), each, "said string").collect()

    problem = False
    try:
        found = {row[0] for row in asked("asking executors", told)}
    except VoileError:  # that it has no voile, or another Python, is no refusal of ours
        problem = True
    if problem or found != {here}:
        raise InputError(
            "executors that cannot run this program" if problem else "executors with another version",
            where="cluster",
            rule=f"{here} everywhere",
            remedy="install voile[spark] on every worker, and name its Python there by PYSPARK_PYTHON or "
            "--spark-conf spark.pyspark.python=PATH",
        )
