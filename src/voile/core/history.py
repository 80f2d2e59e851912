"""History: which set of sensitive values each person has been published with before."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NEW = -1  # of a person who was never published
WITHHELD = -2  # of a person who must not be published now: a changed value, or erased on request


@dataclass(frozen=True, repr=False, eq=False)
class History:
    """The signature of each row of a table (paper 001, Definition 16), as a number into `sets`, NEW or WITHHELD.

    `sets` holds codes of the table's sensitive column, ascending in each set. It comes from the ledger, which
    remembers persons after they are gone: Lemma 4 of the paper, that the last release is enough, fails when a
    person returns (facts/m_invariance.md B4).

    >>> History(np.array([0, NEW, 0]), (np.array([2, 5]),))
    History(3 rows, 1 signature, 1 new, 0 withheld)
    """

    signature: NDArray[np.int64]
    sets: tuple[NDArray[np.int64], ...]

    @classmethod
    def none(cls, rows: int) -> "History":
        """Of a first release: everybody is new."""
        return cls(np.full(rows, NEW, np.int64), ())

    def __repr__(self) -> str:
        new, withheld = int((self.signature == NEW).sum()), int((self.signature == WITHHELD).sum())
        sets = f"{len(self.sets)} signature{'' if len(self.sets) == 1 else 's'}"
        return f"History({self.signature.size} rows, {sets}, {new} new, {withheld} withheld)"
