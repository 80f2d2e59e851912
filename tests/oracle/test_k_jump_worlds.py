"""What a reader of a k-jump release knows who thinks of every world: safe and jump hold, naive and secret choice
are broken, and disclosing nothing is scored apart (facts/k_jump.md, erratum 7)."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings

from tests.oracle import k_jump_literal as literal
from tests.oracle.possible_worlds import certain, count_vectors, posteriors, weighed_worlds, worst_posterior
from tests.oracle.small_searches import NIGHTLY, SEEDS, SEQUENCES, groups_of, searches
from tests.theory.paper_004 import partition, strategy_of
from voile.core.generalizations import Generalizations
from voile.theory.evaluation import disclosure_set, evaluate
from voile.theory.partitions import set_partitions
from voile.theory.set_properties import Distinct, Entropy, HighestRatio, Recursive
from voile.theory.worlds import worlds

HALF = Fraction(1, 2)
CUTS = {
    4: ["AB|CD", "ABC|D", "ABCD"],
    5: ["ABC|DE", "AB|CDE", "ABCDE"],
    6: ["AB|CD|EF", "ABC|DEF", "ABCD|EF", "ABCDEF"],  # Table 1 of the paper, and everybody
}
TABLES = [(0, 0, 1, 1), (0, 0, 1, 2), (0, 0, 1, 1, 2), (0, 0, 1, 2, 3), (0, 0, 0, 1, 1, 2), (0, 0, 1, 1, 2, 2)]


def search(wanted, kind, k=1, functions=CUTS):
    """The product's evaluation as a subject of the oracle: what is disclosed of a world."""

    def groups(world):
        chosen = [partition(text) for text in functions[len(world)]]
        sequence = Generalizations.of_groups(chosen, len(world))
        outcome = evaluate(sequence, np.array(world), wanted, strategy_of(kind, k, len(chosen))).outcome
        return None if outcome is None else chosen[outcome - 1]

    return certain(groups)


def secret_choice(wanted, functions=CUTS):
    """Naive over every subset of at least two functions, each as likely as the others."""

    def of(world):
        texts, found = functions[len(world)], {}
        subsets = [s for size in range(2, len(texts) + 1) for s in combinations(texts, size)]
        for subset in subsets:
            ((shown, _),) = search(wanted, "naive", functions={len(world): subset})(world).items()
            found[shown] = found.get(shown, 0) + Fraction(1, len(subsets))
        return found

    return of


@pytest.mark.parametrize("kind, k", [("safe", 1), ("jump", 1), ("jump", 2)])
def test_nobody_is_known_better_than_delta(kind, k):
    subject = search(HighestRatio(HALF), kind, k)
    assert all(worst_posterior(subject, values) <= HALF for values in (TABLES if k == 2 else TABLES[:5]))


def everybody(subject, values):
    """Every person of every publication: how often each value occurs among its worlds, and the group's size."""
    for shown, kept in weighed_worlds(subject, values).items():
        size = {person: len(group) for group, _ in shown for person in group}
        for person, counts in enumerate(literal.persons([world for world, _ in kept])):
            yield list(counts.values()), size[person]


@pytest.mark.parametrize("kind", ["safe", "jump"])
@pytest.mark.parametrize("wanted", [Distinct(2), Recursive(Fraction(2), 2), Entropy(Fraction(3, 2))], ids=str)
def test_every_other_property_holds_too(wanted, kind):
    for values in TABLES[:4]:
        assert all(wanted.holds(*person) for person in everybody(search(wanted, kind), values))


def test_naive_is_broken():
    """The smallest: five persons a a b c d, whom ABC|DE failed; then AB|CDE tells that C has a."""
    naive = search(HighestRatio(HALF), "naive")
    assert all(worst_posterior(naive, values) <= HALF for values in TABLES[:2])
    assert worst_posterior(naive, (0, 0, 1, 2, 3)) == 1
    assert worst_posterior(search(HighestRatio(HALF), "safe"), (0, 0, 1, 2, 3)) <= HALF


def test_secret_choice_is_broken():
    """The same five persons: whoever does not know the subset still knows more of C than half."""
    secret = secret_choice(HighestRatio(HALF))
    assert all(worst_posterior(secret, values) <= HALF for values in TABLES[:2])
    assert worst_posterior(secret, (0, 0, 1, 2, 3)) > HALF


def test_secret_choice_is_what_the_literal_says():
    """The oracle's posterior is the likelihood-weighted one, not the paper's average."""
    functions = [partition(text) for text in CUTS[5]]
    chosen = literal.SecretChoice(functions, literal.max_ratio(HALF))
    told = posteriors(secret_choice(HighestRatio(HALF)), (0, 0, 1, 2, 3))
    for t in worlds((0, 0, 1, 2, 3)):
        if literal.max_ratio(HALF)([t[:2].count(0), t[:2].count(1), 1], 2) and t[:2].count(0) == 1:
            shown = (((0, 1), tuple(sorted(t[:2]))), ((2, 3, 4), tuple(sorted(t[2:]))))
            assert told[shown][2][0] == chosen.posterior(2, t, 2, 0) > HALF
            assert chosen.uniform_average(2, t, 2, 0) > HALF


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
