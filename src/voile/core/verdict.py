"""Verdict: what a privacy model says about a grouping."""

import math
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Verdict:
    """Whether the promise holds, the best parameter that would, and the group that decides it.

    `achieved` is exact; infinity means that no parameter is large enough, None that nothing was
    published, so every promise holds.

    >>> Verdict(False, math.inf, 3).shown()
    'infinite'
    """

    ok: bool
    achieved: Fraction | float | None
    worst: int | None

    def shown(self) -> int | float | str | None:
        """`achieved` for people and JSON, to four places."""
        if self.achieved is None or self.achieved == math.inf:
            return None if self.achieved is None else "infinite"
        whole = self.achieved == int(self.achieved)
        return int(self.achieved) if whole else round(float(self.achieved), 4)
