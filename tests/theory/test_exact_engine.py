"""The parts of the exact engine of k-jump against enumeration; the whole: tests/oracle/test_k_jump_literal.py."""

from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voile.core.generalizations import Generalizations, refines
from voile.errors import BeyondReach
from voile.kernels.contingency import list_matrices
from voile.kernels.residues import sign_of
from voile.theory.costs import Costs, affordable, require_affordable
from voile.theory.disclosure_sweep import DisclosureSweep
from voile.theory.evaluation import disclosure_set, evaluate, permutation_set
from voile.theory.group_trees import PassingCounts, tree_of
from voile.theory.residues import Residues, primes_below
from voile.theory.search_plan import looks_alike, plan_for
from voile.theory.set_properties import CrowdSize, Distinct, Entropy, HighestRatio, Recursive
from voile.theory.strategies import Strategy
from voile.theory.worlds import worlds

HALF = HighestRatio(Fraction(1, 2))
PROPERTIES = [HALF, HighestRatio(Fraction(3, 5)), Distinct(2), Recursive(Fraction(2), 2), Entropy(Fraction(3, 2))]


@given(st.integers(-(10**40), 10**40))
def test_signs_are_exact(number):
    system = Residues.for_numbers_up_to(10**40)
    digits = np.zeros(system.length, np.uint64)
    found = sign_of(system.of(number), system.primes, system.inverse, system.half, digits)
    assert found == (number > 0) - (number < 0)
    assert system.whole(system.of(number)[None, :]) == [number]


def test_signs_next_to_nothing():
    system = Residues.for_numbers_up_to(10**40)
    digits = np.zeros(system.length, np.uint64)
    for number in (-(10**40), -1, 0, 1, 10**40):
        found = sign_of(system.of(number), system.primes, system.inverse, system.half, digits)
        assert found == (number > 0) - (number < 0)


def test_primes_are_prime():
    for p in primes_below(40):
        assert p < 2**28
        assert all(p % divisor for divisor in range(3, int(p**0.5) + 1, 2))


def matrices_by_enumeration(sizes, component, margins, alike):
    """Distinct matrices up to the order of interchangeable columns."""
    rows = [[r for r in product(range(size + 1), repeat=margins.shape[1]) if sum(r) == size] for size in sizes]
    kind = np.cumsum(~alike)
    found = set()
    for lines in product(*rows):
        matrix = np.array(lines)
        if all((matrix[component == q].sum(axis=0) == margins[q]).all() for q in range(len(margins))):
            columns = sorted((int(kind[v]), tuple(matrix[:, v].tolist())) for v in range(margins.shape[1]))
            found.add(tuple(columns))
    return found


@pytest.mark.slow
@settings(max_examples=60)
@given(st.data())
def test_matrices_are_listed_once(data):
    sizes = data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    component = np.sort(data.draw(st.lists(st.integers(0, 1), min_size=len(sizes), max_size=len(sizes))))
    component = np.unique(component, return_inverse=True)[1]
    values = data.draw(st.integers(1, 4))
    margins = np.zeros((int(component.max()) + 1, values), np.int64)
    for c, size in enumerate(sizes):
        for _ in range(size):
            margins[component[c], data.draw(st.integers(0, values - 1))] += 1
    margins = margins[:, np.lexsort(margins)]
    alike = np.append(False, (margins[:, 1:] == margins[:, :-1]).all(axis=0))
    expected = matrices_by_enumeration(sizes, component, margins, alike)
    stride = np.array([[5**v for v in range(values)]] * len(sizes))
    found = np.empty((len(expected) + 5, len(sizes)), np.int64)
    number = list_matrices(np.array(sizes), component, margins, alike, stride, found, 10**6)
    kind = np.cumsum(~alike)
    listed = set()
    for places in found[:number]:
        columns = [tuple(int(place) // 5**v % 5 for place in places) for v in range(values)]
        listed.add(tuple(sorted((int(kind[v]), columns[v]) for v in range(values))))
    assert number == len(expected)
    assert listed == expected


@settings(max_examples=40)
@given(st.data())
@pytest.mark.parametrize("wanted", PROPERTIES, ids=repr)
def test_passing_counts_equal_enumeration(wanted, data):
    rows = data.draw(st.integers(2, 6))
    fine = np.array(data.draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows)))
    onto = np.array(data.draw(st.lists(st.integers(0, 1), min_size=4, max_size=4)))
    functions = [fine, onto[fine]]
    shape, kinds = tree_of(np.arange(rows), functions)
    if not shape.parts:
        return
    table = sorted(data.draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows)))
    whole = np.bincount(table, minlength=3)
    passing = [
        world
        for world in worlds(tuple(table))
        if all(
            wanted.holds_in(np.array([np.bincount(np.array(world)[f == g], minlength=3)]))[0]
            for f in functions
            for g in np.unique(f)
            if (f == g).sum() < rows
        )
    ]
    system = Residues.for_numbers_up_to(10**6)
    total, persons = PassingCounts(shape, np.maximum(whole, 1), wanted, system).of(whole)
    assert system.whole(total[None, :]) == [len(passing)]
    for row in range(rows):
        counts = [sum(world[row] == v for world in passing) for v in range(3)]
        assert system.whole(persons[kinds[row]]) == counts


