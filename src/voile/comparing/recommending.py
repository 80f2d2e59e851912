"""Which algorithm to use, in words.

Against a reader who knows the algorithm a choice may depend on the quasi-identifiers and on how often each
sensitive value occurs, never on who has what (facts/safety.md): so no figure of any run is looked at there, only a
fixed order. Against a reader who sees the release alone, the promise is re-checked on what is published: there
results may choose.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

from voile import catalog
from voile.comparing.plan import Run
from voile.core.algorithm import Rung
from voile.core.order import value_counts
from voile.core.table import Table
from voile.errors import ParameterError
from voile.inspection.candidate import Candidate, candidate
from voile.pipeline import promise_of

ADVERSARIES, RELEASES, NOTATIONS = ("algorithm", "release"), ("one", "series"), ("intervals", "tables")
USUAL_L = 4  # where nobody asks for another: a reader's confidence is at most 1/4
BLIND = ("rda", "ria")  # never look at who has what; by the loss that their group sizes alone let expect
BY_RESULT = "elig"  # the least loss on every table we measured, where nothing was measured on this one
Results = Sequence[tuple[Run, Mapping[str, Any]]]
LOOKING = {
    Rung.RELEASE.value: "Nothing beyond what this rung leaves open anyway. The promise is about what is "
    "published, "
    "and is checked on it, whichever run was chosen; who reasons about the choice is not held off here.",
    Rung.ALGORITHM_MARGINAL.value: "The promise. Its proof is for parameters that were fixed before anybody "
    "looked: "
    "that one setting came out best depends on who has what. Smallest known case: of two draws the better one "
    "kept, "
    "six persons, a confidence of 8/9 where 1/2 was promised.",
    Rung.ALGORITHM_STRONG.value: "The promise, as above. Smallest known case: of two draws of rda the better one "
    "kept, six persons, a confidence of 5/8 where 1/2 was promised.",
}


@dataclass(frozen=True)
class Needs:
    """What a steward must decide, whatever the figures say."""

    adversary: str = "algorithm"  # the strongest reader: knows the release, or also how it was made
    releases: str = "one"  # or a series of these persons
    notation: str = "intervals"  # of quasi-identifiers in one table; or two tables, these published exactly
    l: int | None = None  # noqa: E741 the papers' name

    def __post_init__(self) -> None:
        allowed = {"adversary": ADVERSARIES, "releases": RELEASES, "notation": NOTATIONS}
        for name, words in allowed.items():
            if getattr(self, name) not in words:
                raise ParameterError("not an accepted value", where=name, rule=f"one of {', '.join(words)}")
        if self.l is not None and (type(self.l) is not int or self.l < 2):
            raise ParameterError("not an accepted value", where="l", rule="a whole number from 2")


NEEDS = Needs()


@dataclass(frozen=True)
class Recommendation:
    """An algorithm with parameters, or none; and why."""

    needs: Needs
    algorithm: str  # empty: nothing here keeps such a promise
    parameters: Mapping[str, str]
    rung: str  # against whom this choice holds
    rung_given_up: str  # what the certificate will say, where choosing by results left less of it; else empty
    looked: bool  # whether results chose it
    answer: str  # in one sentence
    reasons: tuple[tuple[str, str], ...]  # question and answer

    def options(self) -> str:
        """For the command line."""
        given = "".join(f" -p {name}={value}" for name, value in self.parameters.items())
        return f"-a {self.algorithm}{given}"

    def command(self, table: str, spec: str) -> str:
        """What to type next; empty where nothing is recommended."""
        if not self.algorithm:
            return ""
        if self.needs.releases == "series":
            given = "".join(f" -p {name}={value}" for name, value in self.parameters.items())
            return (
                f"voile ledger create series.ledger && voile publish {table} -s {spec} --ledger "
                f"series.ledger{given}"
            )
        return f"voile anonymize {table} -s {spec} {self.options()} -o release/"

    def document(self) -> dict[str, Any]:
        """For JSON."""
        reasons = [{"question": question, "answer": answer} for question, answer in self.reasons]
        return asdict(self) | {"parameters": dict(self.parameters), "reasons": reasons}


@dataclass(frozen=True)
class _Choice:
    """What a rule came to, before it is put into words."""

    algorithm: str
    parameters: Mapping[str, str]
    why: str
    looked: bool = False


def recommended(table: Table, needs: Needs = NEEDS, results: Results = ()) -> Recommendation:
    """A choice for a table and its readers. `results` may choose only where that costs nothing.

    >>> import polars as pl
    >>> from voile import read
    >>> people = pl.DataFrame({"age": [31, 47, 52, 29], "disease": ["flu", "gout", "flu", "asthma"]})
    >>> spec = {"age": {"role": "qi", "type": "integer"}, "disease": "sensitive"}
    >>> recommended(read(people, spec)).options()
    '-a rda -p l=2'
    """
    allows = [candidate(c.name, value_counts(c.codes)[1], True) for c in table.sensitive]
    ell = _fitting_l(needs, allows, results)
    choice = _chosen(table, needs, allows, ell, results)
    rung, given_up = _rungs(choice)
    reasons = [
        ("Are the data eligible?", " ".join(_eligible(allows, needs, ell))),
        ("Against whom?", _against(needs, rung)),
        ("One release, or several?", _how_often(needs, table)),
        ("Which notation?", _notation(needs)),
        ("What did choosing by results cost?", _given_up(choice, given_up)),
        ("Why this one?", choice.why),
    ]
    answer = _answer(choice, ell)
    said = tuple(reason for reason in reasons if reason[1])
    return Recommendation(needs, choice.algorithm, choice.parameters, rung, given_up, choice.looked, answer, said)


def recommendations(table: Table, needs: Needs = NEEDS, results: Results = ()) -> dict[str, Recommendation]:
    """The choice against the reader who was asked about, then against the other."""
    order = sorted(ADVERSARIES, key=lambda adversary: adversary != needs.adversary)
    return {each: recommended(table, replace(needs, adversary=each), results) for each in order}


def _fitting_l(needs: Needs, allows: Sequence[Candidate], results: Results) -> int:
    """The l that was asked for, else a usual one, as far as frequencies allow; below 2 where they allow none. Of
    several that were compared, the largest that is not above it: which were compared was decided before."""
    largest = min(found.largest_l for found in allows)
    wanted = min(needs.l or USUAL_L, largest)
    given = (value for run, _ in results for name, value in run.parameters if name == "l")
    compared = {int(value) for value in given if value.isascii() and value.isdecimal()}
    if needs.l is not None or wanted < 2 or not compared:
        return wanted
    return max((ell for ell in compared if ell <= wanted), default=wanted)


def _chosen(table: Table, needs: Needs, allows: Sequence[Candidate], ell: int, results: Results) -> _Choice:
    if needs.releases == "series":
        return _for_series(table, needs, ell)
    if ell < 2:
        return _for_skewed(needs, allows)
    if needs.notation == "tables":
        return _for_two_tables(table, needs, ell)
    if needs.adversary == "algorithm":
        return _blind(table, ell)
    return _by_result(table, ell, results)


def _for_series(table: Table, needs: Needs, ell: int) -> _Choice:
    if len(table.sensitive) != 1 or ell < 2:
        why = "a series needs exactly one sensitive column, no value of which more than half of the rows have"
        return _Choice("", {}, f"{why}: recode it by its frequencies alone, or publish once")
    fill = {"balance": "fill"} if needs.adversary == "release" else {}
    why = "m_invariant keeps everybody among the same values in all releases, and the ledger remembers which"
    more = "; filling up with new rows needs fewer counterfeits, but tells who knows the algorithm" if fill else ""
    return _Choice("m_invariant", {"m": str(ell), **fill}, why + more)


def _for_skewed(needs: Needs, allows: Sequence[Candidate]) -> _Choice:
    """A value that more than half of the rows have."""
    if needs.adversary == "algorithm":
        why = (
            "somebody who knows how frequent values are expects the frequent one with more than 1/2, whatever "
            "is done"
        )
        return _Choice("", {}, f"{why}: record it in finer detail, deciding by frequencies alone")
    if len(allows) > 1:
        why = "elig protects each of several columns, and gives up the fewest rows it can"
        return _Choice("elig", {"l": "2", "ineligible": "suppress"}, why)
    pairs = (pair.partition("=") for pair in allows[0].suggested.replace("-p ", "").split())
    parameters = {name: value for name, _, value in pairs}
    if not parameters:
        return _Choice("", {}, "the sensitive column has one value: there is nothing to hide")
    why = "the column is skewed: (tau,l) bounds the frequent value by tau, and rare ones by much less"
    return _Choice("sweep_e", parameters, why)


def _for_two_tables(table: Table, needs: Needs, ell: int) -> _Choice:
    able = [
        key
        for key, card in catalog.algorithms().items()
        if card.separates and (needs.adversary == "release" or card.rung != Rung.RELEASE)
    ]
    if not able or len(table.sensitive) != 1 or table.persons is not None:
        return _Choice("", {}, "no algorithm here publishes such a table as two: ask for intervals")
    why = (
        f"{able[0]} publishes quasi-identifiers exactly: counts in them are right, but everybody sees who is in it"
    )
    return _Choice(able[0], {"l": str(ell)}, why)


def _blind(table: Table, ell: int) -> _Choice:
    """Decided by a fixed order: no result is looked at."""
    one = len(table.sensitive) == 1 and table.persons is None
    if len(table.sensitive) > 2:
        why = "three sensitive columns cannot be grouped without looking at who has what: publish two of them"
        return _Choice("", {}, f"{why}, or settle for readers who see the release alone (elig)")
    key = next(key for key in BLIND if one or key == "rda")
    why = (
        f"{key} draws its groups in secret and never looks at who has what: knowing it adds nothing to 1/l inside "
        "a group. It is taken because of that, not because of any measured figure: to choose by those would break "
        "its promise"
    )
    return _Choice(key, {"l": str(ell)}, why)


def _by_result(table: Table, ell: int, results: Results) -> _Choice:
    """The least loss among the runs that promise 1/l; elig where nothing was run."""
    kept = sorted(_comparable(ell, results), key=lambda found: found[0])
    if not kept:
        here = f"no run here promises 1/{ell}" if results else "nothing was compared on this one"
        why = f"elig lost the least detail on every table we measured; {here}"
        return _Choice(BY_RESULT, {"l": str(ell)}, why)
    (loss, run, outcome), *others = kept
    why = f"the least loss of {len(kept)} runs here that promise 1/{ell}: gcp_leaves {loss:.1%}, "
    why += f"{outcome['suppressed_rows'] or 'no'} rows suppressed"
    rival = next(
        (f"; the next algorithm is {r.words} with {g:.1%}" for g, r, _ in others if r.algorithm != run.algorithm),
        "",
    )
    return _Choice(run.algorithm, dict(run.parameters), why + rival, looked=True)


def _comparable(ell: int, results: Results) -> Iterator[tuple[float, Run, Mapping[str, Any]]]:
    """Runs that promise that nobody's value is expected with more than 1/l, in one table and true values
    throughout. That a run came out so is not enough: the certificate would not promise it."""
    for run, outcome in results:
        card = catalog.algorithm(run.algorithm)
        if not outcome.get("kept") or card.separates or card.generalises or card.counterfeits:
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


def _rungs(choice: _Choice) -> tuple[str, str]:
    """Against whom a choice holds; and the certificate's rung, where it is a stronger one that choosing by results
    has given up: its proof is for parameters that were fixed before anybody looked."""
    if not choice.algorithm:
        return "", ""
    certified = catalog.algorithm(choice.algorithm).configure(choice.parameters).holds_against()
    if choice.looked and certified != Rung.RELEASE:
        return Rung.RELEASE.value, certified.value
    return certified.value, ""


def _given_up(choice: _Choice, rung: str) -> str:
    if not rung:
        return ""
    return (
        f'The certificate of {choice.algorithm} says "{rung}". That no longer applies to this setting, which was '
        f'chosen here by results: it holds on the rung "{Rung.RELEASE.value}" only.'
    )


def _eligible(allows: Sequence[Candidate], needs: Needs, ell: int) -> Iterator[str]:
    for found in allows:
        top = f"the most frequent of {found.values} values of {found.name} is {float(found.top_share):.1%} of rows"
        if found.largest_l < 2:
            yield f"Not for any l: {top}."
        else:
            yield f"For l up to {found.largest_l}: {top}."
        if needs.l is not None and needs.l > found.largest_l:
            yield f"Not for l = {needs.l}; for more than {max(found.largest_l, 1)}: {found.advice}."
    if ell >= 2 and needs.l is None:
        yield f"l is yours to fix, it is the promise: l = {ell} means a confidence of at most 1/{ell}."


def _against(needs: Needs, rung: str) -> str:
    if needs.adversary == "release":
        return "Readers who see the release and do not reason about how it was made."
    held = f" ({rung})" if rung else ""
    return f"Readers who know the algorithm, too{held}: assume so if in doubt, Voile is open to everybody."


def _how_often(needs: Needs, table: Table) -> str:
    if needs.releases == "one":
        return "One. If these persons are published again, only a series with a ledger keeps the promise."
    if any(column.role == "subject" for column in table.columns):
        return "A series: every release goes through the ledger."
    return 'A series, and the spec must say who is who: a column with role = "subject".'


def _notation(needs: Needs) -> str:
    if needs.notation == "tables":
        return "Two tables: quasi-identifiers exactly as they are, sensitive values by group."
    return (
        "One table: quasi-identifiers as values, intervals or sets. Two tables would publish them exactly, where "
        "everybody may see who is in it."
    )


def _answer(choice: _Choice, ell: int) -> str:
    if not choice.algorithm:
        return "None of the algorithms here keeps such a promise on this table"
    given = ", ".join(f"{name} = {value}" for name, value in choice.parameters.items())
    return f"{catalog.algorithm(choice.algorithm).title} ({choice.algorithm}), {given}"
