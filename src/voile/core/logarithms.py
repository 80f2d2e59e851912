"""Comparisons with logarithms, decided exactly.

Entropy, delta-disclosure and beta-likeness compare logarithms of counts. A float says which side is
larger unless the two are very near; those few cases are decided here.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Context, Decimal, localcontext

import numpy as np
from numpy.typing import NDArray

Logs = Mapping[int, int]  # base >= 1 -> whole coefficient: the sum of coefficient * ln(base)


def sign(logs: Logs, constant: int = 0) -> int:
    """Sign of the sum of coefficient * ln(base), plus a whole constant.

    >>> sign({2: 3, 8: -1}), sign({2: 3, 7: -1}), sign({2: 10}, -7)
    (0, 1, -1)
    """
    if _vanishes(logs, constant):
        return 0
    digits = 40
    while True:
        with localcontext(Context(prec=digits)):
            terms = [Decimal(c) * Decimal(base).ln() for base, c in logs.items()] + [Decimal(constant)]
            total = sum(terms, Decimal(0))
            # each logarithm, product and sum is rounded by at most half a unit in its last digit
            slip = sum((abs(term) for term in terms), Decimal(0)) * (len(terms) + 4) * Decimal(10) ** (1 - digits)
        if abs(total) > slip:
            return 1 if total > 0 else -1
        digits *= 2


def _vanishes(logs: Logs, constant: int) -> bool:
    """Whether the sum is exactly 0. The logarithm of a rational other than 1 is irrational (Lindemann),
    so a constant cannot be cancelled; logarithms cancel if and only if the powers of every prime do. Primes need
    not be found for that: bases without common divisors have the same powers."""
    if constant != 0:
        return False
    powers: dict[int, int] = {}
    due = [(base, coefficient) for base, coefficient in logs.items() if base > 1]
    while due:
        base, power = due.pop()
        for other in list(powers):
            common = math.gcd(base, other)
            if common > 1:
                parts = [
                    (other // common, powers[other]),
                    (base // common, power),
                    (common, power + powers.pop(other)),
                ]
                due += [part for part in parts if part[0] > 1]
                break
        else:
            powers[base] = power
    return not any(powers.values())


def exact_floor(
    guess: NDArray[np.float64], slip: NDArray[np.float64] | float, reaches: Callable[[int, int], bool]
) -> NDArray[np.int64]:
    """Floor of numbers known up to a slip; `reaches(i, whole)` decides whether number i >= whole for
    the few that lie too near a whole number.

    >>> exact_floor(np.array([2.5, 2.9999999999999996]), 1e-9, lambda i, whole: True).tolist()
    [2, 3]
    """
    whole = np.floor(guess).astype(np.int64)
    nearest = np.rint(guess)
    near = np.abs(guess - nearest) <= slip
    for i in np.flatnonzero(near).tolist():
        candidate = int(nearest[i])
        whole[i] = candidate if reaches(i, candidate) else candidate - 1
    return whole


def log_ratio_reaches(top: int, bottom: int, bound: int, unit: int) -> bool:
    """Whether unit * ln(top / bottom) >= bound, for top >= bottom >= 1."""
    return bound <= 0 or sign({top: unit, bottom: -unit} if top != bottom else {}, -bound) >= 0


def entropy_reaches(counts: tuple[int, ...], bound: int, unit: int) -> bool:
    """Whether unit * exp(H) >= bound, H the entropy of some counts: n^n unit^n >= bound^n prod c^c.

    >>> entropy_reaches((4, 1, 1, 1, 1), 4, 1), entropy_reaches((4, 1, 1, 1, 2), 5, 1)
    (True, False)
    """
    common = math.gcd(*counts)
    counts = tuple(c // common for c in counts)
    n = sum(counts)
    return sign(_merged([(n, n), (unit, n), (bound, -n), *((c, -c) for c in counts)])) >= 0


def _merged(terms: list[tuple[int, int]]) -> Counter[int]:
    merged: Counter[int] = Counter()
    for base, coefficient in terms:
        merged[base] += coefficient
    return merged
