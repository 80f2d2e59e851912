"""`voile attack`: what a release tells somebody who knows how it was made."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from voile.cli.anonymize import content
from voile.errors import counted


@click.group(
    help="Attack a release as a reader would who knows everybody in it, and how it was made. All have --json."
)
def command() -> None:
    pass


@command.command(
    short_help="What it tells that a search stopped at this release.",
    help="Attack RELEASE (a folder of Voile, or any published table) that was found by trying generalizations "
    "one after the other: the first that passed tells that those before it did not.",
)
@click.argument("release", type=click.Path(path_type=Path))
@click.option(
    "-s", "--spec", required=True, type=click.Path(path_type=Path), help="TOML file that declares each column."
)
@click.option(
    "--known",
    required=True,
    type=click.Path(path_type=Path),
    help="Everybody's quasi-identifying columns; with the sensitive one the guesses are graded.",
)
@click.option(
    "--sequence",
    default="",
    metavar="SEQUENCE",
    help="Where no certificate tells: levels, cuts, lattice or @plan.json.",
)
@click.option("--utility", default="", metavar="UTILITY", help="What sorts it: dm, gcp or as_given.")
@click.option("--require", default="", metavar="RULE", help='What the search looked for: for example "l>=2".')
@click.option(
    "--strategy",
    default="",
    metavar="STRATEGY",
    help="naive (where no certificate tells), safe, jump or secret_choice.",
)
@click.option("--k", default="", metavar="NUMBERS", help="Distances of jump: one, or one per function, with +.")
@click.option("--limit", type=click.IntRange(min=1), default=None, help="Millions of steps it may take.")
@click.option("--show-values", is_flag=True, help="Name persons by their quasi-identifiers, with their values.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def minimality(
    release: Path,
    spec: Path,
    known: Path,
    sequence: str,
    utility: str,
    require: str,
    strategy: str,
    k: str,
    limit: int | None,
    show_values: bool,
    as_json: bool,
) -> int:
    from voile.attacking import attack_minimality
    from voile.cli import show
    from voile.cli.progress import ProgressBar, announce_compilation

    announce_compilation()
    plan = content("sequence", sequence)
    given = {"sequence": plan, "utility": utility, "require": require, "strategy": strategy, "k": k}
    with ProgressBar() as progress:
        progress("attacking", 0)
        report = attack_minimality(release, spec, known, limit=limit, **given)
    if as_json:
        show.document(report.document(show_values))
    else:
        describe(report, show_values)
    return 0 if report.ok else 1


def describe(report: Any, show_values: bool) -> None:
    """What is told, in words."""
    from voile.cli import show

    show.facts("Minimality attack (for you alone: never publish it)", _facts(report))
    if show_values:
        show.grid("Persons, the best known first", *_guesses(report))
    show.sentence(_in_short(report), "green" if report.ok else "bold red")
    if not report.ok:
        show.sentence(_next_step(report))


def _facts(report: Any) -> Iterator[tuple[str, str]]:
    from voile.theory.set_figures import how_many, in_words, worst_in

    found, sequence = report.found, report.search.sequence
    yield "persons", f"{found.above.size} in {counted(report.groups, 'group')}"
    yield "search", f"{report.strategy} over {counted(len(sequence), 'function')}"
    yield "asked for", in_words(report.search.wanted)
    places = " and ".join(f"g{i}" for i in found.functions)
    yield "disclosed", f"{places}: {report.title}"
    yield "on its face", f"{how_many(found.face)}, {worst_in(found.face, report.search.wanted)}"
    ways = ", counted once for each choice of functions" if report.search.strategy is None else ""
    yield "left", f"{how_many(found.left)}{ways}, {worst_in(found.left, report.search.wanted)}"
    yield "broken for", f"{int(found.above.sum())} of {counted(found.above.size, 'person')}"
    yield "told for certain", f"{int(found.certain.sum())} of {counted(found.certain.size, 'person')}"
    if report.graded is not None and report.graded.above + report.graded.told:
        graded = report.graded
        told = f"{graded.told_right} of {graded.told} told are right; " if graded.told else ""
        right = f"the likeliest value is right for {graded.above_right} of {graded.above} for whom it is broken"
        yield "against the truth", told + right
    elif report.truth_differs:
        yield "against the truth", "not graded: the known values are not those of the release"
    if report.altered:
        yield "certificate", "of other files: the release was altered since"
    if report.ignored:
        yield "left aside", f"{', '.join(report.ignored)}: who knows these, too, can only tell more"


def _guesses(report: Any) -> tuple[list[str], list[list[str]]]:
    from voile.theory.set_figures import in_share

    header = [*report.people.columns, "likeliest", "on its face", "to who knows the search", "promise"]
    rows = []
    for each in report.guesses():
        shares = [in_share(Fraction(each[name])) for name in ("on_its_face", "left")]
        rows.append([*each["person"].values(), each["likeliest"], *shares, "broken" if each["above"] else ""])
    return header, rows


def _in_short(report: Any) -> str:
    from voile.theory.set_figures import how_many, in_words

    found, asked = report.found, in_words(report.search.wanted)
    face = f"on its face: {asked}"
    ways = " (counted once for each choice)" if report.search.strategy is None else ""
    left = f"Who knows the algorithm is left with {how_many(found.left)}{ways}"
    if report.ok:
        return f"{face}. {left}: {asked} still"
    certain = f"{int(found.certain.sum())} of {counted(found.certain.size, 'person')} are told for certain"
    number, bound = int(found.above.sum()), getattr(report.search.wanted, "delta", None)
    above = f"the promise is broken for {number}" if bound is None else f"{number} are above {bound}"
    return f"{face}. {left}; {certain}, {above}"


def _next_step(report: Any) -> str:
    if report.strategy in ("naive", "secret_choice"):
        safe = "the next one with voile anonymize -a k_jump, which judges what is left, not what is seen"
        return f"next: a release cannot be taken back; make {safe}"
    return "next: this search promises more than that: please report it"
