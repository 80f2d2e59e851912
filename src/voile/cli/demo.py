"""`voile demo`: a synthetic hospital, end to end."""

import contextlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    import polars as pl

MARK = ".voile-demo"


@click.command(help="Invent a hospital, publish it, audit it, and show before and after.")
@click.option(
    "-o",
    "--out",
    default="voile-demo",
    show_default=True,
    type=click.Path(path_type=Path),
    help="Folder for the demo.",
)
@click.option("-p", "--parameter", multiple=True, metavar="NAME=VALUE", help="Default: l=5.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def command(out: Path, parameter: tuple[str, ...], as_json: bool) -> int:
    from voile.auditing import audit
    from voile.cli import show
    from voile.cli.anonymize import parameters_of, summary
    from voile.cli.audit import describe
    from voile.cli.progress import ProgressBar, announce_compilation
    from voile.errors import OutputError
    from voile.hospital import write_hospital
    from voile.pipeline import publish

    announce_compilation()
    _make_room(out)
    made = None
    with contextlib.suppress(OSError):
        made = write_hospital(out)
        (out / MARK).touch()
    if made is None:
        raise OutputError("cannot be created", where=f"folder {out.name}", remedy="choose another with -o")
    table, spec = made
    with ProgressBar() as report:
        given: dict[str, Any] = parameters_of(parameter) or {"l": 5}
        release, _ = publish(table, spec, None, out / "release", report=report, **given)
    found = audit(out / "release", spec)
    with show.telling(f"the demo is in {out}"):
        if as_json:
            answer = {"ok": found.ok, "folder": str(out), "certificate": release.certificate}
            show.document({**answer, "audit": found.document()})
        else:
            _before_and_after(table, release.frame)
            summary(release, out / "release", spec)
            describe(found)
            command_line = f"voile anonymize {table} -s {spec} -p l=5 -o my-release"
            show.console().print(f"\nThe same by hand:  {command_line}", highlight=False, soft_wrap=True)
    return 0 if found.ok else 1


def _make_room(out: Path) -> None:
    """Replace the release of an earlier demo, never anything else."""
    from voile.errors import OutputError

    if (out / MARK).is_file():
        with contextlib.suppress(OSError):
            shutil.rmtree(out / "release")
    elif out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise OutputError("is not an earlier demo", where=f"folder {out.name}", remedy="choose another with -o")


def _before_and_after(table: Path, after: "pl.DataFrame") -> None:
    import polars as pl

    from voile.cli import show

    before = pl.read_csv(table, infer_schema=False)
    groups = after["group"].n_unique()
    show.frame(f"Before: {before.height} patients, invented", before.head(5))
    show.frame(f"After: one of {groups} groups", after.filter(pl.col("group") == groups // 2))
