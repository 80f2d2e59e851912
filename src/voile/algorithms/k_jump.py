"""k-jump: search a sequence of generalizations so that the search itself tells nothing (Liu et al. 2015).

The usual search publishes the first generalization that has the property on its face (naive). Whoever knows that
can leave out all tables for which it would have stopped earlier, or gone on. k-jump judges what is left for such a
reader, the disclosure set; where a function passes on its face but not there, it jumps k functions further.

The sequence is built from quasi-identifiers, k = auto from these and from how often each value occurs. Neither
looks at who has what, and nor may the steward who chooses l, property and sequence.
"""

import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from voile.core.algorithm import Algorithm, Progress, Rung
from voile.core.eligibility import refuse_ineligible
from voile.core.generalizations import Generalizations
from voile.core.order import distinct_values
from voile.core.parameters import AUTO, parameter
from voile.core.partition import Partition
from voile.core.sequences import AS_GIVEN, BUILDERS, sequence_of
from voile.core.table import Table
from voile.errors import BeyondReach, Infeasible, NothingDisclosed, ParameterError, SpecError, counted
from voile.theory.costs import LIMIT, Costs, affordable, require_affordable
from voile.theory.evaluation import disclosure_set, evaluate
from voile.theory.named_properties import ABOVE_ONE, PROPERTIES, NamedProperty
from voile.theory.set_properties import SetProperty
from voile.theory.strategies import Strategy

Codes = NDArray[np.int64]
NONE = "none"
UTILITIES = ("dm", "gcp", AS_GIVEN)
A_PLAN = "a plan in JSON, from a file: @plan.json"