@settings(max_examples=80)
@given(st.data())
@pytest.mark.parametrize("wanted", [*PROPERTIES, CrowdSize(3)], ids=repr)
def test_properties_survive_merging(wanted, data):
    """What the plan relies on: who fails a function fails all that refine it."""
    one, other = (np.array(data.draw(st.lists(st.integers(0, 6), min_size=4, max_size=4))) for _ in range(2))
    if one.sum() and other.sum():
        both = wanted.holds_in(np.array([one, other]))
        assert not both.all() or wanted.holds_in(np.array([one + other]))[0]


@pytest.mark.parametrize("wanted", PROPERTIES, ids=repr)
def test_transitivity_lemma(wanted):
    """Where all rows of a group look alike, the disclosure set is as good as the permutation set."""
    tree = (np.arange(8) // 2, np.arange(8) // 4, np.zeros(8, np.int64))
    sequence = Generalizations(tree)
    assert [looks_alike(tree[:i]) for i in (1, 2, 3)] == [True, True, True]
    for table in ((0, 0, 0, 1, 1, 1, 2, 2), (0, 0, 1, 1, 0, 0, 1, 2), (0, 1, 2, 0, 0, 0, 1, 1)):
        for i in (2, 3):
            values = np.array(table)
            left = disclosure_set(sequence, values, wanted, Strategy.jump(1, 3), i)
            if left.size:
                assert left.holds == permutation_set(sequence, values, wanted, i).holds


def test_uneven_and_crossing_functions_do_not_look_alike():
    whole = np.zeros(4, np.int64)
    assert not looks_alike((np.array([0, 0, 0, 1]), whole))
    assert not looks_alike((np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), whole))
    pairs, fours = np.arange(8) // 2, np.arange(8) // 4
    between = np.where(np.arange(8) < 4, 0, pairs)  # cuts one half and not the other
    assert not looks_alike((pairs, between, fours, np.zeros(8, np.int64)))
    assert looks_alike((whole, np.array([0, 0, 1, 1])))  # a coarser function does not tell rows apart


def uneven_tree(rows):
    """A chain of four nested cuts of a line."""
    leaf = np.searchsorted([rows // 6, rows // 4, rows // 2, 2 * rows // 3], np.arange(rows), side="right")
    return Generalizations((leaf, np.minimum(leaf, 3), np.minimum(leaf, 1), np.zeros(rows, np.int64)))


def test_needed_sets_are_those_from_which_tables_arrive():
    sequence = uneven_tree(12)
    assert plan_for(sequence, HALF, Strategy.jump(1, 4), 4).needed == (2, 3)
    assert plan_for(sequence, HALF, Strategy.jump([1, 2, 4, 1], 4), 4).needed == (2,)
    assert plan_for(sequence, HALF, Strategy.jump(4, 4), 4).needed == ()
    assert plan_for(sequence, HALF, Strategy.jump(4, 4), 5).needed == (2, 3, 4)
    assert plan_for(sequence, HALF, Strategy.naive(4), 4).needed == ()
    assert plan_for(sequence, CrowdSize(2), Strategy.safe(4), 4).needed == ()


def test_only_the_coarsest_function_is_tested_in_a_chain():
    plan = plan_for(uneven_tree(12), HALF, Strategy.jump(4, 4), 4)
    assert plan.tested == (3,)
    assert plan.sizes.tolist() == [12]


@settings(max_examples=40)
@given(st.data())
def test_costs_bound_every_table_of_these_frequencies(data):
    rows = data.draw(st.integers(2, 7))
    functions = [np.array(data.draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))) for _ in range(3)]
    if data.draw(st.booleans()):
        functions[1] = functions[0] // 2
        functions[2] = functions[1] * 0
    sequence = Generalizations(tuple(functions))
    values = np.array(data.draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows)))
    strategy = Strategy.jump(data.draw(st.lists(st.integers(1, 3), min_size=3, max_size=3)), 3)
    costs = Costs(sequence, np.bincount(values), HALF)
    for target in (2, 3, 4):
        plan, most = plan_for(sequence, HALF, strategy, target), costs.of(strategy, target).matrices
        assert len(DisclosureSweep(plan, values, HALF, 10**6).matrices) <= most


