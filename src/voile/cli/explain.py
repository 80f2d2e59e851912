"""`voile explain`: what a search does with a table, and what its readers could conclude."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from voile.cli.anonymize import parameters_of
from voile.errors import counted


@click.command(
    help="Follow a search over generalizations with TABLE, step by step. Publishes nothing; what it says depends "
    "on who has what, and is for you alone."
)
@click.argument("table", type=click.Path(path_type=Path))
@click.option(
    "-s", "--spec", required=True, type=click.Path(path_type=Path), help="TOML file that declares each column."
)
@click.option("-a", "--algorithm", default="k_jump", show_default=True, help="A search: k_jump.")
@click.option("-p", "--parameter", multiple=True, metavar="NAME=VALUE", help="For example -p l=2,strategy=naive.")
@click.option("--show-values", is_flag=True, help="Name persons by their quasi-identifiers, with their values.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def command(
    table: Path, spec: Path, algorithm: str, parameter: tuple[str, ...], show_values: bool, as_json: bool
) -> None:
    from voile.cli import show
    from voile.cli.progress import ProgressBar, announce_compilation
    from voile.explaining import explain
    from voile.pipeline import read

    announce_compilation()
    with ProgressBar() as progress:
        progress("searching", 0)
        found = explain(read(table, spec), algorithm, **parameters_of(parameter))
    if as_json:
        show.document(found.document(show_values))
    else:
        describe(found, show_values)


def describe(found: Any, show_values: bool) -> None:
    """The search in words."""
    from voile.cli import show
    from voile.theory.set_figures import in_words

    show.sentence(
        "for you alone: all of this depends on who has what. Nothing was published. To choose l, k, strategy or "
        "sequence by it would void the promise: decide on them without a look",
        "yellow",
    )
    searched = f"{found.strategy.kind} over {counted(len(found.sequence), 'function')}"
    show.sentence(f"{searched}; asked for: {in_words(found.wanted)}; {counted(found.table.n, 'person')}")
    for step in found.steps:
        show.sentence(step_in_words(step, found))
        if show_values and any(step.above):
            show.grid(f"g{step.function}: for whom it is broken", *_told(found, step))
    show.sentence(_outcome_in_words(found))
    show.facts("What each strategy does with this table", [_compared(o, found) for o in found.outcomes.values()])


def step_in_words(step: Any, found: Any) -> str:
    """A function, what it shows, what it leaves, and what comes next."""
    from voile.theory.set_figures import how_many, worst_in

    n, face, left = len(found.sequence), step.face, step.left
    verdict = "passes" if face.holds else "fails"
    groups = counted(step.groups, "group")
    about = [step.title, *([] if groups in step.title else [groups]), _loss(step, found)]
    text = f"g{step.function} ({'; '.join(about)}): "
    text += f"{verdict} on its face, {how_many(face)}, {worst_in(face, found.wanted)}"
    if left is not None:
        text += f"; {'and' if left.holds == face.holds else 'but'} whoever knows the algorithm is left with "
        text += f"{how_many(left)}, {worst_in(left, found.wanted)}{_agree(step)}"
    elif face.holds:
        text += "; what is left for who knows the algorithm is beyond reach"
    if step.disclosed:
        return f"{text}. It is disclosed."
    if step.goes_on > n:
        jumped = f"The search jumps past g{n}: nothing is disclosed."
        return f"{text}. {'Nothing comes after it.' if step.function == n else jumped}"
    jumps = step.goes_on > step.function + 1
    return f"{text}. The search {'jumps' if jumps else 'goes on'} to g{step.goes_on}."


def _loss(step: Any, found: Any) -> str:
    if found.algorithm.utility == "gcp":
        return f"loss {float(step.loss):.1%} (gcp, weighted)"
    return f"loss {step.loss} (dm)"


def _agree(step: Any) -> str:
    """On how many persons the tables agree, and how many are above the bound."""
    from voile.theory.set_figures import certain

    told, above = certain(step.left), sum(step.above)
    if not above:
        return ""
    agree = f"they agree on {counted(told, 'person')}, and " if told else ""
    return f"; {agree}the promise is broken for {above}"


def _told(found: Any, step: Any) -> tuple[list[str], list[list[str]]]:
    from voile.theory.set_figures import in_share

    header = [*(column.name for column in found.table.quasi), "likeliest", "share"]
    told = found.told(step)
    return header, [[*e["person"].values(), e["likeliest"], in_share(Fraction(e["share"]))] for e in told]


def _outcome_in_words(found: Any) -> str:
    from voile.theory.set_figures import how_many, worst_in

    outcome = found.outcome
    if outcome.function is not None:
        if outcome.left is not None and outcome.left.holds:
            return f"outcome: g{outcome.function} is disclosed, and safe from who knows the algorithm"
        return f"outcome: g{outcome.function} is disclosed; next: -p strategy=jump judges what is left"
    text = (
        "outcome: nothing is disclosed. That is safe from readers who do not know how often each value occurs, "
        "and if nobody hears that you tried. "
    )
    if outcome.left is None:
        return f"{text}What it tells one who knows these frequencies is beyond reach: {outcome.beyond}"
    left = f"{how_many(outcome.left)}, {worst_in(outcome.left, found.wanted)}"
    verdict = "safe, too" if outcome.left.holds else f"NOT safe, the promise is broken for {outcome.above}"
    return f"{text}One who knows them and hears that the search failed is left with {left}: {verdict}"


def _compared(outcome: Any, found: Any) -> tuple[str, str]:
    """A strategy, and what its readers are left with."""
    from voile.theory.set_figures import certain, how_many, worst_in

    kind, k, left = outcome.strategy.kind, sorted(set(outcome.strategy.k)), outcome.left
    distances = f" (k = {k[0] if len(k) == 1 else '+'.join(map(str, outcome.strategy.k))})"
    name = kind + (distances if kind == "jump" else "")
    if not outcome.decided:
        return name, "beyond reach"
    does = "discloses nothing" if outcome.function is None else f"discloses g{outcome.function}"
    if left is None:
        return name, f"{does}; what readers are left with is beyond reach"
    broken = f"broken for {outcome.above}, certain for {certain(left)}"
    return name, f"{does}; readers are left with {how_many(left)}, {worst_in(left, found.wanted)}; {broken}"
