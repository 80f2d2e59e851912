"""Attack: what a reader of a release can guess, as a number with its interval."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from voile.core.bags import Bags
from voile.core.parameters import Parameterised, in_decimals

Z = Fraction(196, 100)  # standard errors on either side of 95 % of a normal distribution


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
    """What an adversary sees, as codes: the group of each published row, its quasi-identifiers as known or as
    published (one array of codes from 0 per column), and the bags of the groups. Never who has what."""

    group: NDArray[np.int64]
    quasi: tuple[NDArray[np.int64], ...]
    bags: Bags


@dataclass(frozen=True)
class Finding:
    """What an attack found. `successes` of `trials` guesses were right (or are sure to be, where no truth is
    needed); `highest` is the greatest confidence in any one of them. Where `allowed` is None nothing was promised
    against this attack, and nothing passes or fails. A private finding was graded by the truth."""

    key: str
    title: str
    meaning: str  # one sentence for the steward, with the figures in words
    trials: int
    successes: int
    highest: Fraction | float | None = None
    allowed: Fraction | None = None  # the rate that passes
    ok: bool | None = None
    private: bool = False
    details: dict[str, Any] = field(default_factory=dict)

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
            "meaning": self.meaning,
            "trials": self.trials,
            "successes": self.successes,
            "rate": round(self.rate, 4),
            "interval": [round(low, 4), round(high, 4)],
            "highest": None if self.highest is None else round(float(self.highest), 4),
            "allowed": None if self.allowed is None else in_decimals(self.allowed),
            "ok": self.ok,
            **self.details,
        }


class Attack(Parameterised, ABC):
    """Its class is its card. It needs no knowledge of the algorithm; a scorer that knows the truth grades it."""

    key: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    meaning: ClassVar[str]
    graded: ClassVar[bool] = False  # whether its guesses mean something only when compared with the truth

    @abstractmethod
    def run(self, view: View, truth: NDArray[np.int64] | None = None) -> Finding:
        """Attack every row. `truth` is the sensitive code of each row, for the scorer alone."""
