"""Algorithm: a function from a coded table and a promise to a grouping of its rows."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict
from enum import StrEnum
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from voile.core.draws import SECRET, Draws
from voile.core.parameters import Parameterised
from voile.core.partition import Partition
from voile.core.table import Table

Progress = Callable[[float], None]  # called with the share done, 0 to 1


class Rung(StrEnum):
    """The strongest adversary of docs/promise.md against whom the promise is known to hold."""

    RELEASE = "release"
    ALGORITHM_MARGINAL = "algorithm, marginal"
    ALGORITHM_STRONG = "algorithm, strong"

    @property
    def meaning(self) -> str:
        """For the certificate: who is held off, in plain words."""
        return {
            Rung.RELEASE: "someone who knows everybody's quasi-identifying values and sees this one "
            "release, but does not reason about how it was made",
            Rung.ALGORITHM_MARGINAL: "someone who also knows the algorithm and its parameters",
            Rung.ALGORITHM_STRONG: "someone who also knows the algorithm, its parameters and the "
            "sensitive values of everyone outside the victim's group",
        }[self]

    @property
    def meaning_in_series(self) -> str:
        """The same for a release that the ledger knows as one of a series."""
        more = "; and knows the algorithm and its parameters" if self != Rung.RELEASE else ""
        doubt = ", but does not reason about how they were made" if self == Rung.RELEASE else ""
        return (
            "someone who knows everybody's quasi-identifying values, sees every release of this series and knows "
            f"who is in which{doubt}{more}"
        )


class Algorithm(Parameterised, ABC):
    """Its class is its card: name, paper, promise, rung, cost. It never sees labels or files."""

    key: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    promise: ClassVar[str]  # key of the model it keeps; the parameter of the same name is passed on
    rung: ClassVar[Rung]
    deterministic: ClassVar[bool]
    cost: ClassVar[str]
    meaning: ClassVar[str]
    counterfeits: ClassVar[bool] = False  # whether it may add rows that stand for nobody
    generalises: ClassVar[bool] = False  # whether it may publish sensitive values more generally than they are
    one_cut: ClassVar[bool] = False  # and then by one cut of their hierarchy for the whole table
    separates: ClassVar[bool] = False  # whether it publishes quasi-identifiers and sensitive values in two tables
    mergeable: ClassVar[bool] = True  # whether its groups may be merged for further promises

    def resolve(self, table: Table) -> Self:
        """This algorithm with every automatic parameter fixed for a table."""
        return self

    def promised(self) -> tuple[str, Mapping[str, object]]:
        """The key of the model that is kept with these parameters, and values for the model's own."""
        return self.promise, vars(self)

    def holds_against(self) -> Rung:
        """The rung with these parameters; never above the one on the card."""
        return self.rung

    def limits(self, series: bool = False) -> list[str]:
        """What these parameters leave unprotected, beside what the rung says; for the certificate of one release,
        or of one of a series."""
        return []

    def blocks_of(self, table: Table) -> NDArray[np.int64] | None:
        """The part of the table each row is in that groups must not leave; None if there is one part."""
        return None

    @abstractmethod
    def partition(self, table: Table, progress: Progress = lambda share: None) -> Partition:
        """Group the rows, or raise Infeasible with the nearest request that works."""

    def settings(self) -> dict[str, object]:
        """All parameters and their values, fractions as "3/10"."""
        values = asdict(self)  # type: ignore[call-overload]
        return {name: str(value) if isinstance(value, Fraction) else value for name, value in values.items()}


class RandomisedAlgorithm(Algorithm):
    """An algorithm whose promise rests on secret draws: a deterministic function of table and draws."""

    deterministic = False

    @abstractmethod
    def partition(self, table: Table, progress: Progress = lambda share: None, draws: Draws = SECRET) -> Partition:
        """Group the rows, every choice between persons drawn; or raise Infeasible."""
