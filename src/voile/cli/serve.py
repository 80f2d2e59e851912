"""`voile serve`: the local app."""

from pathlib import Path

import click

from voile.errors import ParameterError


@click.command(help="Open the local app in the browser: release, series and audit without a terminal.")
@click.option("--port", type=click.IntRange(1, 65535), default=None, help="Default: 8420, or any that is free.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=Path("."),
    help="Where tables, ledgers and releases lie. Default: here.",
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option(
    "--memory", type=click.FloatRange(2), default=None, help="GiB that one job may take. Default: 3/4 of all."
)
@click.option("--minutes", type=click.FloatRange(0.01), default=120, help="Longest run of one job. Default: 120.")
@click.option("--idle", type=click.FloatRange(0.01), default=30, help="Minutes until the page locks. Default: 30.")
@click.option(
    "--largest-upload", type=click.IntRange(1), default=512, help="MiB. Larger files: put them in the folder."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document with the address on standard output.")
def command(
    port: int | None,
    folder: Path,
    no_browser: bool,
    memory: float | None,
    minutes: float,
    idle: float,
    largest_upload: int,
    as_json: bool,
) -> None:
    from importlib.util import find_spec

    if find_spec("nicegui") is None:
        raise ParameterError(
            "the app is not installed",
            where="voile serve",
            rule="it comes with the extra [web]",
            remedy="pip install 'voile[web]'",
        )
    from voile.cli import show
    from voile.web.server import Settings, serve

    wanted = 0 if memory is None else int(memory * 2**30)
    most = largest_upload * 2**20

    def say(words: str) -> None:
        click.echo(words, err=as_json)

    def opened(address: str, place: Path) -> None:
        if as_json:
            show.document({"ok": True, "address": address, "folder": str(place)})
        else:
            click.echo(f"Voile is open at {address}")
            click.echo(f"folder {place}; the address opens once; Ctrl-C stops")

    serve(Settings(folder, port, not no_browser, wanted, minutes, idle * 60, most), say, opened)
