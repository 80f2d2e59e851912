"""Buckets of m-invariance: signatures as lists of values, and where new rows go (Xiao and Tao 2007, section 4)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]


class Buckets(NamedTuple):
    """Signatures as lists of values, one after the other: bucket b has values[start[b]] .. [start[b+1]-1]."""

    start: Codes
    values: Codes

    @classmethod
    def of(cls, signatures: list[tuple[int, ...]]) -> "Buckets":
        """Buckets of these signatures, values ascending in each."""
        sizes = [len(signature) for signature in signatures]
        return cls(
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.array([value for signature in signatures for value in signature], np.int64),
        )

    def places(self, bucket: Codes, value: Codes) -> Codes:
        """Where each row's value stands in its bucket's list; -1 if it does not."""
        width = int(max(self.values.max(initial=0), value.max(initial=0))) + 1
        keys = np.repeat(np.arange(self.start.size - 1), np.diff(self.start)) * width + self.values
        wanted = bucket * width + value
        found = np.minimum(np.searchsorted(keys, wanted), max(0, keys.size - 1))
        return np.where(keys[found] == wanted, found, -1) if keys.size else np.full(value.size, -1, np.int64)

    def shortages(self, counts: Codes) -> Codes:
        """How many rows of each value are lacking to the most frequent one of its bucket."""
        if not counts.size:
            return counts
        return np.asarray(np.repeat(np.maximum.reduceat(counts, self.start[:-1]), np.diff(self.start)) - counts)


class Dealing(NamedTuple):
    """Where new rows go: number[i] of those with value[i] to the bucket home[i], values ascending; and the
    signatures of all buckets, those that new rows bring included."""

    signatures: list[tuple[int, ...]]
    value: Codes
    home: Codes
    number: Codes
