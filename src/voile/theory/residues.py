"""Residues: exact whole numbers in kernels, however large.

A number x is kept modulo primes p_1 .. p_L whose product M exceeds 2 |x|: by the Chinese remainder theorem the
residues determine it, and its sign. The bound on |x| is known before anything is computed, so nothing is left to
chance: neither floats nor a single prime decide a tie (docs/facts/k_jump.md, section 4.6).
"""

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import count, islice
from math import prod

import numpy as np
from numpy.typing import NDArray

LARGEST = 2**28  # primes are below


@cache
def primes_below(number: int) -> tuple[int, ...]:
    """The largest primes below 2^28, so many.

    >>> primes_below(2)
    (268435399, 268435367)
    """
    return tuple(islice((p for p in count(LARGEST - 1, -2) if _is_prime(p)), number))


def _is_prime(odd: int) -> bool:
    """Miller and Rabin with bases that leave no doubt below 3 * 10^9."""
    power = ((odd - 1) & -(odd - 1)).bit_length() - 1
    for base in (2, 3, 5, 7):
        x = pow(base, (odd - 1) >> power, odd)
        if x in (1, odd - 1):
            continue
        for _ in range(power - 1):
            x = x * x % odd
            if x == odd - 1:
                break
        else:
            return False
    return True


@dataclass(frozen=True, repr=False, eq=False)
class Residues:
    """A system of primes in which every x with |x| <= largest is determined.

    >>> system = Residues.for_numbers_up_to(10**20)
    >>> system.whole(np.array([[p - 5 for p in system.primes.tolist()]]))
    [-5]
    """

    primes: NDArray[np.uint64]

    @classmethod
    def for_numbers_up_to(cls, largest: int) -> "Residues":
        """As many primes as it takes."""
        number = 1
        while prod(primes_below(number)) <= 2 * largest + 1:
            number += 1
        return cls(np.array(primes_below(number), np.uint64))

    @property
    def length(self) -> int:
        """How many primes there are."""
        return int(self.primes.size)

    @cached_property
    def product(self) -> int:
        """M, the product of all primes."""
        return prod(self.primes.tolist())

    @cached_property
    def inverse(self) -> NDArray[np.uint64]:
        """1 / primes[i] modulo primes[k], for i < k."""
        p = self.primes.tolist()
        lines = [[pow(p[i], -1, p[k]) if i < k else 0 for i in range(len(p))] for k in range(len(p))]
        return np.array(lines, np.uint64)

    @cached_property
    def half(self) -> NDArray[np.uint64]:
        """The mixed-radix digits of M // 2."""
        left, digits = self.product // 2, []
        for p in self.primes.tolist():
            left, digit = divmod(left, p)
            digits.append(digit)
        return np.array(digits, np.uint64)

    def of(self, number: int) -> NDArray[np.uint64]:
        """The residues of a number."""
        return np.array([number % p for p in self.primes.tolist()], np.uint64)

    def inverse_of(self, number: int) -> NDArray[np.uint64]:
        """1 / number modulo each prime; the number is not 0 modulo any."""
        return np.array([pow(number, -1, p) for p in self.primes.tolist()], np.uint64)

    def factorials(self, most: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """0!, 1!, .. most! and their inverses; a column per prime."""
        up, down = np.ones((most + 1, self.length), np.uint64), np.ones((most + 1, self.length), np.uint64)
        for k, p in enumerate(self.primes.tolist()):
            for i in range(1, most + 1):
                up[i, k] = int(up[i - 1, k]) * i % p
            down[most, k] = pow(int(up[most, k]), -1, p)
            for i in range(most, 0, -1):
                down[i - 1, k] = int(down[i, k]) * i % p
        return up, down

    def whole(self, residues: NDArray[np.uint64]) -> list[int]:
        """The numbers between -M/2 and M/2 that have these residues, one per line."""
        weights = []
        for p in self.primes.tolist():
            rest = self.product // p
            weights.append(rest * pow(rest, -1, p))
        numbers = [sum(r * w for r, w in zip(line, weights, strict=True)) for line in residues.tolist()]
        return [(number + self.product // 2) % self.product - self.product // 2 for number in numbers]
