"""Bags: the sensitive values of each group as exact counts. All that a privacy model looks at."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voile.core.order import distinct_values


@dataclass(frozen=True, repr=False, eq=False)
class Bag:
    """One sensitive column: group g holds codes[start[g]:start[g+1]], that many counts of each.

    >>> bag = Bag.of(np.array([0, 0, 0, 1]), np.array([5, 5, 2, 2]), 2)
    >>> bag.distinct().tolist(), bag.top().tolist()
    ([2, 1], [2, 1])
    """

    start: NDArray[np.int64]
    codes: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, group: NDArray[np.int64], codes: NDArray[np.int64], groups: int) -> "Bag":
        """Count the codes of each group."""
        present, index = distinct_values(codes)
        span = max(1, present.size)
        keys = np.sort(group.astype(np.int64) * span + index)
        first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if keys.size else keys
        counts = np.diff(np.append(first, keys.size))
        owner, values = np.divmod(keys[first], span)
        return cls(np.searchsorted(owner, np.arange(groups + 1)), present[values], counts)

    def distinct(self) -> NDArray[np.int64]:
        """Number of different values per group."""
        return np.diff(self.start)

    def top(self) -> NDArray[np.int64]:
        """Count of the most frequent value per group."""
        return np.maximum.reduceat(self.counts, self.start[:-1]) if self.start.size > 1 else self.counts


@dataclass(frozen=True, repr=False, eq=False)
class Bags:
    """Group sizes, and a Bag per sensitive column."""

    sizes: NDArray[np.int64]
    columns: tuple[Bag, ...]

    @classmethod
    def of(cls, group: NDArray[np.int64], sensitive: Sequence[NDArray[np.int64]]) -> "Bags":
        """Bags of groups 0, 1, ...; rows of a negative group are not published and not counted."""
        published = group >= 0
        if not published.all():
            group, sensitive = group[published], [codes[published] for codes in sensitive]
        sizes = np.bincount(group)
        return cls(sizes, tuple(Bag.of(group, codes, sizes.size) for codes in sensitive))
