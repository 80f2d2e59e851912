"""`voile estimate`: a count answered from a release."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from voile.querying.query_text import EXAMPLE


@click.command(help=f"Count rows that meet QUERY, from a release folder or file. For example: {EXAMPLE}")
@click.argument("release", type=click.Path(path_type=Path))
@click.argument("query")
@click.option(
    "-s", "--spec", type=click.Path(path_type=Path), help="TOML file; needed for hierarchies and ordinals."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def command(release: Path, query: str, spec: Path | None, as_json: bool) -> None:
    from voile.cli import show
    from voile.cli.progress import ProgressBar
    from voile.estimating import estimate

    with ProgressBar() as progress:
        progress("reading and counting", 0)
        found = estimate(release, query, spec)
    if as_json:
        show.document(found.document())
    else:
        show.facts("Estimated", _facts(found))


def _facts(found: Any) -> Iterator[tuple[str, str]]:
    if found.at_least == found.at_most:
        yield "count", f"{found.at_least} of {found.rows} published rows, exactly"
    else:
        yield "count", f"about {_shown(found.count)} of {found.rows} published rows"
        if found.standard_error is not None:  # else nothing between the bounds is more likely
            yield (
                "likely",
                f"{_shown(found.low)} to {_shown(found.high)} (95 %, standard error {found.standard_error:.2g}), "
                "if rows are spread evenly inside their cells",
            )
        yield "certain", f"at least {found.at_least}, at most {found.at_most}"
    if found.note:
        yield "note", found.note


def _shown(number: float) -> str:
    """Whole above a hundred: more digits than the estimate has would mislead."""
    return f"{number:.0f}" if number >= 100 else f"{number:.1f}"
