"""`voile publish`: the next release of a series."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from voile.cli.anonymize import format_of, parameters_of
from voile.cli.database import PLACE, QUERY, TABLE, from_database
from voile.errors import counted

if TYPE_CHECKING:
    from voile.series.publishing import Plan


@click.command(
    help="Publish TABLE (CSV, Parquet, address of a database) as the next release of a series that stays safe as "
    "a whole."
)
@click.argument("table", type=PLACE)
@click.option(
    "-s", "--spec", required=True, type=click.Path(path_type=Path), help="TOML file that declares each column."
)
@click.option(
    "--ledger",
    default=None,
    metavar="LEDGER",
    help="The memory of the series: a file, or postgresql://user@host/database#name. Default: beside the spec, "
    "with the suffix .ledger.",
)
@click.option("--key", type=click.Path(path_type=Path), default=None, help="Key of the ledger, if moved.")
@click.option("-p", "--parameter", multiple=True, metavar="NAME=VALUE", help="For example -p m=4; repeatable.")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default=None,
    help="New folder. Default: release-N by the ledger.",
)
@click.option("-f", "--format", type=click.Choice(["csv", "parquet"]), default=None, help="Default: as the input.")
@click.option(
    "--insert", type=click.Path(path_type=Path), default=None, help="Rows that came, or replace those in TABLE."
)
@click.option(
    "--delete", type=click.Path(path_type=Path), default=None, help="Persons who left: a table with their column."
)
@click.option("--all-new", is_flag=True, help="Nobody in TABLE is known to the ledger, and that is right.")
@click.option("--preview", is_flag=True, help="Say what would happen, and write nothing.")
@click.option("--measure", default="", metavar="METRICS", help='For you alone, such as "qwe_median[theta=0.05]".')
@click.option(
    "--report/--no-report", "with_report", default=None, help="With report.html, or without; default: with."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@from_database(TABLE, QUERY)
def command(
    table: Any,
    spec: Path,
    ledger: str | None,
    key: Path | None,
    parameter: tuple[str, ...],
    out: Path | None,
    format: str | None,
    insert: Path | None,
    delete: Path | None,
    all_new: bool,
    preview: bool,
    measure: str,
    with_report: bool | None,
    as_json: bool,
) -> None:
    from voile.algorithms.m_invariant import MInvariant
    from voile.cli import show
    from voile.cli.progress import ProgressBar, announce_compilation
    from voile.intake.changes import changed_frame
    from voile.intake.spec_file import schema_of
    from voile.pipeline import read
    from voile.series.publishing import Series

    given = parameters_of(parameter)
    MInvariant.configure({"m": 2} | given)  # refuses unknown names before they meet others
    schema = schema_of(spec)
    schema.required_subject()
    series = Series(ledger or spec.with_suffix(".ledger"), key=key)
    announce_compilation()
    chosen = format or format_of(table)
    with ProgressBar() as report:
        report("reading", 0)
        source: Any = changed_frame(table, schema, insert, delete) if insert or delete else table
        content = read(source, schema, may_be_empty=True)
        if preview:
            plan = series.preview(content, measure=measure, report=report, all_new=all_new, **given)
        else:
            options: dict[str, Any] = {"format": chosen, "measure": measure, "all_new": all_new}
            options["with_report"] = with_report
            plan, _ = series.publish(content, out, report=report, **options, **given)
    folder = out or series.home.folder / f"release-{plan.number}"
    done = (
        "nothing was published, as --preview asks"
        if preview
        else f"release {plan.number} is published in {folder}"
    )
    with show.telling(done, "preview it again" if preview else "do not run it again"):
        if as_json:
            show.document(_document(plan, None if preview else folder))
        else:
            summary(plan, series.home.text, spec, None if preview else folder)


def _document(plan: "Plan", folder: Path | None) -> dict[str, Any]:
    """What is said in JSON; without a folder it is a preview."""
    own = {"preview": True} if folder is None else {"folder": str(folder)}
    private = {**plan.counts, "gone": plan.gone, "returned": plan.returned, **_measured(plan)}
    private["attacks"] = plan.release.private_record.get("attacks", [])
    facts = {"ok": True, **own, "release": plan.number, "certificate": plan.release.certificate}
    return {**facts, "private": private}


def summary(plan: "Plan", ledger: str, spec: Path, folder: Path | None) -> None:
    """What was (or would be) published, what was held back, against whom it holds, and what to do next."""
    from voile.cli import show
    from voile.series.plan_words import coming_and_going, held_back, warnings

    certificate, counts = plan.release.certificate, plan.counts
    table, utility, series = certificate["table"], certificate["utility"], certificate["series"]
    rows = [
        (
            "promise",
            f"m-invariance, m = {series['m']}: everybody stays among the same {series['m']} or more values",
        ),
        *show.learner(plan.release.private_record),
        ("holds against", certificate["adversary"]["holds_against"]),
        ("not promised", "; ".join(certificate["adversary"]["not_promised"])),
        (
            "published",
            f"{counted(counts['published'], 'person')} ({counts['new']} new) and "
            f"{counted(counts['counterfeits'], 'counterfeit')} in {counted(table['groups'], 'group')}",
        ),
        *coming_and_going(plan),
        ("held back", held_back(counts)),
        *warnings(plan),
        ("information loss", f"{utility['gcp_leaves']:.1%} of the detail in quasi-identifying cells (gcp_leaves)"),
        *(("private", f"{name} {value:.6g}") for name, value in _measured(plan).items()),
    ]
    if folder is None:
        rows.append(("next", "nothing was written; run it again without --preview"))
        show.facts(f"Preview of release {plan.number}", rows)
        return
    rows += [
        ("files", f"{folder}/: data, counterfeits.csv, certificate.json; keep {folder}/private/ to yourself"),
        ("ledger", f"{ledger}: back it up now (docs/ledger.md), the key apart from it"),
        ("next", f"voile audit {folder} -s {spec}; voile ledger show {ledger}"),
    ]
    show.facts(f"Release {plan.number}", rows)


def _measured(plan: "Plan") -> dict[str, float]:
    return dict(plan.release.private_record.get("measured", {}))
