"""`voile report`: a page about a release, for everybody or for the steward."""

from pathlib import Path
from typing import Any

import click

from voile.cli.database import PLACE, QUERY, TABLE, from_database


@click.command(
    help="Write the report of a release folder, or of any published TABLE, as one HTML page; with --source the "
    "steward's own, which is never published."
)
@click.argument("table", type=PLACE)
@click.option(
    "-s", "--spec", required=True, type=click.Path(path_type=Path), help="TOML file that declares each column."
)
@click.option(
    "-o",
    "--out",
    default=None,
    type=click.Path(path_type=Path),
    help="New file. Default: report.html in the folder; with --source in its private/.",
)
@click.option(
    "--source",
    default=None,
    type=click.Path(path_type=Path),
    help="The table that the release was made of: the report compares with it.",
)
@click.option(
    "--require", default="", metavar="RULES", help='For example "l>=4, t<=0.2"; the report judges by it.'
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@from_database(TABLE, QUERY)
def command(table: Any, spec: Path, out: Path | None, source: Path | None, require: str, as_json: bool) -> int:
    from voile.cli import show
    from voile.cli.progress import ProgressBar, announce_compilation
    from voile.reporting.rebuilding import report

    announce_compilation()
    with ProgressBar() as progress:
        progress("reading, judging and drawing", 0)
        path, found = report(table, spec, out, source=source, require=require)
    if as_json:
        show.document({"ok": found.ok, "report": str(path), "private": source is not None})
    else:
        whose = "for you alone: never publish it" if source is not None else "for everybody"
        show.facts("Report", [("written", f"{path} ({whose})")])
        show.verdicts(found.met, found.failures)
    return 0 if found.ok else 1
