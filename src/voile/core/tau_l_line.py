"""The line of (tau,l)-diversity: psi(k) = tau + (1 - tau)(k - 1)/(l - 1) for k up to l, 1 beyond
(Tian and Zhang 2009).

tau stays below 1: at 1 the line is 1 everywhere, and every group keeps it.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.parameters import exact_number
from voile.errors import ParameterError

LARGEST = 2**32  # of `scale`: rows, parts of persons and scale together must fit 63 bits


@dataclass(frozen=True)
class TauLLine:
    """How much of a group the k most frequent values may have.

    >>> line = TauLLine(Fraction(1, 2), 3)
    >>> line.limit.tolist(), line.scale, line.need
    ([2, 3], 4, 3)
    >>> line.allows(np.array([2, 1, 1])), line.allows(np.array([2, 2, 0]))
    (True, False)
    """

    tau: Fraction
    l: int  # noqa: E741 the paper's name

    @property
    def scale(self) -> int:
        """psi(k) is limit[k - 1] / scale."""
        return self.tau.denominator * (self.l - 1)

    @property
    def limit(self) -> NDArray[np.int64]:
        """For k = 1 .. l-1, beyond which nothing can be exceeded (docs/facts/sweep.md B2.5)."""
        return self._limits(self.l - 1)

    def _limits(self, some: int) -> NDArray[np.int64]:
        """The first ones: l may be far larger than what there is to compare."""
        p, q = self.tau.numerator, self.tau.denominator
        return p * (self.l - 1) + (q - p) * np.arange(some, dtype=np.int64)

    @property
    def need(self) -> int:
        """Different values that a group needs: so many of equal frequency, and no fewer, keep the line."""
        return max(self.l, -(-self.tau.denominator // self.tau.numerator))

    def allows(self, counts: NDArray[np.int64], whole: int | None = None) -> bool:
        """Whether a group of these counts keeps the line; `whole` is its size if that is not their sum."""
        largest = np.sort(counts)[::-1][: self.l - 1].astype(object)
        size = int(counts.sum()) if whole is None else whole
        together = np.cumsum(largest)
        return bool((together * self.scale <= self._limits(largest.size).astype(object) * size).all())

    def crossed(self, counts: NDArray[np.int64], whole: int) -> int:
        """The k at which a group of these counts crosses the line most, or 0 if it keeps it."""
        together = np.cumsum(np.sort(counts)[::-1][: self.l - 1].astype(object))
        over = together * self.scale - self._limits(together.size).astype(object) * whole
        return int(np.argmax(over)) + 1 if over.size and over.max() > 0 else 0


def least_tau(counts: NDArray[np.int64], ell: int, whole: int | None = None) -> Fraction:
    """The least tau for which a group of these counts keeps the line to l; 1 if none below does. `whole` is its
    size if that is not their sum.

    >>> least_tau(np.array([2, 1, 1]), 3), least_tau(np.array([2, 1, 1]), 4)
    (Fraction(1, 2), Fraction(1, 1))
    """
    if np.count_nonzero(counts) < ell:
        return Fraction(1)
    size = int(counts.sum()) if whole is None else whole
    together = np.cumsum(np.sort(counts)[::-1][: ell - 1].astype(object)).tolist()
    taus = [Fraction(t * (ell - 1) - k * size, (ell - 1 - k) * size) for k, t in enumerate(together)]
    return max(taus, default=Fraction(1))


def usable_tau(least: Fraction, ell: int, places: int = 4) -> Fraction | None:
    """A tau as people write it, rounded up so that it still works: to more places where it would become 1. None if
    no tau below 1 works, or none that `line_of` takes.

    >>> usable_tau(Fraction(1, 3), 2), usable_tau(Fraction(30_000, 30_001), 2), usable_tau(Fraction(1), 2)
    (Fraction(1667, 5000), Fraction(99997, 100000), None)
    """
    for digits in range(places, 10):
        tau = Fraction(math.ceil(least * 10**digits), 10**digits)
        if tau < 1:
            return tau if TauLLine(tau, ell).scale < LARGEST else None
    return None


def line_of(tau: object, ell: int) -> TauLLine:
    """The line of two parameters; refuses a tau that promises nothing, or whose products with counts would not
    fit."""
    number = exact_number(tau)
    if number is None or not 0 < number < 1:
        raise ParameterError(
            "not an accepted value",
            where="parameter tau",
            rule="a share above 0 and below 1: every group keeps tau = 1",
            remedy="for example tau=0.3, which is 30 %",
        )
    line = TauLLine(number, ell)
    if line.scale >= LARGEST:
        raise ParameterError(
            "too many digits, or too large an l",
            where="parameter tau",
            rule="the denominator of tau times l - 1 stays below 2**32",
            remedy="write tau with fewer digits, for example 0.333",
        )
    return line
