"""The minimality attack: the paper's tables, every possible table as referee, and what does not fit."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voile.attacks.minimality import Search, Seen, conclude, matched, recognised, score
from voile.core.bags import Bag
from voile.core.generalizations import Generalizations
from voile.core.order import dense_rank
from voile.errors import BeyondReach, ParameterError
from voile.theory.evaluation import evaluate
from voile.theory.set_properties import CrowdSize, Distinct, HighestRatio
from voile.theory.strategies import Strategy
from voile.theory.worlds import worlds

HALF = HighestRatio(Fraction(1, 2))
CLINIC = Generalizations.of_groups([[[0, 1], [2, 3], [4, 5]], [[0, 1, 2], [3, 4, 5]], [[0, 1, 2, 3], [4, 5]]], 6)
ILLNESS = np.array([2, 1, 0, 0, 3, 4])  # flu, cold, cancer, cancer, headache, toothache


def letters(*groups):
    """Groups of rows by letters: AB, CD."""
    return [[ord(letter) - ord("A") for letter in group] for group in groups]


def seen_of(sequence, values, function):
    group = sequence.functions[function - 1]
    return Seen(group, Bag.of(group, values, int(group.max()) + 1))


@pytest.mark.parametrize("wanted", [HALF, Distinct(2)], ids=["frequency", "distinct"])
def test_naive_search_tells_two_patients(wanted):
    """Table 1 of the paper, the positive control: Charlie and David."""
    found = conclude(seen_of(CLINIC, ILLNESS, 2), Search(CLINIC, wanted, Strategy.naive(3)))
    assert (found.functions, found.face.size, found.face.holds, found.left.size) == ((2,), 36, True, 4)
    assert found.certain.tolist() == found.above.tolist() == [False, False, True, True, False, False]
    assert found.posterior(2) == {0: 1} and found.posterior(0) == {1: Fraction(1, 2), 2: Fraction(1, 2)}
    graded = score(found, ILLNESS)
    assert (graded.told, graded.told_right, graded.above, graded.above_right) == (2, 2, 2, 2)


@pytest.mark.parametrize("strategy", [Strategy.safe(3), Strategy.jump(1, 3)], ids=["safe", "jump"])
def test_safe_search_tells_nobody(strategy):
    """The negative control: the same table, whose disclosed set has eight tables."""
    found = conclude(seen_of(CLINIC, ILLNESS, 3), Search(CLINIC, HALF, strategy))
    assert (found.left.size, found.left.highest) == (8, Fraction(1, 2))
    assert not found.above.any() and not found.certain.any()


def test_crowds_are_not_about_values():
    """k-anonymity looks at no value: g1 fails for every table, so that it failed rules out none."""
    found = conclude(seen_of(CLINIC, ILLNESS, 2), Search(CLINIC, CrowdSize(3), Strategy.naive(3)))
    assert not found.above.any() and found.left.size == 36


def test_function_used_again():
    """Table 12: g2 fails at its first place and is disclosed at its second; tables of the first are ruled out."""
    functions = [
        letters("AB", "CDE", "FG"),
        letters("ABC", "DEFG"),
        letters("ABCDE", "FG"),
        letters("ABC", "DEFG"),
    ]
    sequence, values = Generalizations.of_groups(functions, 7), np.array([0, 1, 2, 3, 4, 2, 2])
    found = conclude(seen_of(sequence, values, 2), Search(sequence, HALF, Strategy.jump(1, 4)))
    assert found.functions == (2, 4)
    assert (found.left.size, found.left.highest) == (24, Fraction(1, 2))


def test_secret_choice_is_no_secret():
    """Table 17: over all choices of functions, three people are C0 with 17/23 (docs/facts/k_jump.md, erratum
    1)."""
    functions = [
        letters("AB", "CDEFGHI"),
        letters("AC", "BDEFGHI"),
        letters("BC", "ADEFGHI"),
        letters("ABC", "DEFGHI"),
        letters("ABCDEFGHI"),
    ]
    sequence, values = Generalizations.of_groups(functions, 9), np.array([0, 0, 0, 1, 2, 3, 4, 5, 6])
    found = conclude(seen_of(sequence, values, 5), Search(sequence, HALF, None))
    assert found.left.highest == Fraction(17, 23) and found.above.tolist() == [True] * 3 + [False] * 6


@st.composite
def searches(draw):
    """Five persons, random functions (also twice the same), and a strategy."""
    rows = draw(st.integers(3, 5))
    n = draw(st.integers(2, 4))
    functions = [draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows)) for _ in range(n)]
    if draw(st.booleans()):
        functions[-1] = functions[0]
    kind = draw(st.sampled_from(["naive", "safe", "jump", "secret"]))
    strategies = {"naive": Strategy.naive(n), "safe": Strategy.safe(n), "secret": None}
    strategy = strategies.get(kind, Strategy.jump(draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)), n))
    values = draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    wanted = draw(st.sampled_from([HALF, HighestRatio(Fraction(2, 3)), Distinct(2)]))
    sequence = Generalizations(tuple(np.array(f) for f in functions))
    return Search(sequence, wanted, strategy), dense_rank([np.array(values)])


def disclosed(search, values):
    """By its definition: what the search publishes of a table, once for each choice of functions."""
    n = len(search.sequence)
    everything = [tuple(range(n))]
    if search.strategy is None:
        everything = [some for size in range(2, n + 1) for some in combinations(range(n), size)]
    for some in everything:
        sequence = Generalizations(tuple(search.sequence.functions[i] for i in some))
        strategy = search.strategy or Strategy.naive(len(some))
        outcome = evaluate(sequence, values, search.wanted, strategy).outcome
        if outcome is not None:
            group = sequence.functions[outcome - 1]
            yield frozenset((tuple(np.flatnonzero(group == g)), tuple(sorted(values[group == g]))) for g in group)


@pytest.mark.slow
@settings(max_examples=60)
@given(searches())
def test_equals_all_possible_tables(case):
    """The referee: run the search on every table with these frequencies, keep those with the same release."""
    search, values = case
    tables = [np.array(world) for world in worlds(tuple(values.tolist()))]
    releases = [list(disclosed(search, table)) for table in tables]
    for release in set(next(r for t, r in zip(tables, releases, strict=True) if (t == values).all())):
        group = np.empty(values.size, np.int64)
        for number, (members, _) in enumerate(release):
            group[list(members)] = number
        found = conclude(Seen(group, Bag.of(group, values, len(release))), search)
        times = [each.count(release) for each in releases]
        assert found.left.size == sum(times)
        for person in range(values.size):
            for code in set(values.tolist()):
                count = sum(time for time, table in zip(times, tables, strict=True) if table[person] == code)
                assert found.posterior(person).get(code, 0) == Fraction(count, sum(times))
        assert score(found, values).told == score(found, values).told_right


def test_what_does_not_fit_is_refused():
    seen = seen_of(CLINIC, ILLNESS, 2)
    with pytest.raises(ParameterError, match="no function of the sequence"):
        conclude(Seen(np.array([0, 0, 0, 0, 0, 1]), seen.bag), Search(CLINIC, HALF, Strategy.naive(3)))
    with pytest.raises(ParameterError, match="would not have disclosed"):
        conclude(seen, Search(CLINIC, HALF, Strategy.safe(3)))
    assert recognised(CLINIC, np.array([5, 5, 3, 3, 9, 9])) == (1,)


def test_too_much_to_look_at_is_refused():
    halves = Generalizations((np.arange(4) // 2,) * 13)
    seen = Seen(np.arange(4) // 2, Bag.of(np.arange(4) // 2, np.arange(4), 2))
    with pytest.raises(BeyondReach, match="12 functions"):
        conclude(seen, Search(halves, HALF, None))


def test_boxes_that_fit_two_functions_are_not_taken_for_the_first():
    """01|23 and 02|13 on a line, published as [0, 2] and [1, 3]: both fit."""
    sequence = Generalizations.of_groups([[[0, 1], [2, 3]], [[0, 2], [1, 3]]], 4)
    covers = np.array([[True, False], [True, True], [True, True], [False, True]])
    assert matched(sequence, covers, np.array([2, 2])) is None
    assert matched(sequence.at([1]), covers, np.array([2, 2])).tolist() == [0, 1, 0, 1]
