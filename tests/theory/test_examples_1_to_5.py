"""Examples 1 to 5 of the paper: two values, four persons."""

from fractions import Fraction

import pytest

from voile import theory

HALF = Fraction(1, 2)


@pytest.fixture(scope="module")
def example(streamliner_cases):
    return streamliner_cases["example1_5"]


@pytest.fixture(scope="module")
def table(example):
    return tuple(example["t"])


def test_examples_1_and_2(example, table):
    assert sorted(theory.colours(table).values()) == [(0, 1), (2, 3)]
    assert theory.is_eligible(table, example["l"])
    lss = theory.locally_safe_set(table, HALF)
    assert sorted(lss) == sorted(map(theory.partition, example["LSS"]))
    assert theory.partition(example["not_LSS"]) not in lss
    for sp in example["GSS_and_SGSS"]:
        assert theory.is_globally_safe(list(map(theory.partition, sp)), table, HALF)
        assert theory.is_strongly_globally_safe(list(map(theory.partition, sp)), table, HALF)
    assert theory.disclosure_set(lss, table, HALF) == [tuple(t) for t in example["whole_LSS_disclosure"]]


def test_example_3(table):
    first, second = theory.colours(table).values()
    assert theory.are_candidates(table, first, second)
    assert theory.is_l_candidate(table, first, [second], 2)


def test_example_4(example, table):
    names = {f"P{i}": theory.partition(groups) for i, groups in enumerate(example["LSS"], 1)}
    for case in example["example4"]:
        pairs = [tuple(pair) for pair in case["pairs"]]
        expected = sorted(names[key] for key in case["self_contained"])
        assert theory.minimal_self_contained_partition(4, pairs) == theory.partition(case["minimal"])
        assert theory.self_contained_partitions(4, pairs) == expected
        every = theory.set_partitions(4)
        assert [groups for groups in every if theory.is_self_contained(groups, pairs)] == expected
        assert theory.is_family_set(expected, pairs)
        assert not theory.is_family_set(list(names.values()), pairs)


def test_example_5(example, table):
    p1, p2, p3 = map(theory.partition, example["LSS"])
    assert theory.is_l_cover_with(table, [p1, p3], {1: ((2, 3),), 2: ((0, 1),)}, 2)
    assert theory.is_l_cover_with(table, [p2, p3], {1: ((3, 2),), 2: ((1, 0),)}, 2)
    assert theory.is_l_cover(table, [p1, p2, p3], 2)  # docs/facts/streamliner.md A1: the whole LSS too
    assert theory.cover((0, 1), (2, 3), [p1, p3]) is not None


def test_what_is_no_l_cover(table):
    apart = theory.partition([[0, 1], [2, 3]])
    assert theory.cover((0, 1), (2, 3), [apart]) is not None  # the groups change places
    assert not theory.is_l_cover(table, [apart], 2)  # but hold no value of each other
    assert not theory.is_l_cover_with(table, [apart], {1: ((2, 3),), 2: ((0, 1),)}, 2)
    assert theory.cover((0, 1), (2,), [apart]) is None
    assert not theory.is_cover((0, 1), (1, 2), [apart])
