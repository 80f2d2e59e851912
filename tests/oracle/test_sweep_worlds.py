"""What a published node of SWEEP tells whoever knows the algorithm (facts/sweep.md B3): the positive control."""

from fractions import Fraction
from itertools import combinations_with_replacement

import pytest

from tests.oracle import subjects
from tests.oracle.possible_worlds import Node, bag_posterior, posteriors, worlds, worlds_with, worst_posterior

HALF = Fraction(1, 2)
ALONE = [[f"p{i}", "*"] for i in range(6)]
PAIRS = [[f"p{i}", f"pair {i // 2}", "*"] for i in range(6)]
FLAT = [["a", "*"], ["b", "*"], ["c", "*"]]
TREE = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]]
RAISED = ("first", "spread")


def sweep(places, secrets, tau=HALF, ell=2, raised="first"):
    table = subjects.with_taxonomies(places, secrets)
    return subjects.catalog_algorithm("sweep", table=table, tau=tau, l=ell, raised=raised)


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
    """The multisets of n values that some (1/2, 2) could be met for, the most frequent first."""
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
