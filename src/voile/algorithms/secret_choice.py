"""Secret choice: a naive search over a secret random subset of the generalizations (Liu et al. 2015, section 7).

A demonstration: one might hope that readers who do not know which functions were tried cannot tell what failed.
They can take the mean over all subsets instead, and conclude nearly as much (Theorem 8).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np

from voile.algorithms.k_jump import A_PLAN, UTILITIES, as_text, refuse_nothing, refuse_unsuitable
from voile.core.algorithm import Progress, RandomisedAlgorithm, Rung
from voile.core.draws import SECRET, Draws
from voile.core.generalizations import Generalizations
from voile.core.order import distinct_values
from voile.core.parameters import parameter
from voile.core.partition import Partition
from voile.core.sequences import BUILDERS, sequence_of
from voile.core.table import Table
from voile.errors import ParameterError
from voile.theory.evaluation import evaluate
from voile.theory.named_properties import ABOVE_ONE, PROPERTIES, NamedProperty
from voile.theory.strategies import Strategy

MOST_FUNCTIONS = 60  # subsets are numbered by 64-bit integers


@dataclass(frozen=True, kw_only=True)
class SecretChoice(RandomisedAlgorithm):
    """The first function with the property on its face, of at least two that were drawn in secret.

    Guarantee: the property, for a reader who does not reason about the algorithm.
    Not protected against: one who does. Secrecy of the choice does not help.

    >>> SecretChoice(l=2).settings()["property"]
    'frequency'
    """

    key = "secret_choice"
    title = "secret choice"
    paper = "Liu et al. 2015"
    promise = "frequency_l_diversity"
    rung = Rung.RELEASE
    mergeable = False
    cost = "about n times the functions; for study: k_jump is for use"
    meaning = "a naive search over functions drawn in secret: shows that hiding the choice does not protect"

    l: int | str | Fraction = parameter(  # noqa: E741, RUF009 the paper's name
        "1/l is the largest share of a value; different values, or rows of a group, by the property",
        minimum=2,
        text=ABOVE_ONE,
    )
    property: str = parameter("as of k_jump", default="frequency", choices=PROPERTIES)
    c: Fraction = parameter(  # noqa: RUF009
        "how far ahead the most frequent value stays below, if recursive", default=Fraction(1), places=0
    )
    sequence: str = parameter(
        "the generalizations that are drawn from", default="levels", choices=tuple(BUILDERS), text=A_PLAN
    )
    utility: str = parameter("what they are sorted by", default="gcp", choices=UTILITIES)
    first: int = parameter("the first of them that may be drawn, the finest being 1", default=1, minimum=1)

    @classmethod
    def configure(cls, given: Mapping[str, object]) -> Self:
        """From names and values; Python may give a plan as lists and dictionaries."""
        return super().configure({name: as_text(name, value) for name, value in given.items()})

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", self.wanted().l)

    def wanted(self) -> NamedProperty:
        """The property with its l."""
        return NamedProperty.of(self.property, self.l, self.c)

    def promised(self) -> tuple[str, Mapping[str, object]]:
        """The model that a release with the property keeps."""
        return self.wanted().promise()

    def functions(self, table: Table) -> Generalizations:
        """What is drawn from, from the quasi-identifiers of a table alone."""
        return sequence_of(table, self.sequence, self.utility, least=self.wanted().rows, first=self.first)

    def partition(self, table: Table, progress: Progress = lambda share: None, draws: Draws = SECRET) -> Partition:
        """Draw the functions, then search them as everybody does."""
        refuse_unsuitable(table, self.key, self.wanted())
        sequence = self.functions(table)
        n = len(sequence)
        if n > MOST_FUNCTIONS:
            raise ParameterError(
                f"{n} functions",
                where="parameter sequence",
                rule=f"at most {MOST_FUNCTIONS} are drawn from",
                remedy="use levels or cuts, or begin later with first",
            )
        if n > 1:
            sequence = sequence.at(subset(int(draws.below(np.array([2**n - 1 - n]))[0]), n))
        values = distinct_values(table.sensitive[0].codes)[1]
        strategy, wanted = Strategy.naive(len(sequence)), self.wanted().of_sets()
        outcome = evaluate(sequence, values, wanted, strategy).outcome
        if outcome is None:
            refuse_nothing(sequence, self.key, "more or less by which functions were drawn")
        return Partition(sequence.functions[outcome - 1])


def subset(number: int, n: int) -> list[int]:
    """The subsets of n functions that have at least two members, numbered from 0.

    >>> [subset(number, 3) for number in range(4)]
    [[0, 1], [0, 2], [1, 2], [0, 1, 2]]
    """
    mask = number + 1  # not the empty one
    for i in range(n):
        mask += mask >= 1 << i  # nor one of a single function
    return [i for i in range(n) if mask >> i & 1]
