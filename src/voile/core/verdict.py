"""Verdict: what a privacy model says about a grouping."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Verdict:
    """Whether the promise holds, the best parameter that would, and the group that decides it.

    `achieved` is exact; None means nothing was published, so every promise holds.
    """

    ok: bool
    achieved: Fraction | None
    worst: int | None

    def shown(self) -> int | float | None:
        """`achieved` for people and JSON."""
        if self.achieved is None:
            return None
        whole = self.achieved.denominator == 1
        return int(self.achieved) if whole else round(float(self.achieved), 4)
