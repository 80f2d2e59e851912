"""Numbers on histograms: how many ways there are to give the rows of a group values with each histogram.

A histogram is a line of counts, one per value, of known sum and below a bound; `place` numbers it by mixed radix
over all values but the last. Numbers are residues, a column per prime (kernels/residues.py).
"""

import numpy as np
from numpy.typing import NDArray

from voile.kernels.compiled import kernel
from voile.kernels.residues import ADDS, reduce_sums

Numbers = NDArray[np.int64]
Residues = NDArray[np.uint64]


@kernel
def list_histograms(size: int, bound: Numbers, found: Numbers) -> int:
    """Count the histograms of a size below a bound, and list as many as `found` has room for, ascending."""
    values = bound.size
    rest = np.zeros(values + 1, np.int64)  # what later values can hold
    for v in range(values - 1, -1, -1):
        rest[v] = rest[v + 1] + bound[v]
    if size > rest[0]:
        return 0
    line = np.zeros(values, np.int64)
    due, v, number, fresh = size, 0, 0, True
    while True:
        if fresh:
            line[v] = max(0, due - rest[v + 1])
        else:
            due += line[v]
            line[v] += 1
        if line[v] > min(bound[v], due):
            fresh = False
            v -= 1
            if v < 0:
                return number
            continue
        due -= line[v]
        fresh = True
        if v + 1 < values:
            v += 1
            continue
        if number < found.shape[0]:
            found[number] = line
        number += 1
        fresh = False


@kernel
def multinomials(lines: Numbers, up: Residues, down: Residues, primes: Residues) -> Residues:
    """For each histogram, in how many ways its rows can have these values."""
    found = np.empty((lines.shape[0], primes.size), np.uint64)
    for i in range(lines.shape[0]):
        total = 0
        for v in range(lines.shape[1]):
            total += lines[i, v]
        for k in range(primes.size):
            number = up[total, k]
            for v in range(lines.shape[1]):
                number = number * down[lines[i, v], k] % primes[k]
            found[i, k] = number
    return found


@kernel
def _fits(a: Numbers, b: Numbers, bound: Numbers) -> bool:
    for v in range(bound.size):
        if a[v] + b[v] > bound[v]:
            return False
    return True


@kernel
def convolve(
    lines_a: Numbers,
    place_a: Numbers,
    number_a: Residues,
    lines_b: Numbers,
    place_b: Numbers,
    number_b: Residues,
    bound: Numbers,
    primes: Residues,
    out: Residues,
) -> None:
    """Of two groups together: out[place] = sum of products over pairs of histograms that add up to it."""
    for i in range(lines_a.shape[0]):
        if i % ADDS == ADDS - 1:
            reduce_sums(out, primes)
        for j in range(lines_b.shape[0]):
            if _fits(lines_a[i], lines_b[j], bound):
                place = place_a[i] + place_b[j]
                for k in range(primes.size):
                    out[place, k] += number_a[i, k] * number_b[j, k]
    reduce_sums(out, primes)


@kernel
def correlate(
    lines_a: Numbers,
    place_a: Numbers,
    lines_b: Numbers,
    place_b: Numbers,
    number_b: Residues,
    bound: Numbers,
    primes: Residues,
    whole: Residues,
) -> Residues:
    """For each histogram a: the sum over b of number_b times whole[a + b]."""
    found = np.zeros((lines_a.shape[0], primes.size), np.uint64)
    for i in range(lines_a.shape[0]):
        adds = 0
        for j in range(lines_b.shape[0]):
            if _fits(lines_a[i], lines_b[j], bound):
                place = place_a[i] + place_b[j]
                for k in range(primes.size):
                    found[i, k] += whole[place, k] * number_b[j, k]
                adds += 1
                if adds == ADDS:
                    adds = 0
                    for k in range(primes.size):
                        found[i, k] %= primes[k]
        for k in range(primes.size):
            found[i, k] %= primes[k]
    return found


@kernel
def remainders(lines: Numbers, place: Numbers, whole: Numbers, place_whole: int, other: Residues) -> Residues:
    """For each histogram a: other[whole - a], 0 where a does not fit into the whole."""
    found = np.zeros((lines.shape[0], other.shape[1]), np.uint64)
    for i in range(lines.shape[0]):
        fits = True
        for v in range(whole.size):
            if lines[i, v] > whole[v]:
                fits = False
        if fits:
            for k in range(other.shape[1]):
                found[i, k] = other[place_whole - place[i], k]
    return found


@kernel
def weighted_counts(lines: Numbers, number: Residues, outside: Residues, primes: Residues) -> Residues:
    """The sum of number times outside, and of that times the count of each value: a line for the first, then one
    per value."""
    found = np.zeros((lines.shape[1] + 1, primes.size), np.uint64)
    for i in range(lines.shape[0]):
        for k in range(primes.size):
            both = number[i, k] * outside[i, k] % primes[k]
            found[0, k] += both
            for v in range(lines.shape[1]):
                found[v + 1, k] += both * np.uint64(lines[i, v])
        if i % ADDS == ADDS - 1:
            reduce_sums(found, primes)
    reduce_sums(found, primes)
    return found


@kernel
def add_cell(
    lines_a: Numbers, place_a: Numbers, ways_a: NDArray[np.float64], lines_b: Numbers, place_b: Numbers,
    bound: Numbers, out: NDArray[np.float64],
) -> None:  # fmt: skip
    """In how many ways each histogram is one of a and one of b: a count that only estimates work."""
    for i in range(lines_a.shape[0]):
        for j in range(lines_b.shape[0]):
            if _fits(lines_a[i], lines_b[j], bound):
                out[place_a[i] + place_b[j]] += ways_a[i]