@dataclass(frozen=True, kw_only=True)
class KJump(Algorithm):
    """The first generalization of a sequence that keeps a property even for who knows how it was found.

    Guarantee (safe, jump): the property holds for the tables that are left to a reader who knows the algorithm.
    Not protected: naive, against that reader; the outcome "nothing", against one who knows all frequencies.

    >>> KJump(l=2, k="1+2").settings() == KJump.configure(KJump(l=2, k="1+2").settings()).settings()
    True
    """

    key = "k_jump"
    title = "k-jump"
    paper = "Liu et al. 2015"
    promise = "frequency_l_diversity"
    rung = Rung.ALGORITHM_MARGINAL
    deterministic = True
    mergeable = False
    cost = (
        "exact and exponential at worst: tens of rows at k = 1, hundreds with long jumps; refused beyond the limit"
    )
    meaning = "the first of a sequence of generalizations that is safe though readers know how it was chosen"

    l: int | str | Fraction = parameter(  # noqa: E741, RUF009 the paper's name
        "1/l is the largest confidence; different values, or rows of a group, by the property",
        minimum=2,
        text=ABOVE_ONE,
    )
    property: str = parameter(
        "what must hold: frequency (no value likelier than 1/l), distinct, recursive (c,l), entropy, or "
        "k_anonymity (l rows)",
        default="frequency",
        choices=PROPERTIES,
    )
    c: Fraction = parameter(  # noqa: RUF009
        "how far ahead the likeliest value stays below, if recursive", default=Fraction(1), places=0
    )
    strategy: str = parameter(
        "jump, safe (jump with k = 1 that looks at every function), or naive (what others do; it leaks)",
        default="jump",
        choices=("jump", "safe", "naive"),
    )
    k: int | str = parameter(
        "how many functions further to go from one that passes only on its face: one number, or one for each "
        "function; auto = 1, or as far as the limit demands",
        default=AUTO,
        minimum=1,
        choices=(AUTO,),
        text="numbers joined by +",
    )
    sequence: str = parameter(
        "the generalizations, finest first: levels (one column one level up at a time), cuts (one node at a "
        "time), lattice (all combinations of levels), or your own",
        default="levels",
        choices=tuple(BUILDERS),
        text=A_PLAN,
    )
    utility: str = parameter(
        "what the sequence is sorted by: dm (squared group sizes), gcp (loss of detail), or the order you gave",
        default="gcp",
        choices=UTILITIES,
    )
    first: int = parameter("which function the search begins with, the finest being 1", default=1, minimum=1)
    reuse: str = parameter(
        "functions to try again at the end", default=NONE, choices=(NONE,), text="their numbers joined by +"
    )
    limit: int = parameter(
        "millions of steps that the exact answer may take, reckoned without a look at who has what; beyond it the "
        "table is refused",
        default=LIMIT,
        minimum=1,
    )

    @classmethod
    def configure(cls, given: Mapping[str, object]) -> Self:
        """From names and values; Python may give lists for k and reuse, and a plan as lists and dictionaries."""
        return super().configure({name: as_text(name, value) for name, value in given.items()})

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", self.wanted().l)
        if self.strategy != "jump" and self.k not in (AUTO, 1, "1"):
            raise ParameterError(
                "a jump distance",
                where="parameter k",
                rule=f"strategy={self.strategy} does not jump",
                remedy="leave k out, or use strategy=jump",
            )
        numbers(self.reuse, "reuse")
        if self.k != AUTO:
            numbers(self.k, "k")

    def wanted(self) -> NamedProperty:
        """The property with its l."""
        return NamedProperty.of(self.property, self.l, self.c)

    def promised(self) -> tuple[str, Mapping[str, object]]:
        """The model that a release with the property keeps."""
        return self.wanted().promise()

    def holds_against(self) -> Rung:
        """A naive search protects only from who does not think about it."""
        return Rung.RELEASE if self.strategy == "naive" else self.rung

    def limits(self, series: bool = False) -> list[str]:
        """What the proof takes for granted."""
        if self.strategy == "naive":
            return []
        return [
            "anything, if the sequence, l, k or the property were chosen after a look at who has which value",
            "what a search that ends in nothing tells a reader who knows how often each value occurs",
            "a reader who held some tables with these frequencies for likelier than others",
        ]

    def resolve(self, table: Table) -> Self:
        """Fix k, from the functions and from how often each value occurs."""
        refuse_unsuitable(table, self.key, self.wanted())
        vector = self.search(table)[2].k
        return replace(self, k="+".join(map(str, vector)) if len(set(vector)) > 1 else vector[0])

    def functions(self, table: Table) -> Generalizations:
        """g_1 .. g_n, from the quasi-identifiers of a table alone."""
        again = numbers(self.reuse, "reuse")
        least = self.wanted().rows
        return sequence_of(table, self.sequence, self.utility, least=least, first=self.first, reuse=again)

    def search(self, table: Table) -> tuple[Generalizations, SetProperty, Strategy]:
        """What a reader knows: the functions, the property and the strategy. Where k is fixed, nothing but
        quasi-identifiers is looked at."""
        sequence, wanted = self.functions(table), self.wanted().of_sets()
        n = len(sequence)
        if self.strategy != "jump":
            return sequence, wanted, Strategy.naive(n) if self.strategy == "naive" else Strategy.safe(n)
        if self.k == AUTO:
            return sequence, wanted, self._within_limit(sequence, wanted, frequencies(table))
        vector = numbers(self.k, "k")
        return sequence, wanted, Strategy.jump(vector[0] if len(vector) == 1 else vector, n)

    def _within_limit(self, sequence: Generalizations, wanted: SetProperty, counts: Codes) -> Strategy:
        """As few jumps as the limit allows; refuses if none helps."""
        costs, nowhere = Costs(sequence, counts, wanted), Strategy.jump(1, len(sequence))
        found = affordable(costs, self.limit)
        if found is None:
            require_affordable(costs, nowhere, self.limit)
        return found or nowhere

    def partition(self, table: Table, progress: Progress = lambda share: None) -> Partition:
        """The groups of the function that is disclosed; NothingDisclosed if none is."""
        refuse_unsuitable(table, self.key, self.wanted())
        sequence, wanted, strategy = self.search(table)
        values = distinct_values(table.sensitive[0].codes)[1]
        found = evaluate(sequence, values, wanted, strategy, limit=self.limit)
        if found.outcome is None:
            refuse_nothing(sequence, self.key, told_by_nothing(sequence, values, wanted, strategy, self.limit))
        return Partition(sequence.functions[found.outcome - 1])


