"""What a reader of a k-jump release knows who thinks of every world: safe and jump hold, naive and secret choice
are broken, and disclosing nothing is scored apart (docs/facts/k_jump.md, erratum 7)."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from tests.oracle import k_jump_literal as literal
from tests.oracle.possible_worlds import (
    canonical,
    certain,
    count_vectors,
    posteriors,
    publication,
    weighed_worlds,
    worst_posterior,
)
from tests.oracle.small_searches import NIGHTLY, SEEDS, SEQUENCES, groups_of, searches
from tests.oracle.subjects import SEARCHED, searching
from tests.oracle.verdicts import SEARCHES, subject_of
from tests.theory.liu_et_al import partition, strategy_of
from voile.core.generalizations import Generalizations
from voile.theory.evaluation import disclosure_set
from voile.theory.partitions import set_partitions
from voile.theory.set_properties import Distinct, HighestRatio
from voile.theory.worlds import worlds

HALF = Fraction(1, 2)
TABLES = [(0, 0, 1, 1), (0, 0, 1, 2), (0, 0, 1, 1, 2), (0, 0, 1, 2, 3), (0, 0, 0, 1, 1, 2)]


@pytest.mark.slow
@pytest.mark.parametrize("name", SEARCHES)
def test_nobody_is_known_better_than_delta(name):
    assert all(worst_posterior(SEARCHES[name](2), values) <= HALF for values in TABLES)


def everybody(subject, values):
    """Every person of every publication: how often each value occurs among its worlds, and the group's size."""
    for shown, kept in weighed_worlds(subject, values).items():
        size = {person: len(group) for group, _ in shown for person in group}
        for person, counts in enumerate(literal.persons([world for world, _ in kept])):
            yield list(counts.values()), size[person]


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["safe", "jump"])
@pytest.mark.parametrize(
    "given, p",
    [
        ({"property": "distinct", "l": 2}, literal.distinct(2)),
        ({"property": "recursive", "c": 2, "l": 2}, literal.recursive(2, 2)),
        ({"property": "entropy", "l": "3/2"}, literal.entropy(Fraction(3, 2))),
    ],
    ids=["distinct", "recursive", "entropy"],
)
def test_every_other_property_holds_too(given, p, strategy):
    subject = searching("k_jump", strategy=strategy, **given)
    for values in TABLES[:4]:
        people = list(everybody(subject, values))
        assert people
        assert all(p(*person) for person in people)


@pytest.mark.slow
def test_naive_is_broken():
    """The smallest: five persons a a b c d, whom ABC|DE failed; then AB|CDE tells that C has a."""
    naive = searching("k_jump", l=2, strategy="naive")
    assert all(worst_posterior(naive, values) <= HALF for values in TABLES[:3])
    assert worst_posterior(naive, (0, 0, 1, 2, 3)) == 1
    assert worst_posterior(searching("k_jump", l=2, strategy="safe"), (0, 0, 1, 2, 3)) <= HALF


def test_secret_choice_is_broken():
    """The same five persons: whoever does not know the subset still knows C's value at three in five. That is the
    likelihood-weighted posterior, not the paper's average."""
    values, p = (0, 0, 1, 2, 3), literal.max_ratio(HALF)
    chosen = literal.SecretChoice([partition(text) for text in SEARCHED[5]], p)
    told = posteriors(subject_of("secret_choice", 2), values)
    t = (0, 1, 0, 2, 3)
    shown = (((0, 1), (0, 1)), ((2, 3, 4), (0, 2, 3)))
    assert told[shown][2][0] == chosen.posterior(2, t, 2, 0) == Fraction(3, 5)
    assert chosen.uniform_average(2, t, 2, 0) > HALF
    for shown, people in told.items():  # everything else, too
        functions = [p for p in chosen.functions if canonical(p) == tuple(group for group, _ in shown)]
        i = 1 + chosen.functions.index(functions[0])
        t = next(world for world in worlds(values) if publication(canonical(functions[0]), world) == shown)
        for row, shares in enumerate(people):
            assert all(chosen.posterior(i, t, row, value) == share for value, share in shares.items())


@settings(max_examples=60 * NIGHTLY, phases=SEEDS)
@given(searches(SEQUENCES["straddling"], largest=7, most=700))
def test_every_world_of_a_random_search(searched):
    """Whatever safe and jump disclose has the property among the worlds for which the same is disclosed."""
    found, t = searched.literal()

    def disclosed(world):
        outcome = found.path(world)[1]
        return None if outcome is None else groups_of(searched.labels[outcome - 1])

    if searched.kind != "naive":
        assert all(found.p(*person) for person in everybody(certain(disclosed), t))


def without_singletons(n):
    """Functions that can pass."""
    return [p for p in set_partitions(n) if all(len(group) > 1 for group in p)]


def nothing(functions, p, values):
    """The tables that end in nothing, if the whole table has the property; and whether they have it."""
    found = literal.Search(functions, p, "jump", 1)
    tables = found.ds(found.n + 1, values) if found.p_per(found.n + 1, values) else ()
    return tables, found.p_of(found.n + 1, tables)


def ends(p, n, length):
    """How often nothing is disclosed of some table, over all sequences and counts, and how often that tells more
    than the property allows."""
    found = [
        nothing(functions, p, values)
        for functions in product(without_singletons(n), repeat=length)
        for values in count_vectors(n, 2)
    ]
    return sum(bool(tables) for tables, _ in found), sum(bool(tables) and not holds for tables, holds in found)


@pytest.mark.slow
def test_how_often_nothing_tells_too_much():
    """Erratum 7, for a property that the whole table has, over all sequences: of four persons never; of five, with
    two functions, in 60 of 200 for the ratio, and even with one function for distinct values."""
    ratio, distinct = literal.max_ratio(HALF), literal.distinct(2)
    assert [ends(ratio, 4, length)[1] for length in (1, 2, 3)] == [0, 0, 0]
    assert [ends(distinct, 4, length)[1] for length in (1, 2, 3)] == [0, 0, 0]
    assert [ends(ratio, 5, 1), ends(ratio, 5, 2)] == [(20, 0), (200, 60)]
    assert ends(distinct, 5, 1) == (20, 10)


@pytest.mark.parametrize(
    "functions, values, wanted, size, highest",
    [
        (["ABC|DE"], (0, 0, 1, 2, 3), Distinct(2), 6, 1),
        (["ABC|DE", "ABD|CE"], (0, 0, 1, 1, 2), HighestRatio(HALF), 10, Fraction(3, 5)),
    ],
    ids=["one function", "two functions"],
)
@pytest.mark.parametrize("kind", ["safe", "jump"])
def test_smallest_tables_of_which_nothing_tells_too_much(functions, values, wanted, size, highest, kind):
    """D and E both have the value that comes twice; and a person is known at three in five."""
    sequence = Generalizations.of_groups([partition(text) for text in functions], 5)
    strategy = strategy_of(kind, 1, len(functions))
    found = disclosure_set(sequence, np.array(values), wanted, strategy, len(functions) + 1)
    assert (found.size, found.highest, found.holds) == (size, highest, False)
