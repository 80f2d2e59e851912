"""`voile audit`: how good, or how bad, is a published table, or a series of them?"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from voile.cli.database import PLACE, QUERY, TABLE
from voile.cli.engine import on_engine, refuse_options
from voile.core.address import is_address

if TYPE_CHECKING:
    from voile.spark.cluster import Cluster


@click.command(
    help="Audit a release folder, or any published TABLE, also in a database, by a spec; with --series, several "
    "TABLES that were published one after the other."
)
@click.argument("tables", nargs=-1, required=True, type=PLACE)
@click.option(
    "-s", "--spec", required=True, type=click.Path(path_type=Path), help="TOML file that declares each column."
)
@click.option("--series", is_flag=True, help="Judge all tables together, in the order of their publication.")
@click.option(
    "--known",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Everybody's quasi-identifying columns, known to the adversary; with the sensitive one the guesses are "
    "graded. With --series: the source of each release in turn.",
)
@click.option("--require", default="", metavar="RULES", help='For example "l>=4, t<=0.2"; exit 1 when not met.')
@click.option(
    "--against",
    type=click.Choice(["algorithm", "release", "series"]),
    default=None,
    help="Who the certificate's promise must hold against; exit 1 when it does not.",
)
@click.option("--strong", is_flag=True, help="Against those who know the algorithm and everybody else's values.")
@click.option(
    "--report",
    "out",
    default=None,
    type=click.Path(path_type=Path),
    help="Also write a page, as a new file; with --series and --known it is for you alone.",
)
@TABLE
@QUERY
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@on_engine
def command(
    tables: tuple[Any, ...],
    name: str | None,
    sql: str | None,
    spec: Path,
    series: bool,
    known: tuple[Path, ...],
    require: str,
    against: str | None,
    strong: bool,
    out: Path | None,
    as_json: bool,
    cluster: "Cluster | None",
) -> int:
    from voile.attacking import audit_with_known
    from voile.auditing import audit
    from voile.cli import series_report, show
    from voile.cli.progress import ProgressBar, announce_compilation
    from voile.reporting.page_files import write_page
    from voile.reporting.rebuilding import report as page
    from voile.reporting.series_page import series_page
    from voile.series_auditing import audit_series
    from voile.sql.source import source_of

    if len(tables) == 1:
        tables = (source_of(tables[0], name, sql),)
    elif name is not None or sql is not None or any(map(is_address, tables)):
        raise click.UsageError("of a database one table at a time is audited: leave --series out")
    _refuse_mixed(series, len(tables), known, bool(against or strong), out)
    if out is not None and series:
        _refuse_place(out, tables, private=bool(known))
    if cluster is not None:
        _refuse_on_cluster(series, known, out)
    announce_compilation()
    report: Any
    with ProgressBar() as progress:
        if series:
            report = audit_series(tables, spec, known, require=require, report=progress)
            if out is not None:
                write_page(series_page(report.document()), out)
        else:
            progress("reading and judging", 0)
            if cluster is not None:
                report = cluster.audit(tables[0], spec, require, against=against, strong=strong, report=progress)
            elif out is not None:
                _, report = page(tables[0], spec, out, require=require, against=against, strong=strong)
            elif known:
                report = audit_with_known(tables[0], spec, known[0], require, against=against, strong=strong)
            else:
                report = audit(tables[0], spec, require, against=against, strong=strong)
    verdict = "nothing promised or required is broken" if report.ok else "something promised or required is BROKEN"
    with show.telling(f"the audit is done: {verdict}", "run it again to see the rest"):
        if as_json:
            show.document(report.document())
        elif series:
            series_report.describe(report)
        else:
            describe(report)
    return 0 if report.ok else 1


def _refuse_mixed(series: bool, tables: int, known: tuple[Path, ...], readers: bool, out: Path | None) -> None:
    """Options that do not go together."""
    if not series and (tables > 1 or len(known) > 1):
        raise click.UsageError("several tables: add --series to judge them together")
    if series and readers:
        raise click.UsageError("--against is about the certificate of one release: leave --series out")
    if out is not None and known and not series:
        raise click.UsageError(
            "--report of one table is for everybody: leave --known out; for your eyes alone, voile report ... "
            "--source compares with the truth"
        )


def _refuse_on_cluster(series: bool, known: tuple[Path, ...], out: Path | None) -> None:
    refuse_options(
        {
            "--series": (series, "what several releases tell together is told by every group of each"),
            "--known": (known, "every known person is compared with every group"),
            "--report": (out, "a page draws every group; voile report makes one of what fits into memory"),
        }
    )


def _refuse_place(out: Path, tables: tuple[Path, ...], private: bool) -> None:
    """A page about persons lies in no release; whether a page can be written is known before the run."""
    from voile.reporting.page_files import refuse_occupied, refuse_published

    refuse_occupied(out)
    if private:
        refuse_published(out, *(folder for folder in tables if folder.is_dir()))


def describe(report: Any) -> None:
    """The findings in words."""
    from voile import catalog
    from voile.cli import show
    from voile.reporting.learner import NOTHING_PROMISED

    shown = {key: verdict.shown() for key, verdict in report.achieved.items()}
    show.checks(shown, catalog.models())
    show.findings(report.findings)
    show.facts("Audited", _facts(report))
    show.verdicts(report.met, report.failures)
    if report.ok and not report.judged:
        show.console().print("nothing was promised or required: judge by the figures (or use --require)")
    elif report.ok:
        show.console().print("[bold green]everything promised and required is met[/]")
        show.sentence(NOTHING_PROMISED)
    show.true_values(report.certificate)


def _facts(report: Any) -> Iterator[tuple[str, str]]:
    from voile.core.privacy_model import READER

    yield "published", f"{report.rows} rows in {report.groups} groups"
    if report.in_two_tables:
        yield (
            "two tables",
            "quasi-identifying values are published as they are: whoever knows a person's finds the row. k and "
            f"the risks count rows that look alike ({report.bags.alike.alone} are like no other)",
        )
    fakes = int((report.bags.sizes - report.bags.persons).sum())
    if fakes:
        yield "counterfeits", f"{fakes} rows stand for nobody: they hide values, not persons, and no k counts them"
    if report.suppressed:
        yield "suppressed", f"{report.suppressed} rows of stars"
    if report.generalised:
        what = "a broader term, a set, an interval, or none at all, instead of a sensitive value"
        yield "generalised", f"{report.generalised} rows show {what}" + _counting(report)
    largest = report.achieved["frequency_l_diversity"].achieved
    if largest:
        doubt = ", if such a cell may be any value that it covers" if report.generalised else ""
        most = f"{float(1 / largest):.1%}{doubt}"
        yield "best guess", f"{READER}, and guesses from a person's group alone, is right with at most {most}"
    if report.certificate is not None:
        state = "matches the data" if report.digest_matches else "DOES NOT match the data"
        yield "certificate", state
    if report.known:
        yield "known", f"{', '.join(report.known)}: published as it is, so taken as known to the adversary"


def _counting(report: Any) -> str:
    """By what a node is counted, where the certificate states it."""
    for values in report.base_values.values():
        weights = "of equal weight" if len(set(values.values())) == 1 else "with the weights of the prior"
        return f"; counted by {len(values)} base values {weights}, as the certificate states"
    return ""
