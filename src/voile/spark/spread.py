"""Spread: a coded table whose rows lie in parts, on a cluster or, for tests, in memory.

Plans see it through three questions: how often is each key there, which few rows have a property, and what does
each cell become. What executors compute is a function of the rows of a batch and of what the driver has sent.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voile.core.keyed_digests import keyed_digests, texts_of
from voile.core.table import Column

Codes = NDArray[np.int64]
Batch = dict[str, NDArray[np.int64]]  # columns of some rows by name
KEY_BYTES = 32
SECRET_WORDS = ("secret0", "secret1")  # of a row, drawn by its executor from the operating system


@dataclass(frozen=True, repr=False, eq=False)
class Layout:
    """What the columns of a spread table mean: the published ones with their domains and without their codes."""

    columns: tuple[Column, ...]
    n: int
    least: dict[str, int]  # the least code of each column
    most: dict[str, int]

    def names(self, role: str | None = None) -> list[str]:
        """The columns, or those of one role, as batches call them."""
        return [f"c{i}" for i, column in enumerate(self.columns) if role is None or column.role == role]


class Spread(ABC):
    """Rows in parts."""

    layout: Layout

    @abstractmethod
    def tally(self, keys: Callable[[Batch], Codes]) -> tuple[Codes, Codes]:
        """The different keys of all rows, ascending, and how often each occurs."""

    @abstractmethod
    def some(self, rows: Callable[[Batch], Batch]) -> Batch:
        """What `rows` takes of each batch, put together on the driver: a bounded number of rows."""

    @abstractmethod
    def draw(self, among: Callable[[Batch], Codes]) -> Callable[[Batch], Codes]:
        """What tells the number, from 0 below 2**63, that each row has drawn; every call of `draw` draws anew.
        Only the order of rows for which `among` is the same may matter: all orders are equally likely."""


def merged_tallies(parts: Iterable[tuple[Codes, Codes]]) -> tuple[Codes, Codes]:
    """Tallies added up.

    >>> one, other = (np.array([2, 5]), np.array([1, 4])), (np.array([5]), np.array([3]))
    >>> [part.tolist() for part in merged_tallies([one, other])]
    [[2, 5], [1, 7]]
    """
    several = [part for part in parts if part[0].size]
    if not several:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    keys, counts = (np.concatenate(side) for side in zip(*several, strict=True))
    found, which = np.unique(keys, return_inverse=True)
    sums = np.zeros(found.size, np.int64)
    np.add.at(sums, which, counts)
    return found, sums


def joined(parts: Sequence[Batch]) -> Batch:
    """Batches one after the other."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]} if parts else {}


def drawn_numbers(secrets: NDArray[np.uint64], key: bytes) -> Codes:
    """A number of 63 bits for each row: keyed BLAKE2b of its secret of 128 bits. Whoever does not know the key and
    the secrets cannot tell these numbers from drawn ones.

    >>> drawn_numbers(np.arange(4, dtype=np.uint64).reshape(2, 2), bytes(32)).min() >= 0
    np.True_
    """
    return (keyed_digests(texts_of(secrets), key)[:, 0] >> np.uint64(1)).astype(np.int64)
