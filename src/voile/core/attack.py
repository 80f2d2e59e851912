"""Attack: what a reader of a release can guess, as a number with its interval."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from voile.core.bags import Bags
from voile.core.parameters import Parameterised, in_decimals
from voile.core.privacy_model import PrivacyModel
from voile.core.table import Table
from voile.core.verdict import Verdict

Z = Fraction(196, 100)  # standard errors on either side of 95 % of a normal distribution
ABOVE = "above the promise"  # the state of what is ok and beyond
INCONCLUSIVE = "inconclusive"  # the state of an attack that says nothing, which is no pass


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """The Wilson interval that holds the true rate in 95 of 100 cases; everything where nothing was tried.

    >>> [round(end, 3) for end in wilson(8, 10)], wilson(0, 0)
    ([0.49, 0.943], (0.0, 1.0))
    """
    if trials == 0:
        return 0.0, 1.0
    z, share = float(Z), successes / trials
    middle = share + z * z / (2 * trials)
    spread = z * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    whole = 1 + z * z / trials
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)


def surely_at_most(successes: int, trials: int, limit: Fraction) -> bool:
    """Whether the upper end of the Wilson interval is at most a limit; decided in rationals.

    >>> surely_at_most(20, 100, Fraction(1, 4)), surely_at_most(200, 1000, Fraction(1, 4))
    (False, True)
    """
    if trials == 0 or limit >= 1:
        return limit >= 1
    share = Fraction(successes, trials)
    return share <= limit and (share - limit) ** 2 * trials >= Z**2 * limit * (1 - limit)


@dataclass(frozen=True, repr=False, eq=False)
class View:
    """What an adversary sees, as codes: the bags of the groups and, to whom everybody is known, the group of each
    person and the quasi-identifiers (one array of codes from 0 per column). Never who has what.

    `promises` are what a release promises or is asked for: they say what passes. `achieved` is what the models of
    the catalog say of the bags, by key.
    """

    bags: Bags
    group: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    quasi: tuple[NDArray[np.int64], ...] = ()
    promises: tuple[PrivacyModel, ...] = ()
    achieved: Mapping[str, Verdict] = field(default_factory=dict)
    knows: str = "everybody's quasi-identifiers"  # what of persons, in words
    larger: str = ""  # how whoever made the release may ask for larger groups, where that is known

    @classmethod
    def inside(
        cls, table: Table, group: NDArray[np.int64], bags: Bags, promises: Sequence[PrivacyModel] = ()
    ) -> "View":
        """The worst case, of a grouping that is at hand: everybody's quasi-identifiers and groups are known.
        `group` is that of each row, -1 of who is not published; `bags` are of these groups as published."""
        quasi = tuple(column.codes for column in table.quasi)
        knows = "everybody's quasi-identifiers and group"
        return cls(bags, np.asarray(group[: table.n]), quasi, tuple(promises), knows=knows)

    def confidence(self, eliminated: int = 0) -> Fraction | None:
        """The least confidence that a promise leaves to who has ruled out so many values; None: none does."""
        said = [promise.confidence(eliminated) for promise in self.promises]
        return min((bound for bound in said if bound is not None), default=None)

    def bound(self, eliminated: int = 0) -> Fraction | None:
        """The same as a bound of how many guesses may be right: less than certain (1) bounds nothing."""
        least = self.confidence(eliminated)
        return None if least is None or least >= 1 else least


@dataclass(frozen=True)
class Finding:
    """What an attack found. `successes` of `trials` guesses were right (or are sure to be, where no truth is
    needed); `highest` is the greatest confidence in any one of them. `ok` says whether what was promised holds;
    None: nothing is promised against this attack, and `warning` says that it gets somewhere. `beyond`: more are
    right than is promised, whatever `ok` allows for. `inconclusive`: the attack did not work, or tried too
    few. A private finding was graded by the truth: it is for the steward alone."""

    key: str
    title: str
    meaning: str  # one sentence for the steward, with the figures in words
    trials: int
    successes: int
    highest: Fraction | float | None = None
    allowed: Fraction | None = None  # what passes, where that is one number
    ok: bool | None = None
    warning: bool = False
    beyond: bool = False
    inconclusive: bool = False
    remedy: str = ""  # the next step, where there is one
    private: bool = False
    ran: bool = True  # False: it would have taken too long, as the meaning says
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def state(self) -> str:
        """In a word or two."""
        if not self.ran:
            return "not run"
        if self.inconclusive:
            return INCONCLUSIVE
        if self.ok is None:
            return "not promised, and gets through" if self.warning else "not promised"
        if self.ok and self.beyond:
            return ABOVE
        return "held off" if self.ok else "gets through"

    @property
    def rate(self) -> float:
        """The share of guesses that were right."""
        return self.successes / self.trials if self.trials else 0.0

    def document(self) -> dict[str, Any]:
        """For `--json` and the report."""
        low, high = wilson(self.successes, self.trials)
        return {
            "attack": self.key,
            "title": self.title,
            "state": self.state,
            "meaning": self.meaning,
            **({"remedy": self.remedy} if self.remedy else {}),
            "trials": self.trials,
            "successes": self.successes,
            "rate": round(self.rate, 4),
            "interval": [round(low, 4), round(high, 4)],
            "highest": None if self.highest is None else round(float(self.highest), 4),
            "allowed": None if self.allowed is None else in_decimals(self.allowed),
            "ok": self.ok,
            "warning": self.warning,
            "private": self.private,
            **self.details,
        }


class Attack(Parameterised, ABC):
    """Its class is its card. It needs no knowledge of the algorithm; a scorer that knows the truth grades it."""

    key: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    meaning: ClassVar[str]  # what the adversary does
    passes: ClassVar[str]  # what counts as withstood
    graded: ClassVar[bool] = False  # whether its guesses mean something only when compared with the truth
    releases: ClassVar[int] = 1  # how many releases it needs

    @abstractmethod
    def run(self, view: View, truth: NDArray[np.int64] | None = None) -> Finding:
        """Attack everybody. `truth` is the sensitive code of each row, for the scorer alone."""

    def found(self, meaning: str, trials: int, successes: int, **others: Any) -> Finding:
        """A finding of this attack."""
        return Finding(self.key, self.title, meaning, trials, successes, **others)
