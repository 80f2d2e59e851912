"""Draws: the random choices that protect people. From the operating system, never stored.

A randomised algorithm is a deterministic function of its table and of whole numbers drawn
uniformly below given bounds. Whoever knows the draws knows who has what (docs/facts/streamliner.md A4), so
they are used once and forgotten. Tests inject a seed, or enumerate every draw there is.
"""

import os
from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from voile.kernels.shuffle import shuffle_runs

_NARROW = 2**31  # bounds up to here are served by 32 bits
_MANY = 2**17


def remainders(
    words: NDArray[np.unsignedinteger], bounds: NDArray[np.int64]
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.bool_]]:
    """Words modulo their bounds, and which must be drawn again: those of the last, incomplete round of the bound.

    >>> remainders(np.array([7, 2**32 - 1], np.uint32), np.array([5, 5]))
    (array([2, 0], dtype=uint32), array([False,  True]))
    """
    top, own = words.dtype.type(np.iinfo(words.dtype).max), bounds.astype(words.dtype)
    # top + 1 words in all; the last (top + 1) % bound of them belong to no complete round
    excess = (top % own + words.dtype.type(1)) % own
    return words % own, words > top - excess


class Draws(ABC):
    """A source of uniform whole numbers."""

    @abstractmethod
    def words(self, count: int, bits: int) -> NDArray[np.unsignedinteger]:
        """So many random words of 32 or 64 bits."""

    def below(self, bounds: NDArray[np.int64]) -> NDArray[np.int64]:
        """A number from 0 up to each bound, every one equally likely: words that would favour some
        numbers are drawn again.

        >>> SECRET.below(np.array([1, 1])).tolist()
        [0, 0]
        """
        bits = 32 if bounds.max(initial=1) <= _NARROW else 64
        numbers = np.zeros(bounds.size, np.int64)
        due = np.flatnonzero(bounds > 1)  # below 1 there is no choice
        while due.size:
            numbers[due], again = remainders(self.words(due.size, bits), bounds[due])
            due = due[again]
        return numbers

    def shuffled(self, start: NDArray[np.int64]) -> NDArray[np.int64]:
        """The positions 0 .. start[-1]-1, each run start[c] .. start[c+1]-1 in uniformly random order.

        >>> SECRET.shuffled(np.array([0, 1, 2])).tolist()
        [0, 1]
        """
        sizes = np.diff(start)
        bounds = np.arange(1, int(start[-1]) + 1) - np.repeat(start[:-1], sizes)  # 1, 2, ... in each run
        return shuffle_runs(start, self.below(bounds))  # type: ignore[no-any-return]


class SecretDraws(Draws):
    """From the operating system's generator."""

    def below(self, bounds: NDArray[np.int64]) -> NDArray[np.int64]:
        """As above; many are drawn in two threads."""
        if bounds.size < _MANY:
            return super().below(bounds)
        with ThreadPoolExecutor(2) as pair:
            return np.concatenate(list(pair.map(super().below, np.array_split(bounds, 2))))

    def words(self, count: int, bits: int) -> NDArray[np.unsignedinteger]:
        """Words nobody can repeat."""
        return np.frombuffer(os.urandom(count * bits // 8), np.uint32 if bits == 32 else np.uint64)


class InsecureDraws(Draws):
    """From a seed, for tests: whoever learns or guesses it can undo the release.

    >>> InsecureDraws(7).below(np.array([10, 10])).tolist() == InsecureDraws(7).below(np.array([10, 10])).tolist()
    True
    """

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def words(self, count: int, bits: int) -> NDArray[np.unsignedinteger]:
        """Words anyone with the seed can repeat."""
        kind = np.uint32 if bits == 32 else np.uint64
        return self._generator.integers(0, 2**bits, count, dtype=kind)


SECRET = SecretDraws()
