"""`glass`, `symb` and `blind_cut` say just what a group's bag says, and merging their groups says no more
(docs/algorithms/glass.md, the theorem and step 5)."""

from fractions import Fraction
from functools import partial

import pytest

from tests.oracle import subjects
from tests.oracle.possible_worlds import count_vectors, posteriors, worst_given_outsiders, worst_posterior
from tests.oracle.telling import OF_TREES, vector

LOOSE = {"least": 1, "limit": Fraction(3, 5)}
RUNS = {
    "glass": {**LOOSE, "tau": Fraction(3, 4), "cuts": "middle", "match": "fast"},
    "symb": {"match": "fast"},
    "blind_cut": {**LOOSE, "tau": Fraction(1, 2)},
}
ATTACKS = {"glass": worst_posterior, "symb": worst_posterior, "blind_cut": worst_given_outsiders}
SIX = [(0, 0, 1, 1, 2, 2), (0, 0, 0, 1, 2, 3)]


def vectors(of_six):
    """Count vectors of four and five persons, and some of six."""
    tried = [*count_vectors(4, 2), *count_vectors(5, 2), *of_six]
    return [vector(2, values, few=5, caught_on=OF_TREES, id="".join(map(str, values))) for values in tried]


def algorithm(key, ell, also="", positions=subjects.POSITIONS):
    table = partial(subjects.table_of, positions=positions)
    return subjects.catalog_algorithm(key, also, table=table, l=ell, **RUNS[key])


@pytest.mark.parametrize("key", RUNS)
@pytest.mark.parametrize("ell, values", vectors(count_vectors(6, 2)))
def test_the_posterior_is_the_share_in_the_group(key, ell, values):
    """Not only at most 1/l: exactly what everybody can see."""
    for shown, people in posteriors(algorithm(key, ell), values).items():
        for group, bag in shown:
            for person in group:
                assert people[person] == {value: Fraction(1, len(bag)) for value in bag}


@pytest.mark.parametrize("key", RUNS)
@pytest.mark.parametrize("also", ["k>=3", "l>=3"])
@pytest.mark.parametrize("positions", [subjects.POSITIONS, subjects.OUTLIER], ids=["apart", "in one cell"])
@pytest.mark.parametrize("ell, values", vectors(SIX))
def test_merging_tells_nothing_about_the_own_l(key, also, positions, ell, values):
    """Groups in one cell of the curve are merged by their numbers, which are told by the tree and its plans."""
    assert ATTACKS[key](algorithm(key, ell, also, positions), values) <= Fraction(1, ell)
