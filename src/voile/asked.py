"""Ask for a promise, not for an algorithm: against whom it must hold, and the fixed rule that chooses.

The rule looks at the spec alone: how many columns are sensitive, and whether any is kept. It never looks at who
has what, nor at a figure of any run, so knowing it tells nothing (docs/facts/safety.md section 9). The one place
that decides for `anonymize`, `compare --recommend` and the price list.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from voile import catalog
from voile.core.algorithm import Algorithm, Rung
from voile.core.schema import Role, Schema
from voile.errors import ParameterError, SpecError

RELEASE, SERIES, ALGORITHM = "release", "series", "algorithm"
KINDS = (ALGORITHM, RELEASE, SERIES)  # the first is asked for where nobody says otherwise
_READERS = {
    (ALGORITHM, False): "readers who know the algorithm",
    (ALGORITHM, True): "readers who know the algorithm and everybody else's values",
    (RELEASE, False): "readers of the release alone",
    (SERIES, False): "readers of several releases",
}
LEAST_LOSS, MARGINAL, STRONG = "elig", "glass", "blind_cut"
IN_SERIES = "m_invariant"
WEAKEST_FIRST = tuple(Rung)


@dataclass(frozen=True)
class Asked:
    """Against whom a promise must hold.

    >>> Asked("algorithm").rung.value, Asked("algorithm", strong=True).words
    ('algorithm, marginal', '--against algorithm --strong')
    """

    against: str = ALGORITHM
    strong: bool = False  # even if the values of everyone outside the victim's group are known

    def __post_init__(self) -> None:
        if not isinstance(self.strong, bool):
            raise ParameterError("not an accepted value", where="strong", rule="True or False")
        if self.against not in KINDS:
            rule = f"one of {', '.join(KINDS)}"
            raise ParameterError("not an accepted value", where="against", rule=rule)
        if self.strong and self.against != ALGORITHM:
            raise ParameterError(
                f"strong against {self.against}",
                where="strong",
                rule="it says that a reader who knows the algorithm may know everybody else's values, too",
                remedy="leave strong out, or ask for it against algorithm",
            )

    @property
    def rung(self) -> Rung:
        """The lowest that is enough."""
        if self.against != ALGORITHM:
            return Rung.RELEASE
        return Rung.ALGORITHM_STRONG if self.strong else Rung.ALGORITHM_MARGINAL

    @property
    def readers(self) -> str:
        """Who is held off."""
        return _READERS[self.against, self.strong]

    @property
    def words(self) -> str:
        """As it is typed."""
        return f"--against {self.against}{' --strong' if self.strong else ''}"

    def document(self) -> dict[str, str]:
        """For the certificate."""
        tier = {"tier": "strong" if self.strong else "marginal"} if self.against == ALGORITHM else {}
        return {"against": self.against, **tier}

    @classmethod
    def of(cls, document: object) -> "Asked | None":
        """What a document says, which may have been written by hand; None where it makes no sense.

        >>> Asked.of({"against": "algorithm", "tier": "strong"}), Asked.of({"against": "nobody"})
        (Asked(against='algorithm', strong=True), None)
        """
        if not isinstance(document, Mapping):
            return None
        against, strong = str(document.get("against")), document.get("tier") == "strong"
        return cls(against, strong) if (against, strong) in _READERS else None


def asked_for(algorithm: str | None, against: str | None, strong: bool) -> Asked | None:
    """What is asked for. An algorithm that is named alone is taken as it is: nothing is asked of it.

    >>> asked_for(None, None, False), asked_for("elig", None, False)
    (Asked(against='algorithm', strong=False), None)
    """
    if against is None and algorithm is not None and not strong:
        return None
    return Asked(ALGORITHM if against is None else against, strong)


@dataclass(frozen=True)
class Chosen:
    """An algorithm by its key, and in one line why."""

    key: str
    why: str


def chosen_for(asked: Asked, sensitive: int) -> Chosen:
    """The algorithm for a promise about one release, by the number of sensitive columns.

    >>> chosen_for(Asked("algorithm"), sensitive=1).key, chosen_for(Asked("algorithm"), sensitive=2).key
    ('glass', 'blind_cut')
    """
    if asked.against == SERIES:
        raise ParameterError(
            "one release cannot promise it",
            where="against series",
            rule="persons who are published again need the memory of a ledger",
            remedy="voile.Series.create(ledger), then .publish(table, m=4); voile publish does the same",
        )
    if asked.against == RELEASE:
        return Chosen(LEAST_LOSS, "for readers of the release alone: it lost least on every table we measured")
    if asked.strong:
        return Chosen(STRONG, "strong was asked for: it holds even if the values outside a group are known")
    if sensitive > 1:
        return Chosen(
            STRONG, f"{sensitive} sensitive columns: {MARGINAL} protects one, {STRONG} two, and is strong"
        )
    return Chosen(
        MARGINAL, "one sensitive column: it loses least, on most tables, of those that hold against who knows them"
    )


def algorithm_for(asked: Asked | None, schema: Schema, named: str | None, given: Mapping[str, object]) -> Chosen:
    """The algorithm that is named, if it holds against those who were asked about; else the one that the rule
    chooses. Refuses parameters that it does not have and columns that it could only try."""
    if asked is None:
        return Chosen(named or "", "")
    if named is None:
        found = chosen_for(asked, len(schema.with_role(Role.SENSITIVE)))
        _refuse_foreign(found, given)
    else:
        found = Chosen(named, "it was named, and holds against those who were asked about")
        _refuse_weak(asked, catalog.algorithm(named).configure(given))
    kept = [column.name for column in schema if column.keep]
    if asked.against == ALGORITHM and kept and not catalog.algorithm(found.key).separates:
        raise SpecError(kept_columns(kept), where="spec", rule=asked.words, remedy=KEPT_REMEDY)
    return found


KEPT_REMEDY = "drop them (keep = false) or declare them quasi-identifying"


def kept_columns(names: list[str]) -> str:
    """Why columns that are published as they are leave no choice that tells nothing."""
    return (
        f"{', '.join(names)}: kept columns are published as they are and split groups. Whether the parts still "
        "keep the promise depends on who has what, so to try it would tell"
    )


def _refuse_foreign(found: Chosen, given: Mapping[str, object]) -> None:
    """What another algorithm has is no reason to choose that one: it may hold against fewer readers."""
    own = [card.name for card in catalog.algorithm(found.key).parameters()]
    for name in (name for name in given if name not in own):
        others = [key for key, card in catalog.algorithms().items() if name in {c.name for c in card.parameters()}]
        remedy = f"name an algorithm that has it: -a {others[0]}" if others else "see voile algorithms"
        if len(others) > 1:
            remedy += f" (or {', '.join(others[1:])})"
        raise ParameterError(
            f"{found.key}, chosen for this promise, has no parameter {name}",
            rule=f"parameters: {', '.join(own)}",
            remedy=remedy,
        )


def _refuse_weak(asked: Asked, algorithm: Algorithm) -> None:
    if asked.against == SERIES:
        chosen_for(asked, 1)  # refuses
    if reaches(algorithm.holds_against(), asked):
        return
    able = [STRONG] if asked.strong else [MARGINAL, STRONG]
    less = "leave --strong out" if asked.strong else "ask for less: --against release"
    raise ParameterError(
        f"{algorithm.key} with these parameters holds against: {algorithm.holds_against().value}",
        where=asked.words,
        rule=f"at least: {asked.rung.value}",
        remedy=f"leave -a out, and one that holds is chosen; or use {' or '.join(able)}; or {less}",
    )


def refuse_seed(asked: Asked) -> None:
    """Draws that can be repeated hold off nobody who knows the algorithm."""
    if asked.against == ALGORITHM:
        raise ParameterError(
            "a seed, and a promise against who knows the algorithm",
            where="insecure_seed",
            rule="draws that can be repeated protect from nobody who knows the algorithm",
            remedy=f"leave the seed out; for a test name the algorithm and ask for nothing: -a {MARGINAL}",
        )


def reaches(rung: Rung, asked: Asked) -> bool:
    """Whether what holds is at least what was asked for.

    >>> reaches(Rung.ALGORITHM_STRONG, Asked("algorithm")), reaches(Rung.RELEASE, Asked("algorithm"))
    (True, False)
    """
    return WEAKEST_FIRST.index(rung) >= WEAKEST_FIRST.index(asked.rung)


def demanded(against: str | None, strong: bool) -> list[Asked]:
    """What an auditor asks for: nothing, or one thing."""
    return [Asked(ALGORITHM if against is None else against, strong)] if against or strong else []
