"""`voile anonymize`: from a file to an audited release."""

import contextlib
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from voile.cli.database import PLACE, QUERY, TABLE, arguments_of, from_database
from voile.cli.engine import from_elsewhere, on_engine, refuse_options
from voile.errors import ParameterError, counted

if TYPE_CHECKING:
    from voile.core.release import Release
    from voile.core.schema import Schema
    from voile.spark.cluster import Cluster
    from voile.spark.publishing import SpreadRelease

LARGEST_FILE = 2**20  # of a parameter


def parameters_of(pairs: tuple[str, ...]) -> dict[str, Any]:
    """`l=5` as name and value; several may stand in one, separated by commas. `@plan.json` stands for what is in
    that file."""
    given: dict[str, Any] = {}
    for pair in ",".join(pairs).split(",") if pairs else []:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise click.BadParameter(
                "write NAME=VALUE, for example -p l=5; a comma separates parameters, + joins blocks"
            )
        if name.strip() in given:
            raise click.BadParameter(f"{name.strip()} is given twice")
        given[name.strip()] = value.strip()
    return {name: content(name, value) for name, value in given.items()}


def content(name: str, value: str) -> str:
    """The text of the file that a parameter names by `@plan.json`; any other value stands for itself."""
    if not value.startswith("@"):
        return value
    text = None
    with contextlib.suppress(OSError, ValueError), Path(value[1:]).open("rb") as file:
        found = file.read(LARGEST_FILE + 1)
        text = found.decode("utf-8-sig") if len(found) <= LARGEST_FILE else None
    if text is None:
        raise ParameterError(
            "the file after @ cannot be read",
            where=f"parameter {name}",
            rule=f"a text file (UTF-8) of at most {LARGEST_FILE} bytes",
            remedy="check its name and place; without @ a value stands for itself",
        )
    return text


