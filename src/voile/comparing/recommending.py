"""Which algorithm to use, in words: what was chosen runs on the table, or nothing was, and why."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from voile import catalog
from voile.comparing.choosing import ADVERSARIES, NEEDS, Choice, Needs, Results, candidates, chosen
from voile.core.algorithm import Rung
from voile.core.privacy_model import READER
from voile.core.table import Table
from voile.errors import counted

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
        return f"-a {self.algorithm}{self._given()}"

    def _given(self) -> str:
        return "".join(f" -p {shlex.quote(f'{name}={value}')}" for name, value in self.parameters.items())

    def command(self, table: str, spec: str) -> str:
        """What to type next; empty where nothing is recommended."""
        if not self.algorithm:
            return ""
        if self.needs.releases == "series":
            return (
                f"voile ledger create series.ledger && voile publish {table} -s {spec} --ledger "
                f"series.ledger{self._given()}"
            )
        return f"voile anonymize {table} -s {spec} {self.needs.asked.words} {self.options()} -o release/"

    def document(self) -> dict[str, Any]:
        """For JSON."""
        reasons = [{"question": question, "answer": answer} for question, answer in self.reasons]
        return asdict(self) | {"parameters": dict(self.parameters), "reasons": reasons}


def recommended(table: Table, needs: Needs = NEEDS, results: Results = ()) -> Recommendation:
    """A choice for a table and its readers. `results` may choose only where that costs nothing.

    >>> import polars as pl
    >>> from voile import read
    >>> people = pl.DataFrame({"age": [31, 47, 52, 29], "disease": ["flu", "gout", "flu", "asthma"]})
    >>> spec = {"age": {"role": "qi", "type": "integer"}, "disease": "sensitive"}
    >>> recommended(read(people, spec)).options()
    '-a glass -p l=2'
    """
    choice = chosen(table, needs, results)
    rung, given_up = _rungs(choice)
    reasons = [
        ("Are the data eligible?", " ".join(_eligible(table, needs, choice))),
        ("Against whom?", _against(needs, rung)),
        ("One release, or several?", _how_often(needs)),
        ("Which notation?", _notation(needs, choice)),
        ("What did choosing by results cost?", _given_up(choice, given_up)),
        ("Why this one?" if choice.algorithm else "Why none?", choice.why),
    ]
    said = tuple(reason for reason in reasons if reason[1])
    what = choice.algorithm, choice.parameters
    return Recommendation(needs, *what, rung, given_up, choice.looked, _answer(choice), said)


def recommendations(table: Table, needs: Needs = NEEDS, results: Results = ()) -> dict[str, Recommendation]:
    """The choice against the reader who was asked about, then against the other."""
    order = sorted(ADVERSARIES, key=lambda adversary: adversary != needs.adversary)
    return {each: recommended(table, replace(needs, adversary=each), results) for each in order}


def _rungs(choice: Choice) -> tuple[str, str]:
    """Against whom a choice holds; and the certificate's rung, where it is a stronger one that choosing by results
    has given up: its proof is for parameters that were fixed before anybody looked."""
    if not choice.algorithm:
        return "", ""
    certified = catalog.algorithm(choice.algorithm).configure(choice.parameters).holds_against()
    if choice.looked and certified != Rung.RELEASE:
        return Rung.RELEASE.value, certified.value
    return certified.value, ""


def _given_up(choice: Choice, rung: str) -> str:
    if not rung:
        return ""
    return (
        f'The certificate of {choice.algorithm} says "{rung}". That no longer applies to this setting, which was '
        f'chosen here by results: it holds on the rung "{Rung.RELEASE.value}" only.'
    )


def _eligible(table: Table, needs: Needs, choice: Choice) -> Iterator[str]:
    reach, largest = choice.reach, choice.reach.largest
    facts = [
        f"the most frequent of {found.values} values of {found.name} is {float(found.top_share):.1%} of rows"
        for found in candidates(table)
    ]
    if table.persons is not None:
        facts.append(f"a person has up to {int(np.bincount(table.persons).max())} of {counted(table.n, 'row')}")
    far = f"For l up to {largest} with {reach.algorithm}" if choice.algorithm else "Not as they are"
    yield f"{far if largest > 1 else 'Not for any l'}: {'; '.join(facts)}."
    if reach.refusal and largest > 1:
        yield f"Not for l = {reach.refused}: {reach.refusal}."
    if largest > 1 and choice.algorithm and needs.l is None:
        ell = next(choice.parameters[name] for name in ("l", "m") if name in choice.parameters)
        yield f"l is yours to fix, it is the promise: l = {ell} means at most 1/{ell} for {READER}."


def _against(needs: Needs, rung: str) -> str:
    if needs.adversary == "release":
        return "Readers who see the release and do not reason about how it was made."
    held = f" ({rung})" if rung else ""
    return f"Readers who know the algorithm, too{held}: assume so if in doubt, Voile is open to everybody."


def _how_often(needs: Needs) -> str:
    if needs.releases == "one":
        return "One. If these persons are published again, only a series with a ledger keeps the promise."
    return "A series: every release goes through the ledger."


def _notation(needs: Needs, choice: Choice) -> str:
    """As the choice publishes; where there is none, as it was asked for."""
    card = catalog.algorithms().get(choice.algorithm)
    if needs.notation == "tables" if card is None else card.separates:
        return "Two tables: quasi-identifiers exactly as they are, sensitive values by group."
    return (
        "One table: quasi-identifiers as values, intervals or sets. Two tables would publish them exactly, where "
        "everybody may see who is in it."
    )


def _answer(choice: Choice) -> str:
    if not choice.algorithm:
        return "None of the algorithms here keeps such a promise on this table"
    given = ", ".join(f"{name} = {value}" for name, value in choice.parameters.items())
    return f"{catalog.algorithm(choice.algorithm).title} ({choice.algorithm}), {given}"
