"""Which algorithm runs on a table and is best against its readers: the rules.

Against a reader who knows the algorithm a choice may depend on the quasi-identifiers, on how often each sensitive
value occurs and on which rows are one person's, never on who has what (docs/facts/safety.md): so no figure of any
run is looked at there, only a fixed order, and what an algorithm checks before it groups. Against a reader who
sees the release alone, the promise is re-checked on what is published: there results may choose, and trials.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from voile import catalog
from voile.asked import KEPT_REMEDY, LEAST_LOSS, Asked, chosen_for, kept_columns
from voile.comparing.plan import Run
from voile.comparing.reach import Reach, Trial, is_settled, reach_in_series, reach_of, repeats, tried
from voile.core.algorithm import Rung
from voile.core.order import value_counts
from voile.core.table import Table
from voile.errors import ParameterError, counted
from voile.inspection.candidate import Candidate, candidate
from voile.requirements import promise_of

ADVERSARIES, RELEASES, NOTATIONS = ("algorithm", "release"), ("one", "series"), ("intervals", "tables")
USUAL_L = 4  # where nobody asks for another
SKEWED = "sweep_e"  # for a value with more than half of the rows
BY_RESULT = LEAST_LOSS  # on every table we measured, where nothing was measured on this one
Results = Sequence[tuple[Run, Mapping[str, Any]]]


@dataclass(frozen=True)
class Needs:
    """What a steward must decide, whatever the figures say."""

    adversary: str = "algorithm"  # the strongest reader: knows the release, or also how it was made
    releases: str = "one"  # or a series of these persons
    notation: str = "intervals"  # of quasi-identifiers in one table; or two tables, these published exactly
    l: int | None = None  # noqa: E741 the papers' name
    strong: bool = False  # those who know the algorithm may know everybody else's values, too

    def __post_init__(self) -> None:
        allowed = {"adversary": ADVERSARIES, "releases": RELEASES, "notation": NOTATIONS}
        for name, words in allowed.items():
            if getattr(self, name) not in words:
                raise ParameterError("not an accepted value", where=name, rule=f"one of {', '.join(words)}")
        if self.l is not None and (type(self.l) is not int or self.l < 2):
            raise ParameterError("not an accepted value", where="l", rule="a whole number from 2")
        if self.strong and self.releases == "series":
            raise ParameterError(
                "strong in a series",
                where="strong",
                rule="what holds over several releases is marginal",
                remedy="leave strong out, or ask for one release",
            )

    @property
    def asked(self) -> Asked:
        """Against whom, as `voile anonymize` has it."""
        return Asked(self.adversary, self.strong and self.adversary == "algorithm")


NEEDS = Needs()


@dataclass(frozen=True)
class Choice:
    """What a rule came to, before it is put into words."""

    algorithm: str  # empty: none
    parameters: Mapping[str, str]
    why: str
    reach: Reach  # of the algorithm that was asked how far the table goes
    looked: bool = False  # at results, or at a trial


def _fitting_l(needs: Needs, largest: int, results: Results) -> int:
    """The l that was asked for, else a usual one, as far as it goes. Of several that were compared, the largest
    that is not above it: which were compared was decided before."""
    wanted = min(needs.l or USUAL_L, largest)
    given = (value for run, _ in results for name, value in run.parameters if name == "l")
    compared = {int(value) for value in given if value.isascii() and value.isdecimal()}
    if needs.l is not None:
        return wanted
    return max((ell for ell in compared if 2 <= ell <= wanted), default=wanted)


def chosen(table: Table, needs: Needs, results: Results) -> Choice:
    """By how often, then by notation, then by who reads."""
    if needs.releases == "series":
        return _for_series(table, needs, results)
    if needs.notation == "tables":
        return _for_two_tables(table, needs, results)
    if needs.adversary == "algorithm":
        return _blind(table, needs, results)
    return _by_result(table, needs, results)


def _for_series(table: Table, needs: Needs, results: Results) -> Choice:
    reach = reach_in_series(table, needs.l)
    if reach.largest < 2:
        return _none(reach, f"m_invariant, the only one for a series, cannot run: {reach.refusal}")
    fill = {"balance": "fill"} if needs.adversary == "release" else {}
    why = "m_invariant keeps everybody among the same values in all releases, and the ledger remembers which"
    more = "; filling up with new rows needs fewer counterfeits, but tells who knows the algorithm" if fill else ""
    given = {"m": str(_fitting_l(needs, reach.largest, results)), **fill}
    return Choice(reach.algorithm, given, why + more, reach)


def _for_two_tables(table: Table, needs: Needs, results: Results) -> Choice:
    """Kept columns are no hindrance: they are apart from the values, too."""
    key = next(
        key
        for key, card in catalog.algorithms().items()
        if card.separates and (needs.adversary == "release" or card.rung != Rung.RELEASE)
    )
    reach = reach_of(key, table, needs.l)
    if reach.largest < 2:
        return _none(
            reach, f"{key}, which publishes two tables, cannot run: {reach.refusal}; or ask for intervals"
        )
    why = f"{key} publishes quasi-identifiers exactly: counts in them are right, but everybody sees who is in it"
    return Choice(key, {"l": str(_fitting_l(needs, reach.largest, results))}, why, reach)


def _blind(table: Table, needs: Needs, results: Results) -> Choice:
    """Decided by the fixed rule of `voile anonymize`: no result is looked at, nothing is tried."""
    found = chosen_for(needs.asked, len(table.sensitive))
    reach = reach_of(found.key, table, needs.l)
    if table.kept:
        return _none(reach, _kept(table))
    if reach.largest < 2:
        return _none(reach, f"{found.key} cannot run: {reach.refusal}{_expected_anyway(table)}")
    why = (
        f"{found.why}. {found.key} draws in secret, and what it looks at tells nothing of who has what: knowing "
        "it adds nothing to 1/l inside a group. It is taken because of that, not because of any measured figure: "
        "to choose by those would break its promise"
    )
    return Choice(found.key, {"l": str(_fitting_l(needs, reach.largest, results))}, why, reach)


def _kept(table: Table) -> str:
    why = kept_columns([column.name for column in table.kept])
    return f"{why}; {KEPT_REMEDY}; two tables have them apart from the values (notation tables)"


def _expected_anyway(table: Table) -> str:
    """What no algorithm can change."""
    if all(found.largest_l > 1 for found in candidates(table)):
        return ""
    return (
        ". Somebody who knows how frequent values are expects the frequent one with more than 1/2, whatever is "
        "done: record it in finer detail, deciding by frequencies alone"
    )


def _by_result(table: Table, needs: Needs, results: Results) -> Choice:
    """The least loss among the runs that promise 1/l; where nothing was run, what usually has the least."""
    reach = reach_of(BY_RESULT, table, needs.l)
    if reach.largest < 2:
        return _for_skewed(table, reach, results)
    ell = _fitting_l(needs, reach.largest, results)
    kept = sorted(_comparable(table, ell, results), key=lambda found: found[0])
    if not kept:
        return _usual(table, reach, ell, results)
    (loss, run, outcome), *others = kept
    why = f"the least loss of {counted(len(kept), 'run')} here that promise 1/{ell}: gcp_leaves {loss:.1%}, "
    why += f"{outcome['suppressed_rows'] or 'no'} rows suppressed"
    rival = next(
        (f"; the next algorithm is {r.words} with {g:.1%}" for g, r, _ in others if r.algorithm != run.algorithm),
        "",
    )
    return Choice(run.algorithm, dict(run.parameters), why + rival, reach, looked=True)


def _usual(table: Table, reach: Reach, ell: int, results: Results) -> Choice:
    """What lost least elsewhere, with a smaller l if it must be; a blind one where that was given up here."""
    here = f"no run here promises 1/{ell}" if results else "nothing was compared on this one"
    why, refusal = f"{BY_RESULT} lost the least detail on every table we measured; {here}", ""
    for fewer in sorted({ell, ell - 1, ell // 2, 2} - {0, 1}, reverse=True):
        given = {"l": str(fewer)}
        found = _trial(table, BY_RESULT, given, results)
        if found is None and not refusal:
            return Choice(BY_RESULT, given, why, reach)
        if found is None or not found.refusal:
            limited = Reach(BY_RESULT, fewer, refusal, ell) if refusal else reach
            return Choice(BY_RESULT, given, f"{why}; a trial made a release", limited, looked=True)
        refusal = refusal or found.refusal
        blind = chosen_for(Asked("algorithm"), len(table.sensitive)).key
        if not table.kept and reach_of(blind, table).largest >= fewer:
            return Choice(blind, given, f"{BY_RESULT} made no release here: {refusal}", reach, looked=True)
    return _none(Reach(BY_RESULT, 1), f"{BY_RESULT} makes no release here: {refusal}", looked=True)


def _for_skewed(table: Table, reach: Reach, results: Results) -> Choice:
    """A value or a person with more than half of the rows, for readers of the release."""
    if len(table.sensitive) > 1 or table.persons is not None:
        given = {"l": "2", "ineligible": "suppress"}
        return _fewest_suppressed(table, reach, given, results)
    (found,) = candidates(table)
    pairs = (pair.partition("=") for pair in found.suggested.replace("-p ", "").split())
    given = {name: value for name, _, value in pairs}
    if not given:
        return _none(reach, "the sensitive column has one value: there is nothing to hide")
    if float(given["tau"]) >= 1:
        return _none(reach, f"one value has nearly all rows, no tau below 1 is possible; {found.advice}")
    trial = _trial(table, SKEWED, given, results)
    if trial is not None and trial.refusal:
        return _none(reach, f"{SKEWED} makes no release here: {trial.refusal}", looked=True)
    why = "the column is skewed: (tau,l) bounds the frequent value by tau, and rare ones by much less"
    return Choice(SKEWED, given, why, reach, looked=trial is not None)


def _fewest_suppressed(table: Table, reach: Reach, given: Mapping[str, str], results: Results) -> Choice:
    """Only elig knows of several columns, and of several rows of a person."""
    trial = _trial(table, BY_RESULT, given, results) or Trial()
    if trial.refusal:
        return _none(reach, f"{BY_RESULT} makes no release here: {trial.refusal}", looked=True)
    why = (
        f"{BY_RESULT} protects each of several columns and keeps rows of one person apart. No l works on the "
        f"table as it is: a trial with l = 2 suppressed {counted(trial.suppressed, 'row')} of {table.n}"
    )
    return Choice(BY_RESULT, given, why, reach, looked=True)


def _trial(table: Table, key: str, given: Mapping[str, str], results: Results) -> Trial | None:
    """What a run comes to, from the results if it is among them; None where it is sure to make a release. For
    readers of the release only."""
    for run, outcome in results:
        if (run.algorithm, dict(run.parameters)) == (key, dict(given)):
            return Trial(outcome.get("refusal", ""), outcome.get("suppressed_rows", 0))
    return None if is_settled(key, given, table) else tried(key, given, table)


def _none(reach: Reach, why: str, looked: bool = False) -> Choice:
    return Choice("", {}, why, reach, looked)


def _comparable(table: Table, ell: int, results: Results) -> Iterator[tuple[float, Run, Mapping[str, Any]]]:
    """Runs that promise that nobody's value is expected with more than 1/l, in one table and true values
    throughout. That a run came out so is not enough: the certificate would not promise it. Nor is a draw that
    happened to make a release: the next one may not."""
    for run, outcome in results:
        card = catalog.algorithm(run.algorithm)
        if not outcome.get("kept") or card.separates or card.generalises or card.counterfeits:
            continue
        if not repeats(card, table):
            continue
        achieved = outcome["achieved_l"]
        if not _promises(ell, run, outcome):
            continue
        if achieved == "infinite" or (achieved is not None and achieved >= ell):
            yield outcome["gcp_leaves"], run, outcome


def _promises(ell: int, run: Run, outcome: Mapping[str, Any]) -> bool:
    """Whether the model that a run keeps bounds every confidence by 1/l; settings have what was automatic."""
    settings = outcome.get("settings") or dict(run.parameters)
    confidence = promise_of(catalog.algorithm(run.algorithm).configure(settings)).confidence()
    return confidence is not None and confidence <= Fraction(1, ell)


def candidates(table: Table) -> list[Candidate]:
    """What each sensitive column allows by its frequencies."""
    return [candidate(c.name, value_counts(c.codes)[1], True) for c in table.sensitive]
