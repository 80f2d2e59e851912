"""`glass`, `symb` and `blind_cut` as they are shipped, on every draw: nobody is known with more than 1/l.

Small tables are hardly ever cut with the settings of large ones, so that here parts may be of one row; persons
stand in shapes whose cuts are equal halves, one to two, and two to five (docs/facts/safety.md, section 3).
"""

from fractions import Fraction

import pytest

from tests.oracle import subjects
from tests.oracle.possible_worlds import count_vectors, worlds, worst_given_outsiders, worst_posterior
from tests.oracle.shapes import standing
from tests.oracle.small_runs import counted_children
from tests.oracle.telling import OF_TREES, vector

HALF, MOST, ONE = Fraction(1, 2), Fraction(3, 4), Fraction(1)
LIMIT = Fraction(3, 5)


def glass(shape, cuts, tau, match="fast", least=1, sure=0):
    shares = {"tau": tau, "limit": LIMIT, "sure": sure}
    return ("glass", shape, {"cuts": cuts, "match": match, "least": least, **shares})


def blind_cut(shape, tau, limit=LIMIT):
    return ("blind_cut", shape, {"tau": tau, "limit": limit, "least": 1})


def symb(shape, match="fast"):
    return ("symb", shape, {"match": match})


SUBJECTS = {  # by how many persons are tried, at most
    7: [glass("line", "middle", ONE), glass("two", "codes", MOST), blind_cut("crossing", HALF)],
    6: [
        glass("line", "middle", HALF),
        glass("line", "codes", MOST),
        glass("line", "middle", MOST, sure=LIMIT),
        glass("third", "codes", ONE),
        glass("third", "codes", HALF),
        glass("all but two", "codes", MOST),
        glass("all but two", "middle", ONE, least=2),
        glass("crossing", "middle", ONE),
        glass("line", "middle", ONE, "fine"),
        glass("third", "codes", MOST, "fine"),
        glass("crossing", "codes", HALF, "fine"),
        blind_cut("line", HALF),
        blind_cut("third", HALF),
        blind_cut("all but two", ONE),
        symb("line"),
        symb("line", "fine"),
        symb("crossing", "fine"),
    ],
    5: [
        glass("twins", "codes", ONE),
        glass("triplets", "codes", MOST),
        glass("twins", "middle", MOST, "fine"),
        blind_cut("twins", HALF),
        blind_cut("triplets", ONE),
        symb("twins"),
    ],
    4: [
        glass("alike", "middle", ONE),
        glass("alike", "codes", MOST, "fine"),
        blind_cut("alike", HALF),
        symb("alike"),
    ],
}
ATTACKED = {"glass": worst_posterior, "symb": worst_posterior, "blind_cut": worst_given_outsiders}


def shipped(subject, ell):
    key, shape, parameters = subject
    return subjects.catalog_algorithm(key, table=standing(shape), l=ell, **parameters)


def named(subject):
    key, shape, parameters = subject
    return "-".join([key, shape, *(str(parameters[p]) for p in ("cuts", "tau", "match") if p in parameters)])


def with_each_vector():
    """Every subject with every count vector; those of seven persons take half a minute."""
    for most, those in SUBJECTS.items():
        for subject in those:
            for ell in (2, 3):
                for n in range(ell, most + 1):
                    for values in count_vectors(n, ell):
                        name = f"{named(subject)}-{ell}-{''.join(map(str, values))}"
                        yield vector(subject, ell, values, few=4 if most == 7 else 2, caught_on=OF_TREES, id=name)


@pytest.mark.parametrize("subject, ell, values", list(with_each_vector()))
def test_no_count_vector_is_breached(subject, ell, values):
    assert ATTACKED[subject[0]](shipped(subject, ell), values) <= Fraction(1, ell)


@pytest.mark.slow
@pytest.mark.parametrize("subject", [s for n in (7, 6, 5) for s in SUBJECTS[n] if s[0] != "symb"], ids=named)
def test_trees_are_cut_and_skimmed(subject):
    """What holds is not held because nothing happens."""
    most = next(n for n, those in SUBJECTS.items() if subject in those)
    with counted_children() as found:
        for n in range(5, most + 1):
            for values in count_vectors(n, 2):
                for world in worlds(values)[:: len(worlds(values)) // 3 + 1]:
                    shipped(subject, 2)(world)
    assert found["cuts"] > 0
    assert (found["skims"] > 0) == ((subject[2]["tau"] < 1 and most > 5) or subject[2]["tau"] == MOST)


def test_rows_that_are_all_alike_are_cut_along_the_curve_or_not_at_all():
    for subject, cut in ((blind_cut("alike", HALF), True), (glass("alike", "middle", ONE), False)):
        with counted_children() as found:
            shipped(subject, 2)((0, 1, 2, 3))
        assert (found["cuts"] > 0) == cut


PAIRS = [
    ((0, 0), (1, 1), (2, 2), (3, 3)),
    ((0, 0), (0, 1), (1, 2), (2, 2)),
    ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4)),
    ((0, 0), (0, 1), (1, 1), (1, 2), (2, 0)),
    ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5)),
    ((0, 0), (0, 1), (1, 0), (1, 2), (2, 1), (2, 2)),
    ((0, 0), (0, 0), (1, 1), (1, 2), (2, 1), (2, 3)),
    ((0, 0), (0, 1), (1, 2), (2, 3), (3, 4), (4, 5)),
]
SKIMMED = PAIRS[-1]


@pytest.mark.parametrize("pairs", [pytest.param(p, marks=[pytest.mark.slow] if len(p) > 4 else []) for p in PAIRS])
def test_two_sensitive_columns_keep_the_strong_rung(pairs):
    blind = subjects.catalog_algorithm("blind_cut", l=2, least=1, table=subjects.two_columns)
    with counted_children() as found:
        for column in range(2):
            assert worst_given_outsiders(blind, pairs, lambda pair, c=column: pair[c]) <= HALF
    different = min(len({pair[column] for pair in pairs}) for column in range(2))
    assert (found["cuts"] > 0) == (different == len(pairs) or pairs is SKIMMED)
    assert (found["skims"] > 0) == (pairs is SKIMMED)


@pytest.mark.slow
@pytest.mark.parametrize("key, attack", [("blind_cut", worst_given_outsiders), ("glass", worst_posterior)])
@pytest.mark.parametrize(
    "subject, values",
    [((0, 0, 1, 2, 3), (0, 1, 2, 3, 4)), ((0, 0, 1, 2, 3, 4, 5), (0, 1, 2, 3, 4, 5, 6))],
    ids=str,
)
def test_layers_keep_the_rung(key, attack, subject, values):
    """Rows of one person never meet; each layer has a tree of its own, that of four rows is cut."""
    parameters = {"l": 2, "least": 1, "tau": MOST, "limit": LIMIT}
    if key == "glass":
        parameters |= {"cuts": "middle", "match": "fast", "sure": 0}
    algorithm = subjects.catalog_algorithm(key, table=subjects.rows_of_persons(subject), **parameters)
    with counted_children() as found:
        assert attack(algorithm, values) <= HALF
    assert (found["cuts"] > 0) == (len(values) == 7)
    published = [groups for world in worlds(values)[::40] for groups in algorithm(world)]
    apart = all(len({subject[row] for row in group}) == len(group) for groups in published for group in groups)
    assert apart
