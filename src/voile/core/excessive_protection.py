"""Excessive protection: how far below its (tau,l) line each group stays (Tian and Zhang 2009, Definition 8)."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.bags import Bag
from voile.kernels.frequency_line import distances_from_line


def excessive_protection(
    bag: Bag,
    sizes: NDArray[np.int64],
    tau: Fraction,
    l: int,  # noqa: E741 the paper's name
    values: int,
) -> NDArray[np.float64]:
    """Per group the sum over k = 1 .. values of |psi(k) - F(k)|: F(k) the share of the k most frequent values,
    psi(k) = tau + (1 - tau)(k - 1)/(l - 1) for k below l, 1 beyond. `values` is how many base values there are.

    Floats: they describe, and decide nothing. Where a person has several values, F stops at 1.

    >>> bag = Bag.of(np.array([0, 0, 0, 0, 1, 1, 1]), np.array([1, 1, 2, 3, 1, 2, 3]), 2)
    >>> excessive_protection(bag, np.array([4, 3]), Fraction(1, 2), 3, 4).round(4).tolist()
    [0.0, 0.25]
    """
    k = np.arange(min(l - 1, values))
    line = float(tau) + float(1 - tau) * k / (l - 1)
    distances: NDArray[np.float64] = distances_from_line(bag.start, bag.counts, sizes * bag.unit, line, values)
    return distances
