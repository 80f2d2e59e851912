"""Whole numbers of any size as residues modulo several primes (Garner's mixed-radix conversion).

Primes are below 2^28, so that 256 products fit into 64 bits before anything must be reduced.
"""

import numpy as np
from numpy.typing import NDArray

from voile.kernels.compiled import kernel

ADDS = 240  # products that are added up before a sum is reduced


@kernel
def sign_of(
    residues: NDArray[np.uint64],
    primes: NDArray[np.uint64],
    inverse: NDArray[np.uint64],
    half: NDArray[np.uint64],
    digits: NDArray[np.uint64],
) -> int:
    """Sign of the whole number x with |x| < M / 2, M the product of the primes: exact.

    inverse[k, i] is 1 / primes[i] modulo primes[k], half the mixed-radix digits of M // 2; digits is room to work.
    """
    zero = True
    for k in range(primes.size):
        if residues[k] != 0:
            zero = False
    if zero:
        return 0
    for k in range(primes.size):
        p = primes[k]
        digit = residues[k]
        for i in range(k):
            digit = (digit + p - digits[i] % p) % p * inverse[k, i] % p
        digits[k] = digit
    for k in range(primes.size - 1, -1, -1):
        if digits[k] != half[k]:
            return 1 if digits[k] < half[k] else -1
    return 1


@kernel
def reduce_sums(sums: NDArray[np.uint64], primes: NDArray[np.uint64]) -> None:
    """Reduce sums[:, k] modulo primes[k]."""
    for i in range(sums.shape[0]):
        for k in range(primes.size):
            sums[i, k] %= primes[k]
