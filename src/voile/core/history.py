"""History: which set of sensitive values each person has been published with before."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voile.core.order import canonical_order, dense_rank
from voile.core.partition import Partition

NEW = -1  # of a person who was never published
WITHHELD = -2  # of a person who must not be published now: a changed value, or erased on request


@dataclass(frozen=True, repr=False, eq=False)
class History:
    """The signature of each row of a table (Xiao and Tao 2007, Definition 16), as a number into `sets`, NEW or
    WITHHELD.

    `sets` holds codes of the table's sensitive column, ascending in each set. It comes from the ledger, which
    remembers persons after they are gone: Lemma 4 of the paper, that the last release is enough, fails when a
    person returns (docs/facts/m_invariance.md B4).

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


def signatures_of(
    codes: NDArray[np.int64], partition: Partition
) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """The number of each group's signature, and the signatures: ascending codes of all its rows and counterfeits.

    >>> partition = Partition(np.array([0, 0, 1]), np.array([1]), np.array([3]))
    >>> number, sets = signatures_of(np.array([3, 1, 1]), partition)
    >>> number.tolist(), [found.tolist() for found in sets]
    ([0, 0], [[1, 3]])
    """
    group, shown = partition.everyone, np.concatenate([codes, partition.counterfeit_value])
    order = canonical_order([group, shown])[partition.suppressed :]
    sizes = partition.published_sizes
    first = np.cumsum(sizes) - sizes
    number = np.empty(sizes.size, np.int64)
    sets: list[NDArray[np.int64]] = []
    for size in np.unique(sizes).tolist():
        own = np.flatnonzero(sizes == size)
        values = shown[order[first[own][:, None] + np.arange(size)]]
        rank = dense_rank(list(values.T))
        example = np.empty(int(rank.max()) + 1, np.int64)
        example[rank] = np.arange(rank.size)
        number[own] = rank + len(sets)
        sets += list(values[example])
    return number, sets
