"""What a published node of SWEEP tells whoever knows the algorithm (docs/facts/sweep.md B3): the positive control.
And what SWEEP-E keeps, and does not keep, of its word."""

from fractions import Fraction
from itertools import combinations_with_replacement

import pytest

from tests.oracle import subjects
from tests.oracle.possible_worlds import (
    Generalised,
    Node,
    bag_posterior,
    counted,
    posteriors,
    publication,
    worlds,
    worlds_with,
    worst_posterior,
)
from tests.oracle.sweep_literal import Requirement
from tests.oracle.verdicts import subject_of

HALF = Fraction(1, 2)
ALONE = [[f"p{i}", "*"] for i in range(6)]
PAIRS = [[f"p{i}", f"pair {i // 2}", "*"] for i in range(6)]
FLAT = [["a", "*"], ["b", "*"], ["c", "*"]]
TREE = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]]
RAISED = ("first", "spread")


def sweep(places, secrets, tau=HALF, ell=2, **options):
    table = subjects.with_taxonomies(places, secrets)
    return subjects.catalog_algorithm("sweep", table=table, tau=tau, l=ell, **options)


def sweep_e(places, secrets, tau=HALF, ell=2):
    table = subjects.with_taxonomies(places, secrets)
    return subjects.catalog_algorithm("sweep_e", table=table, tau=tau, l=ell)


def told(algorithm, values, possible=worlds):
    """The most that is known of a person whose published value is surely not the true one, and where."""
    found = (Fraction(0), None)
    for shown, people in posteriors(algorithm, values, possible).items():
        for group, bag in shown:
            if all(isinstance(node, Node) and len(node.induced) > 1 for node in bag):
                best = max((share, shown) for person in group for share in people[person].values())
                found = max(found, best, key=lambda pair: pair[0])
    return found


def tables(n, values=3):
    """All multisets of n values, except of one value alone."""
    return [v for v in combinations_with_replacement(range(values), n) if len(set(v)) > 1]


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize("secrets", [FLAT, TREE], ids=["flat", "tree"])
@pytest.mark.parametrize("places", [ALONE, PAIRS], ids=["alone", "pairs"])
def test_a_reader_who_does_not_think_is_held_off(places, secrets, raised):
    algorithm = sweep(places, secrets, raised=raised)
    assert all(bag_posterior(algorithm, values) <= HALF for n in (2, 3, 4) for values in tables(n))


@pytest.mark.parametrize("raised", RAISED)
def test_smallest_table_that_tells_a_raised_value(raised):
    """Three persons, a a b: one a is published as * and alone, and is a: nothing else is ever raised."""
    algorithm = sweep(ALONE, FLAT, raised=raised)
    assert all(worst_posterior(algorithm, values) <= HALF for values in tables(2))
    share, shown = told(algorithm, (0, 0, 1))
    assert share == 1
    assert sorted(len(group) for group, _ in shown) == [1, 2]


@pytest.mark.parametrize("raised", RAISED)
def test_smallest_table_that_is_itself_diverse(raised):
    """Three persons, a b c, two of them in one place: beforehand everything has 1/3; the third person, raised
    because nobody is left to share a class with, is told."""
    assert all(told(sweep(ALONE, FLAT, raised=raised), values)[0] == 0 for values in [(0, 1), (0, 1, 2)])
    share, shown = told(sweep(PAIRS, FLAT, raised=raised), (0, 1, 2))
    assert (share, [group for group, _ in shown]) == (1, [(0, 1), (2,)])


@pytest.mark.parametrize("raised", RAISED)
@pytest.mark.parametrize("secrets", [FLAT, TREE], ids=["flat", "tree"])
def test_the_counts_need_not_be_known(secrets, raised):
    """Five persons, a a a b c: beside {a, a, b, c} a * is the dominant value, since no other is ever raised."""
    share, shown = told(sweep(ALONE, secrets, raised=raised), (0, 0, 0, 1, 2), worlds_with)
    assert share == 1
    assert sorted(len(group) for group, _ in shown) == [1, 4]


def keeps(requirement, bag):
    return requirement.holds(counted(bag))


@pytest.mark.slow
@pytest.mark.parametrize("tau, ell", [(HALF, 2), (HALF, 3), (Fraction(2, 5), 3), (Fraction(1, 3), 3)], ids=str)
@pytest.mark.parametrize("places", [ALONE, PAIRS], ids=["alone", "pairs"])
def test_sweep_e_keeps_the_line_on_true_values(places, tau, ell):
    """Whenever the table itself keeps it; else one cut is published, and the line is kept by what that induces."""
    requirement, algorithm = Requirement(tau, ell), sweep_e(places, TREE, tau, ell)
    for values in (v for n in range(2, 6) for v in tables(n)):
        for world in worlds(values):
            (published,) = algorithm(world)
            if published is None:
                assert not keeps(requirement, values) and len(set(values)) < max(ell, 1 / tau)
                continue
            assert isinstance(published, Generalised) != keeps(requirement, values)
            assert all(keeps(requirement, bag) for _, bag in publication(published, world))


def test_one_class_for_all_tells_that_no_smaller_one_was_diverse():
    """Four persons on the line, a a b c: had the first two differed, they would be a class of their own."""
    everybody = (((0, 1, 2, 3), (0, 0, 1, 2)),)
    people = posteriors(subject_of("sweep", 2), (0, 0, 1, 2))[everybody]
    assert people[:2] == [{0: 1}, {0: 1}]


@pytest.mark.slow
@pytest.mark.parametrize("places", [ALONE, PAIRS], ids=["alone", "pairs"])
def test_smallest_table_of_one_column_on_which_sweep_e_is_broken(places):
    """Five persons, a a b b c; up to four persons the groups of different values are symmetric."""
    diverse = [v for n in range(2, 6) for v in tables(n) if keeps(Requirement(HALF, 2), v)]
    broken = [
        (values, found) for values in diverse if (found := worst_posterior(sweep_e(places, FLAT), values)) > HALF
    ]
    assert broken[0] == ((0, 0, 1, 1, 2), 1)


def test_one_cut_tells_no_more_than_the_counts():
    """Three persons, a a b: SWEEP tells who has a; one cut for the whole table leaves everybody at 2/3."""
    assert worst_posterior(sweep(ALONE, FLAT), (0, 0, 1)) == 1
    assert worst_posterior(sweep_e(ALONE, FLAT), (0, 0, 1)) == Fraction(2, 3)