def test_costs_bound_the_numbers_held_whatever_is_frequent_where():
    """A value that fills a small component must not be the one by which no histogram is numbered."""
    sequence = Generalizations((np.array([0, 1] + [2] * 20 + [3] * 40), np.array([0, 0] + [1] * 60)))
    values = np.array([0] * 2 + [1] * 25 + [2] * 20 + [3] * 15)
    costs, jump = Costs(sequence, np.bincount(values), HALF), Strategy.jump(1, 2)
    sweep = DisclosureSweep(costs.plan(jump, 2), values, HALF, 1)
    places = int(np.prod(np.minimum(60, sweep.margins.counts[1, :-1]) + 1)) * sweep.system.length
    assert places <= costs.of(jump, 2).numbers


def test_costs_count_every_set_of_functions_that_is_summed_over():
    """Six functions that each cut a block of their own: 64 terms, each with its tree."""
    rows, works = np.arange(48), []
    for n in (1, 6):
        blocks = tuple(2 * (rows // 8) + ((rows // 8 == i) & (rows % 8 > 4)) for i in range(n))
        costs = Costs(Generalizations((*blocks, 0 * rows)), np.array([10, 12, 12, 14]), HALF)
        works.append(costs.of(Strategy.jump([1] + [9] * n, n + 1), n + 1).work)
    assert works[1] > 32 * works[0]


def test_costs_never_look_at_who_has_what():
    sequence = uneven_tree(9)
    for order in ((0, 0, 0, 1, 1, 1, 2, 2, 3), (3, 2, 1, 0, 0, 2, 1, 1, 0)):
        cost = Costs(sequence, np.bincount(np.array(order)), HALF).search(Strategy.jump(1, 4))
        assert cost == Costs(sequence, np.array([3, 3, 2, 1]), HALF).search(Strategy.jump(1, 4))


def test_beyond_the_limit_a_vector_is_proposed_that_fits():
    sequence, frequencies = uneven_tree(60), np.array([20, 16, 14, 10])
    costs = Costs(sequence, frequencies, HALF)
    limit = costs.search(Strategy.jump([1, 4, 4, 1], 4)).work
    with pytest.raises(BeyondReach) as refused:
        require_affordable(costs, Strategy.jump(1, 4), limit)
    fitting = affordable(costs, limit)
    assert "+".join(map(str, fitting.k)) in refused.value.remedy
    assert costs.search(fitting).fits(limit)
    with pytest.raises(BeyondReach, match="coarser"):
        require_affordable(costs, Strategy.jump(4, 4), 2)


def test_many_tests_are_refused_before_they_are_all_listed():
    """Function i cuts block i of four rows in two: 2^40 sets of failed functions."""
    rows = np.arange(160)
    blocks = tuple(2 * (rows // 4) + ((rows // 4 == i) & (rows % 4 > 1)) for i in range(40))
    costs = Costs(Generalizations((*blocks, 0 * rows)), np.array([80, 80]), HALF)
    assert not costs.of(Strategy.jump([1] + [41] * 40, 41), 41).fits(10**9)


def test_many_fine_functions_are_refused_though_few_are_failed_at_a_time():
    """Between two judged functions one finer function each: a bit for each of 40 does not fit."""
    rows = np.arange(90)
    halves = np.minimum(rows // 44, 1)
    chain = [np.where(rows < 2 * i + 2, 0, rows) for i in range(20)]
    chain += [np.where(rows < 40, 0, np.where(rows > 88 - 2 * i, 99, rows)) for i in range(20)]
    sequence = Generalizations((*(f for each in chain for f in (each, halves)), 0 * rows))
    costs = Costs(sequence, np.array([45, 45]), HALF)
    assert not costs.of(Strategy.jump([99, 1] * 40 + [1], 81), 81).fits(10**9)


def test_the_limit_is_asked_before_values_are_looked_at():
    """Refused for every order of the values, or for none."""
    sequence = uneven_tree(7)
    refused = set()
    for order in list(permutations((0, 0, 1, 1, 2, 2, 3)))[::500]:
        try:
            evaluate(sequence, np.array(order), HALF, Strategy.jump(1, 4), limit=4)
            refused.add(False)
        except BeyondReach:
            refused.add(True)
    assert len(refused) == 1


@pytest.mark.slow
def test_many_values_and_rows_in_a_symmetric_tree():
    """Nothing is enumerated where nothing needs to be: 512 persons, every value different."""
    rows = np.arange(512)
    sequence = Generalizations(tuple(rows // 2**i for i in range(1, 10)))
    found = evaluate(sequence, rows, HighestRatio(Fraction(1, 4)), Strategy.jump(1, 9))
    assert found.outcome == 2
    assert found.steps[-1].ds.highest == Fraction(1, 4)


def test_refines():
    assert refines(np.array([0, 1, 2]), np.array([0, 0, 0]))
    assert not refines(np.array([0, 0, 1]), np.array([0, 1, 1]))