@click.command(help="Publish TABLE (CSV, Parquet, address of a database): group, check, write, audit, reveal.")
@click.argument("table", type=PLACE)
@click.option(
    "-s", "--spec", required=True, type=click.Path(path_type=Path), help="TOML file that declares each column."
)
@click.option(
    "--against",
    type=click.Choice(["algorithm", "release", "series"]),
    default=None,
    help="Who must be held off: readers who know the algorithm (default), or the release alone; series: of "
    "several releases. It chooses the algorithm.",
)
@click.option("--strong", is_flag=True, help="Those who know the algorithm may know everybody else's values, too.")
@click.option("-a", "--algorithm", default=None, help="Name one instead; see voile algorithms.")
@click.option("-p", "--parameter", multiple=True, metavar="NAME=VALUE", help="For example -p l=5; repeatable.")
@click.option(
    "--also",
    default="",
    metavar="RULES",
    help='Further promises, "k>=20, t<=0.3": groups are merged to keep them.',
)
@click.option("-o", "--out", required=True, type=click.Path(path_type=Path), help="New folder for the release.")
@click.option("-f", "--format", type=click.Choice(["csv", "parquet"]), default=None, help="Default: as the input.")
@click.option(
    "--to", default=None, metavar="ADDRESS", help="A database: rows go there, the folder has all but them."
)
@click.option("--to-table", default=None, metavar="NAME", help="There: the new table.")
@click.option(
    "--insecure-seed",
    type=click.IntRange(min=0),
    default=None,
    help="Repeat a random draw, for tests only: the certificate then claims less.",
)
@click.option(
    "--measure",
    default="",
    metavar="METRICS",
    help='For you alone, such as "qwe_mean, qwe_median[theta=0.05]".',
)
@click.option(
    "--prices", is_flag=True, help="Also group by the other promises' algorithms: what each costs, for you alone."
)
@click.option(
    "--ledger",
    default=None,
    metavar="LEDGER",
    help="Have a ledger (a file, or postgresql://user@host/database#name) remember these persons: it refuses them "
    "ever after.",
)
@click.option("--key", type=click.Path(path_type=Path), default=None, help="Key of the ledger, if moved.")
@click.option(
    "--report/--no-report", "with_report", default=None, help="With report.html, or without; default: with."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@from_database(TABLE, QUERY)
@on_engine
def command(
    table: Any,
    spec: Path,
    against: str | None,
    strong: bool,
    algorithm: str | None,
    parameter: tuple[str, ...],
    also: str,
    out: Path,
    format: str | None,
    to: str | None,
    to_table: str | None,
    insecure_seed: int | None,
    measure: str,
    prices: bool,
    ledger: str | None,
    key: Path | None,
    with_report: bool | None,
    as_json: bool,
    cluster: "Cluster | None",
) -> None:
    from voile import catalog
    from voile.asked import algorithm_for, asked_for
    from voile.cli import show
    from voile.cli.progress import ProgressBar, announce_compilation
    from voile.intake.spec_file import schema_of
    from voile.measuring import parse_measures
    from voile.pipeline import publish as publish_here
    from voile.series.registering import publish_once

    given = parameters_of(parameter)
    schema = schema_of(spec)
    _refuse_halves(to, to_table, ledger, format)
    if against == "series":
        _refuse_series(schema, table, spec, out, ledger, given)
    found = algorithm_for(asked_for(algorithm, against, strong), schema, algorithm, given)
    catalog.algorithm(found.key).configure(given)  # refuses unknown names before they meet others
    parse_measures(measure)
    if cluster is not None:
        _refuse_on_cluster(also, measure, prices, ledger, insecure_seed, with_report)
        refuse_options({"--to": (to, "executors write files"), **from_elsewhere(table)})
    announce_compilation()
    options: dict[str, Any] = {**given, "against": against, "strong": strong}
    if cluster is not None:
        options |= {"format": format or "parquet"}
    else:
        options |= {"also": also, "insecure_seed": insecure_seed, "measure": measure, "prices": prices}
        options |= {"with_report": with_report, "format": format or format_of(table)}
        options |= {"to": to, "to_table": to_table} if ledger is None else {"ledger": ledger, "key": key}
    publish = cluster.publish if cluster is not None else publish_here if ledger is None else publish_once
    release: Any
    with ProgressBar() as report:
        release, _ = publish(table, schema, algorithm, out, report=report, **options)
    with show.telling(f"the release is published in {out}" + (f" and {to_table}" if to_table else "")):
        if as_json:
            place = {"folder": str(out)} | ({} if to_table is None else {"table": to_table})
            show.document({"ok": True, **place, "certificate": release.certificate, **_measures(release)})
        else:
            summary(release, out, spec, to, to_table)


def _measures(release: Any) -> dict[str, Any]:
    """What was measured, and what of it is for the steward alone."""
    from voile.measuring import public_and_private

    public, private = public_and_private(release.private_record.get("measured", {}))
    own = {name: found for name in ("attacks", "prices") if (found := release.private_record.get(name))}
    kept_back = ({"measured": private} if private else {}) | own
    return ({"measured": public} if public else {}) | ({"private": kept_back} if kept_back else {})


def format_of(table: Any) -> str:
    """As the input, where that is a Parquet file."""
    return "parquet" if isinstance(table, Path) and table.suffix.lower() == ".parquet" else "csv"


def _refuse_halves(to: str | None, to_table: str | None, ledger: str | None, format: str | None) -> None:
    if (to is None) != (to_table is None):
        raise click.UsageError("--to ADDRESS and --to-table NAME go together")
    if to is not None and (ledger is not None or format is not None):
        raise click.UsageError("--to writes tables: leave --format out, and --ledger, which follows folders")


def _refuse_on_cluster(
    also: str, measure: str, prices: bool, ledger: str | None, seed: int | None, with_report: bool | None
) -> None:
    refuse_options(
        {
            "--also": (also, "further promises merge groups across the whole table"),
            "--measure": (measure, "private metrics compare with every row of the source at once"),
            "--prices": (prices, "the other promises' algorithms would need the whole table on one machine"),
            "--ledger": (ledger, "a ledger is one chain on one machine, and recalls persons there"),
            "--insecure-seed": (seed is not None, "executors draw from their own operating systems"),
            "--report": (with_report, "a page draws every group; voile report makes one of what fits into memory"),
        }
    )


def _refuse_series(
    schema: "Schema", table: Any, spec: Path, out: Path, ledger: str | None, given: Mapping[str, Any]
) -> None:
    """A series has a command of its own: says which, for this very table."""
    from voile.core.schema import Role
    from voile.ledger.home import home_of

    book = home_of(ledger or spec.with_suffix(".ledger"))
    file = shlex.join(arguments_of(table))
    columns, place = (shlex.quote(str(path)) for path in (spec, ledger or book.text))
    steps = [] if schema.with_role(Role.SUBJECT) else ['declare who is who: a column with role = "subject"']
    steps += [] if book.path is None or book.path.exists() else [f"voile ledger create {place}"]
    wanted = str(given.get("m", given.get("l", "")))
    m = wanted if wanted.isascii() and wanted.isdecimal() else "4"
    folder = shlex.quote(str(out))
    steps.append(f"voile publish {file} -s {columns} --ledger {place} -p m={m} -o {folder}")
    raise ParameterError(
        "voile anonymize makes one release",
        where="--against series",
        rule="persons who are published again need the memory of a ledger, and voile publish"
        if ledger is None
        else "anonymize --ledger has persons remembered to refuse them ever after; a series shows them again",
        remedy="; then ".join(steps),
    )


def summary(
    release: "Release | SpreadRelease", out: Path, spec: Path, to: str | None = None, to_table: str | None = None
) -> None:
    """What was read and published, against whom it holds, and what to do next."""
    from voile.cli import show

    certificate = release.certificate
    table, promise, utility = certificate["table"], certificate["promise"], certificate["utility"]
    rows = [
        ("promise, kept", _in_words(promise)),
        *show.learner(release.private_record),
        *_asked(certificate),
        *(("also", f"{_in_words(further)} (holds against: {further['rung']})") for further in certificate["also"]),
        ("holds against", certificate["adversary"]["holds_against"]),
        ("not promised", "; ".join(certificate["adversary"]["not_promised"])),
        ("read", _as_read(release.private_record)),
        *_blocks(certificate["algorithm"]["parameters"]),
        (
            "published",
            f"{table['rows']} rows in {counted(table['groups'], 'group')}, {table['suppressed']} suppressed",
        ),
        ("average group", f"{utility['aecs']:.4f} rows"),
        ("information loss", f"{utility['gcp_leaves']:.1%} of the detail in quasi-identifying cells (gcp_leaves)"),
        ("by column", _by_column(table["columns"])),
        *_generalised(table),
        *_measured(release.private_record),
        *([] if to is None else [("tables", ", ".join(_tables(certificate, to_table or "")))]),
        *((name, said) for name, said in release.private_record.items() if name == "announced"),
        (
            "files",
            f"{', '.join(_written(certificate, out, to is None))}; keep {out}/private/ to yourself",
        ),
        (
            "next",
            f"voile audit {out if to is None else shlex.join([to, '--table', to_table or ''])} -s {spec}"
            + (" --engine spark" if "engine" in certificate else ""),
        ),
    ]
    show.facts("Released", rows)
    show.prices(release.private_record.get("prices", []))
    show.true_values(certificate, release.private_record.get("true_values"))


def _asked(certificate: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What was asked for, and the algorithm that was taken for it."""
    from voile.asked import Asked

    section = certificate.get("asked")
    asked = Asked.of(section)
    if section and asked:
        yield "asked", f"a promise against {asked.readers}"
        yield "algorithm", f"{section['algorithm']}: {section['why']}"


def _tables(certificate: Mapping[str, Any], table: str) -> Iterator[str]:
    """What is published in the database."""
    from voile.core.schema import CERTIFICATE
    from voile.sql.table_name import TableName

    name = TableName.of(table)
    for part in (*certificate["files"], CERTIFICATE):
        yield str(name if part == "data" else name.beside(part))


def _written(certificate: Mapping[str, Any], out: Path, with_rows: bool) -> Iterator[str]:
    """What may be published."""
    parts = dict.fromkeys(name.partition("/")[0] + "/" * ("/" in name) for name in certificate["files"])
    for name in (*(parts if with_rows else ()), "certificate.json", "report.html"):
        if name != "report.html" or (out / name).exists():
            yield f"{out}/{name}"


def _in_words(promise: Mapping[str, Any]) -> str:
    from voile.core.parameters import exact_number, in_decimals

    values = []
    for name, value in promise["parameters"].items():
        exact = exact_number(value)
        values.append(f"{name} = {value if exact is None else in_decimals(exact)}")
    return f"{promise['title']}, {', '.join(values)}: {promise['meaning']}"


def _generalised(table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """How much of a sensitive column is published as nodes of its hierarchy."""
    for column in table["columns"]:
        if column.get("generalised_rows"):
            some = f"{column['generalised_rows']} of {table['rows']} rows"
            yield "generalised", f"{some} show a node of {column['name']}, not the value"


def _blocks(parameters: Mapping[str, Any]) -> list[tuple[str, str]]:
    blocks = parameters.get("blocks")
    return [("blocks", f"{blocks}: no group crosses them")] if blocks else []


def _by_column(columns: list[dict[str, Any]]) -> str:
    """The loss of each column, the largest first; what is nearly all stars is said to be."""
    lost = sorted((c for c in columns if "loss" in c), key=lambda c: -c["loss"])
    shown = ", ".join(f"{c['name']} {c['loss']:.1%}" for c in lost)
    ruined = [c["name"] for c in lost if c["loss"] > 0.9]
    hint = f"; hardly anything is left of {', '.join(ruined)}: coarser values, a hierarchy, or a smaller l help"
    return shown + (hint if ruined else "")


def _measured(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What was asked for, and what of it compares with the source."""
    from voile.measuring import public_and_private

    public, private = (
        ", ".join(f"{words} {value:.6g}" for words, value in figures.items())
        for figures in public_and_private(record.get("measured", {}))
    )
    rows = [("measured", public), ("private", f"{private} (compared with the source: never publish it)")]
    return [row for row, figures in zip(rows, (public, private), strict=True) if figures]


def _as_read(record: Mapping[str, Any]) -> str:
    """What reading did; for the steward's screen, not for the certificate."""
    parts = [f"{record['rows_read']} rows", f"{record['rows_dropped_as_missing']} dropped for missing values"]
    merged = [f"{number} in {name}" for name, number in record["merged_spellings"].items()]
    return ", ".join(parts + ([f"spellings merged: {', '.join(merged)}"] if merged else []))
