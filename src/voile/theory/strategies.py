"""Strategies: how a search over a sequence of generalizations decides (Liu et al. 2015, Tables 6, 7 and 9).

naive: disclose the first function whose permutation set has the property. safe: the first whose disclosure set has
it. jump: the first for which both have it; where only the permutation set does, go on k[i] functions further.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from voile.errors import ParameterError

Kind = Literal["naive", "safe", "jump"]


@dataclass(frozen=True)
class Strategy:
    """A strategy over n functions. `k` is the vector of jump distances, k[0] belongs to g_1; all 1 where nothing
    jumps.

    >>> Strategy.jump(2, n=3).after(2), Strategy.jump([1, 1, 3], n=3).after(2), Strategy.safe(3).after(3)
    (4, 3, 4)
    """

    kind: Kind
    k: tuple[int, ...]

    @classmethod
    def naive(cls, n: int) -> "Strategy":
        """The strategy of Table 6."""
        return cls("naive", (1,) * n)

    @classmethod
    def safe(cls, n: int) -> "Strategy":
        """The strategy of Table 7."""
        return cls("safe", (1,) * n)

    @classmethod
    def jump(cls, k: int | Sequence[int], n: int) -> "Strategy":
        """The strategy of Table 9, with one distance for all functions or a vector of n."""
        vector = (k,) * n if isinstance(k, int) else tuple(k)
        if len(vector) != n:
            raise ParameterError(
                f"{len(vector)} jump distances for {n} functions",
                where="parameter k",
                rule="one distance, or one for each function",
                remedy=f"write {n} numbers joined by +, or a single one",
            )
        if any(distance < 1 for distance in vector):
            raise ParameterError(
                "a jump distance below 1",
                where="parameter k",
                rule="distances are whole numbers from 1",
                remedy="1 goes on to the next function",
            )
        return cls("jump", vector)

    @property
    def n(self) -> int:
        """How many functions it searches."""
        return len(self.k)

    def after(self, i: int) -> int:
        """Where the search goes on (counted from 1; n + 1 is nothing) when function i has the property on its
        face, but its disclosure set has not."""
        return min(i + self.k[i - 1], self.n + 1)