def as_text(name: str, value: object) -> object:
    """A parameter from Python as it would be typed: lists joined by +, a plan as JSON, fractions as 5/3."""
    if isinstance(value, Fraction):
        return str(value)
    if name == "sequence" and isinstance(value, list | tuple | dict):
        with contextlib.suppress(TypeError, ValueError, RecursionError):
            return json.dumps(value)
        return None
    if isinstance(value, list | tuple) and all(type(part) is int for part in value):
        return "+".join(map(str, value))
    return value


def numbers(given: int | str, where: str) -> list[int]:
    """Whole numbers joined by +, or none.

    >>> numbers("1+3", "k"), numbers(2, "k"), numbers("none", "reuse")
    ([1, 3], [2], [])
    """
    parts = [part.strip() for part in str(given).split("+")]
    if given == NONE:
        return []
    if not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise ParameterError(
            "not a list of whole numbers",
            where=f"parameter {where}",
            rule="whole numbers from 1, joined by +",
            remedy=f"for example {where}=1+1+3",
        )
    return [int(part) for part in parts]


def frequencies(table: Table) -> Codes:
    """How often each value of the sensitive column occurs."""
    return np.bincount(distinct_values(table.sensitive[0].codes)[1])


def refuse_unsuitable(table: Table, key: str, wanted: NamedProperty) -> None:
    """Refuse a table that cannot be searched, or on which the promise is out of reach."""
    column = table.single_sensitive(key)
    if table.kept:
        raise SpecError(
            f"{counted(len(table.kept), 'kept column')}",
            where="spec",
            rule=f"{key} reckons with readers who see groups; kept columns would split them",
            remedy="drop them (keep = false), or declare them quasi-identifying",
        )
    counts = frequencies(table)
    if not counts.size or not wanted.of_sets().holds(counts.tolist(), table.n):
        refuse_infeasible(counts, wanted, column.name)


def refuse_infeasible(counts: Codes, wanted: NamedProperty, column: str) -> NoReturn:
    """The table as a whole has not the property; then no grouping has it."""
    if wanted.name == "frequency" and isinstance(wanted.l, int):
        refuse_ineligible(counts, wanted.l, column, suppressing=None)
    largest = wanted.largest_l(counts.tolist()) if counts.size else 1
    top = 100 * int(counts.max(initial=0)) / max(1, int(counts.sum()))
    raise Infeasible(
        f"the table as a whole has not the property: {counted(int(counts.sum()), 'row')}, "
        f"{counted(counts.size, 'value')}, the most frequent {top:.4g} % of rows",
        where=f"column {column}",
        largest_l=largest,
        rows_to_suppress=int(counts.sum()),
        rule=f"{wanted.name} with l = {wanted.l}",
        remedy=f"l = {largest} is the largest whole number that works"
        if largest > 1
        else "use another property, or record values in finer detail",
    )


def told_by_nothing(
    sequence: Generalizations, values: Codes, wanted: SetProperty, strategy: Strategy, limit: int
) -> str:
    """What the failure of the search tells a reader who knows all frequencies, in words."""
    try:
        left = disclosure_set(sequence, values, wanted, strategy, len(sequence) + 1, limit=limit)
    except BeyondReach:
        return "how much is too costly to reckon"
    verdict = "keeps" if left.holds else "breaks"
    return (
        f"here a value of somebody with {100 * float(left.highest):.4g} % certainty, which {verdict} the property"
    )


def refuse_nothing(sequence: Generalizations, key: str, told: str) -> NoReturn:
    """No function may be disclosed: say so, and when that is safe."""
    coarser = "a coarser sequence (first=2)" if len(sequence) > 1 else "other generalizations"
    raise NothingDisclosed(
        f"none of {counted(len(sequence), 'generalization')} may be disclosed; nothing was published",
        where=key,
        rule="that tells nothing to a reader who does not know how often each value occurs; one who does, and "
        f"learns that the search failed, may conclude something: {told}",
        remedy=f"keep the failure to yourself; a smaller l, another property or {coarser} may work, but what is "
        "found then keeps its promise only against readers who do not know that this search came first",
    )
