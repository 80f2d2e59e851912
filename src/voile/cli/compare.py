"""`voile compare`: several algorithms and parameters on one table, and which one to use."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from voile.cli.anonymize import content
from voile.errors import ParameterError

if TYPE_CHECKING:
    from voile.comparing.choosing import Needs
    from voile.comparing.comparison import Comparison
    from voile.comparing.recommending import Recommendation

SPEC = "recommended.toml"


def values_of(pairs: tuple[str, ...]) -> dict[str, list[str]]:
    """`l=2..7` or `l=2 l=5` as a name and its values; several pairs may stand in one, separated by commas."""
    given: dict[str, list[str]] = {}
    for pair in ",".join(pairs).split(",") if pairs else []:
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not name:
            raise click.BadParameter(
                "write NAME=VALUE, for example -p l=2..7, or -p l=2 -p l=5; -p elig.refine=0 is for elig alone"
            )
        given.setdefault(name, []).append(content(name, value))
    return given


@click.command(help="Measure several algorithms on TABLE (CSV or Parquet); nothing is published.")
@click.argument("table", type=click.Path(path_type=Path))
@click.option(
    "-s", "--spec", required=True, type=click.Path(path_type=Path), help="TOML file that declares each column."
)
@click.option("-a", "--algorithms", default="", metavar="KEYS", help="Separated by commas: bsgi,mondrian,rda.")
@click.option(
    "-p",
    "--parameter",
    multiple=True,
    metavar="NAME=VALUE",
    help="l=2..7 is a range; repeat a name for several values; elig.refine=0 is for elig alone.",
)
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="New folder, for you alone.")
@click.option(
    "--measure",
    default=None,
    metavar="METRICS",
    help='Compared with the source; default "qwe_mean, qwe_median", up to 50,000 rows also classification.',
)
@click.option("--jobs", type=click.IntRange(min=1), default=None, help="Runs at a time; default: one per core.")
@click.option("--limit", type=click.FloatRange(min=0, min_open=True), default=None, help="Seconds a run may take.")
@click.option("--prices", is_flag=True, help="Run what each promise needs, too: what holding off whom costs here.")
@click.option("--recommend", is_flag=True, help="Explain which one to use, and write the spec for it.")
@click.option(
    "--against",
    "--adversary",
    type=click.Choice(["algorithm", "release", "series"]),
    default="algorithm",
    show_default=True,
    help="Readers who know the algorithm, or only the release; series is --releases series.",
)
@click.option("--strong", is_flag=True, help="Those who know the algorithm may know everybody else's values, too.")
@click.option("--releases", type=click.Choice(["one", "series"]), default="one", show_default=True)
@click.option(
    "--notation",
    type=click.Choice(["intervals", "tables"]),
    default="intervals",
    show_default=True,
    help="Of quasi-identifiers: one table, or two with these exactly.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def command(
    table: Path,
    spec: Path,
    algorithms: str,
    parameter: tuple[str, ...],
    out: Path,
    measure: str | None,
    jobs: int | None,
    limit: float | None,
    prices: bool,
    recommend: bool,
    against: str,
    strong: bool,
    releases: str,
    notation: str,
    as_json: bool,
) -> int:
    from voile.asked import Asked
    from voile.cli import show
    from voile.comparing.choosing import Needs
    from voile.core.schema import Role
    from voile.intake.spec_file import schema_of
    from voile.prices import is_complete, price_keys

    given = values_of(parameter)
    keys = [key.strip() for key in algorithms.split(",") if key.strip()]
    if not keys and not recommend and not prices:
        remedy = "name some (-a elig,bsgi,rda), ask for a choice (--recommend), or for what it costs (--prices)"
        raise ParameterError("no algorithm", where="-a", remedy=remedy)
    if prices:
        keys += [key for key in price_keys(len(schema_of(spec).with_role(Role.SENSITIVE))) if key not in keys]
    if strong:
        Asked(against, strong)  # refuses it of other readers
    if against == "series":
        against, releases = "algorithm", "series"
    needs = Needs(against, releases, notation, _asked_l(given), strong)
    if not keys:
        return _only_recommended(table, spec, out, needs, given, as_json)
    options = {"jobs": jobs, "limit": limit, "needs": needs, **given}
    found = _compared(table, spec, keys, out, options if measure is None else {**options, "measure": measure})
    chosen = found.recommendations[needs.adversary]
    if recommend:
        _write_spec(chosen, table, spec, out)
    if as_json:
        show.document({"ok": True, "folder": str(out), **found.document()})
    else:
        describe(found, out)
        if recommend:
            explain(chosen, table, spec, out, is_complete(found.prices))
    return 0 if any(outcome.get("kept") for _, outcome in found.runs) else 1


def _asked_l(given: Mapping[str, list[str]]) -> int | None:
    """The l of the promise, if one was named."""
    asked = given.get("l", [])
    whole = len(asked) == 1 and asked[0].isascii() and asked[0].isdecimal() and len(asked[0]) < 10
    return int(asked[0]) if whole else None


def _compared(table: Path, spec: Path, keys: list[str], out: Path, options: Mapping[str, Any]) -> "Comparison":
    """Read and run; what no algorithm has is refused before the table is read."""
    from voile.cli.progress import ProgressBar, announce_compilation
    from voile.comparing.comparison import compare
    from voile.comparing.plan import planned
    from voile.pipeline import read

    planned(
        keys, {name: value for name, value in options.items() if name not in ("jobs", "limit", "needs", "measure")}
    )
    announce_compilation()
    try:
        with ProgressBar() as report:
            report("reading", 0)
            return compare(read(table, spec), keys, folder=out, report=report, **options)
    except KeyboardInterrupt:
        _say_what_is_left(out)
        raise


def _say_what_is_left(out: Path) -> None:
    """After an interruption: private figures on disk, which only the steward can know to be done with."""
    from voile.comparing.finished_runs import file_of
    from voile.inspection.plain_text import shown

    if file_of(out).exists():
        click.echo(
            f"finished runs are kept in {shown(str(file_of(out)))}: the same command goes on with the others; to "
            "give it up, delete that file (it is private, as the folder would be)",
            err=True,
        )


def _only_recommended(
    table: Path, spec: Path, out: Path, needs: "Needs", given: Mapping[str, list[str]], as_json: bool
) -> int:
    """A choice without a run: by frequencies and columns."""
    from voile.cli import show
    from voile.comparing.recommending import recommended
    from voile.output.staging import Staging
    from voile.pipeline import read

    if set(given) - {"l"} or len(given.get("l", [])) > 1:
        raise ParameterError(
            "more than an l", where="-p", rule="without -a only the promise is given", remedy="for example -p l=4"
        )
    with Staging(out) as staging:
        chosen = recommended(read(table, spec), needs)
        _write_spec(chosen, table, spec, out, staging.path)
        staging.reveal()
    if as_json:
        show.document({"ok": bool(chosen.algorithm), "folder": str(out), "recommendation": chosen.document()})
    else:
        explain(chosen, table, spec, out)
    return 0 if chosen.algorithm else 1


def _write_spec(found: "Recommendation", table: Path, spec: Path, out: Path, folder: Path | None = None) -> None:
    from voile.comparing.recommended_spec import recommended_spec
    from voile.output.writers import write_bytes

    text = recommended_spec(found, spec, out / SPEC, _next(found, table, spec, out))
    write_bytes(text.encode(), (folder or out) / SPEC)


def _next(found: "Recommendation", table: Path, spec: Path, out: Path) -> str:
    """The command to type after this one."""
    from voile.comparing.recommended_spec import spec_to_name

    return found.command(_quoted(table), _quoted(spec_to_name(spec, out / SPEC)))


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))


def explain(found: "Recommendation", table: Path, spec: Path, out: Path, priced: bool = False) -> None:
    """A recommendation in words."""
    from voile.cli import show

    command = _next(found, table, spec, out)
    next_step = [("next", command)] if command else []
    unknown = [] if priced else [("prices", "what each promise costs on this table: add --prices")]
    rows = [("answer", found.answer), *found.reasons, *unknown, ("spec", f"{out / SPEC}"), *next_step]
    show.facts("Recommended", rows)
    if found.looked and found.algorithm:
        show.sentence(
            "chosen by results: that holds against readers of the release, not against who knows the algorithm"
        )


def describe(found: "Comparison", out: Path) -> None:
    """The runs, the answers, and what must not be made of them."""
    from voile.cli import show

    header = ("run", "holds against", "l", "gcp_leaves", *found.measures, "suppressed", "CPU s", "MB")
    show.grid("Compared (for you alone: never publish it)", header, [_line(found, *run) for run in found.runs])
    for run, outcome in found.runs:
        if not outcome.get("kept"):
            show.sentence(f"{run.words}: {outcome['refusal']}", "yellow")
    if found.not_measured:
        show.sentence(found.not_measured)
    show.prices(found.prices)
    for adversary, chosen in found.recommendations.items():
        reader = "who know the algorithm" if adversary == "algorithm" else "of the release alone"
        show.sentence(f"for readers {reader}: {chosen.answer}")
    show.facts(
        "Written",
        [
            ("page", f"{out}/index.html, with the reasons; comparison.csv, comparison.json"),
            (
                "beware",
                "to choose by result breaks the promise against who knows the algorithm: the page says when",
            ),
        ],
    )


def _line(found: "Comparison", run: Any, outcome: Mapping[str, Any]) -> list[object]:
    if not outcome.get("kept"):
        return [run.words, outcome["why"], *["-"] * (5 + len(found.measures))]
    figures = [f"{outcome[name]:.4g}" for name in found.measures]
    return [
        *(run.words, outcome["rung"], outcome["achieved_l"], f"{outcome['gcp_leaves']:.2%}", *figures),
        *(outcome["suppressed_rows"], f"{outcome['cpu_seconds']:.2f}", f"{outcome['peak_mb']:.0f}"),
    ]
