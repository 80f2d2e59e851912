"""How persons stand, so that trees over them are cut in different ways: in halves, one to two, two to five.

A person is found by the first column; twins, who look alike, by what they have.
"""

from fractions import Fraction

import numpy as np

from tests.oracle.subjects import POSITIONS
from tests.small_tables import axis_of
from voile.core.hierarchy import Hierarchy
from voile.core.schema import Role
from voile.core.table import Column, Table

SLIGHT = Fraction(1, 1000)  # of a column that is cut only where the others are constant
CROSSING = (4, 0, 6, 2, 5, 1, 3)


def line(n):
    """Everybody somewhere else."""
    return [(POSITIONS[:n], Fraction(1))]


def sides(left):
    """So many persons on one side, the others on the other, and their places hardly count."""
    return lambda n: [(POSITIONS[:n], SLIGHT), ([int(p >= left(n)) for p in range(n)], Fraction(1))]


def crossing(n):
    """Two columns, in different orders."""
    return [(POSITIONS[:n], Fraction(1)), (CROSSING[:n], Fraction(3, 2))]


def twins(n):
    """The first two look alike, and another two."""
    return [((0, 0, 5, 5, 9, 12, 20)[:n], Fraction(1))]


def triplets(n):
    """The first three look alike."""
    return [((0, 0, 0, 7, 9, 12, 20)[:n], Fraction(1))]


def alike(n):
    """Nobody can be told from anybody else."""
    return [((3,) * n, Fraction(1))]


SHAPES = {
    "line": line,
    "third": sides(lambda n: n // 3),
    "halves": sides(lambda n: n // 2),
    "two": sides(lambda n: 2),
    "all but two": sides(lambda n: n - 2),
    "bits": lambda n: [([int(p >= n // 2) for p in range(n)], Fraction(1))],
    "crossing": crossing,
    "twins": twins,
    "triplets": triplets,
    "alike": alike,
}


def standing(shape):
    """Tables of worlds whose persons stand in a shape."""

    def table(world):
        columns = [
            Column(f"q{i}", Role.QUASI_IDENTIFYING, axis_of(codes), np.array(codes), weight)
            for i, (codes, weight) in enumerate(SHAPES[shape](len(world)))
        ]
        labels = Hierarchy.flat([f"s{v}" for v in range(max(world) + 1)])
        return Table([*columns, Column("secret", Role.SENSITIVE, labels, np.array(world))])

    return table
