"""Where a command runs: on this machine, or with --engine spark on a cluster."""

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from voile.errors import ParameterError

if TYPE_CHECKING:
    from voile.spark.cluster import Cluster

_OPTIONS = (
    click.option(
        "--engine",
        type=click.Choice(["local", "spark"]),
        default="local",
        help="spark: on a cluster, or on all cores of this machine (needs voile[spark]).",
    ),
    click.option("--master", default=None, metavar="ADDRESS", help="Of the cluster, such as spark://head:7077."),
    click.option(
        "--spark-conf", multiple=True, metavar="KEY=VALUE", help="A setting of Spark, for memory and cores."
    ),
)


def on_engine(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of an engine; it gets `cluster`, or None where it runs here."""

    @functools.wraps(command)
    def resolved(**given: Any) -> Any:
        engine, master, pairs = (given.pop(name) for name in ("engine", "master", "spark_conf"))
        if engine == "local" and (master is not None or pairs):
            raise click.UsageError("--master and --spark-conf are for a cluster: add --engine spark")
        return command(**given, cluster=None if engine == "local" else _cluster(master, pairs))

    for option in reversed(_OPTIONS):
        resolved = option(resolved)
    return resolved


def _cluster(master: str | None, pairs: tuple[str, ...]) -> "Cluster":
    from voile.spark.cluster import Cluster

    split = [pair.partition("=") for pair in pairs]
    if not all(name and equals for name, equals, _ in split):
        raise click.BadParameter("write KEY=VALUE, for example --spark-conf spark.executor.memory=8g")
    return Cluster(master or Cluster.master, {name: value for name, _, value in split})


def from_elsewhere(source: Any) -> dict[str, tuple[object, str]]:
    """A table that a cluster does not read, for `refuse_options`."""
    read = isinstance(source, str | Path)
    return {"a table of a database": (not read, "executors read files, and tables that the cluster knows")}


def refuse_options(given: Mapping[str, tuple[object, str]]) -> None:
    """Refuse options that a cluster does not do; of each what was given, and why not."""
    for option, (value, reason) in given.items():
        if value:
            raise ParameterError(
                f"{option} is not for a cluster",
                where="--engine spark",
                rule=reason,
                remedy=f"leave {option} out, or --engine",
            )
