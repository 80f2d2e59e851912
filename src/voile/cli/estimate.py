"""`voile estimate`: a count answered from a release."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from voile.cli.database import PLACE, TABLE, from_database
from voile.cli.engine import on_engine
from voile.querying.query_text import EXAMPLE

if TYPE_CHECKING:
    from voile.spark.cluster import Cluster


@click.command(help=f"Count rows that meet QUERY, from a release folder, file or address. For example: {EXAMPLE}")
@click.argument("release", type=PLACE)
@click.argument("query")
@click.option(
    "-s", "--spec", type=click.Path(path_type=Path), help="TOML file; needed for hierarchies and ordinals."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@from_database(TABLE, argument="release")
@on_engine
def command(release: Any, query: str, spec: Path | None, as_json: bool, cluster: "Cluster | None") -> None:
    from voile.cli import show
    from voile.cli.progress import ProgressBar
    from voile.estimating import estimate

    with ProgressBar() as progress:
        progress("reading and counting", 0)
        if cluster is None:
            found = estimate(release, query, spec)
        else:
            found = cluster.estimate(release, query, spec, report=progress)
    if as_json:
        show.document(found.document())
    else:
        show.facts("Estimated", _facts(found))


def _facts(found: Any) -> Iterator[tuple[str, str]]:
    if found.at_least == found.at_most:
        yield "count", f"{found.at_least} of {found.rows} published rows, exactly"
    else:
        yield "count", f"about {_shown(found.count)} of {found.rows} published rows"
        yield "range", found.interval
        yield "certain", f"at least {found.at_least}, at most {found.at_most}"
    if found.note:
        yield "note", found.note


def _shown(number: float) -> str:
    """Whole above a hundred: more digits than the estimate has would mislead."""
    return f"{number:.0f}" if number >= 100 else f"{number:.1f}"
