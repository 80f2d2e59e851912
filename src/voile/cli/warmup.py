"""`voile warmup`: compile kernels before they are needed."""

import tempfile
from pathlib import Path

import click

ALGORITHMS = ("glass", "elig", "rda", "blind_cut")


@click.command(help="Compile what a first run would compile, on invented patients; keeps nothing but the kernels.")
@click.option(
    "-a",
    "--algorithms",
    default=",".join(ALGORITHMS),
    show_default=True,
    metavar="KEYS",
    help="For which algorithms, separated by commas.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def command(algorithms: str, as_json: bool) -> int:
    from voile.auditing import audit
    from voile.cli import show
    from voile.cli.progress import ProgressBar
    from voile.hospital import write_hospital
    from voile.kernels.compiled import cache_folder
    from voile.pipeline import publish

    keys = list(dict.fromkeys(key.strip() for key in algorithms.split(",")))
    with tempfile.TemporaryDirectory(prefix="voile-warmup-") as folder, ProgressBar() as report:
        table, spec = write_hospital(Path(folder))
        for done, key in enumerate(keys):
            report(f"compiling for {key}", done / len(keys))
            publish(table, spec, key, Path(folder) / f"release-{done}", l=5)
            audit(Path(folder) / f"release-{done}", spec)
    kept = cache_folder() is not None
    with show.telling("the kernels are compiled"):
        if as_json:
            show.document({"ok": kept, "algorithms": keys, "kept": kept})
        elif kept:
            show.console().print(f"compiled for {', '.join(keys)}: later runs load it")
        else:
            show.console().print("compiled, but nothing is kept: no cache folder can be written (XDG_CACHE_HOME)")
    return 0 if kept else 1
