"""Candidates and l-candidates: the lemmas by enumeration, and the two places where the paper is wrong."""

import random
from itertools import combinations, permutations, product

import pytest

from tests.theory.small_worlds import tables
from voile import theory
from voile.theory.koenig import edge_colouring


def disjoint_pairs(n):
    for size in range(1, n // 2 + 1):
        for first in combinations(range(n), size):
            rest = [person for person in range(n) if person not in first]
            for second in combinations(rest, size):
                yield first, second


@pytest.mark.parametrize("n", [4, 5, 6])
def test_lemma_4_if_and_only_if(n):
    met = [
        (theory.lemma_4(table, *sets), theory.are_candidates(table, *sets))
        for table in tables(n)
        for sets in disjoint_pairs(n)
    ]
    assert {condition for condition, _ in met} == {True, False}
    assert all(condition == found for condition, found in met)


@pytest.mark.parametrize("n", [4, 5])
def test_the_bijection_is_one(n):
    """Against trying all orders."""
    for table in tables(n):
        for first, second in disjoint_pairs(n):
            good = [
                s for s in permutations(second) if all(table[a] != table[b] for a, b in zip(first, s, strict=True))
            ]
            found = theory.bijection(table, first, second)
            assert found in good if good else found is None


def test_lemma_3():
    for table in tables(6):
        for colour in theory.colours(table).values():
            for ids in combinations(range(6), len(colour)):
                if theory.lemma_3(colour, ids):
                    assert theory.are_candidates(table, colour, ids)
                else:
                    assert set(colour) & set(ids)


def test_overlapping_or_unequal_sets_are_no_candidates():
    assert not theory.are_candidates((0, 1, 2), (0, 1), (1, 2))
    assert not theory.are_candidates((0, 1, 2), (0, 1), (2,))
    assert not theory.lemma_4((0, 1, 2), (0, 1), (1, 2))
    assert not theory.is_l_candidate((0, 0, 1, 2, 3), (0, 1), [(2, 3), (3, 4)], 3)


def arrangement_by_trying(table, rows, sets):
    return any(
        theory.is_row_distinct(table, rows, images) for images in product(*(permutations(ids) for ids in sets))
    )


@pytest.mark.parametrize("n, ell", [(6, 3), (7, 3)])
def test_theorem_2_if_and_only_if(n, ell):
    """A row-distinct arrangement exists exactly under Theorem 2's conditions."""
    seen = set()
    for table in tables(n):
        for colour in theory.colours(table).values():
            rest = [person for person in range(n) if person not in colour]
            for first, second in combinations(combinations(rest, len(colour)), 2):
                if set(first) & set(second):
                    continue
                meant = theory.is_l_candidate(table, colour, [first, second], ell)
                assert meant == arrangement_by_trying(table, colour, [first, second])
                images = theory.row_distinct_arrangement(table, colour, [first, second])
                assert (images is not None) == meant
                assert images is None or theory.is_row_distinct(table, colour, images)
                seen.add(meant)
    assert seen == {True, False}


def test_definition_1_is_too_weak_from_l_4_on(streamliner_cases):
    case = streamliner_cases["definition1_not_sufficient_counterexample"]
    table, colour, sets = tuple(case["t"]), tuple(case["colour"]), [tuple(ids) for ids in case["ids"]]
    assert theory.is_pairwise_candidate(table, [colour, *sets]) is case["pairwise_l_candidate"]
    exists = case["row_distinct_arrangement_exists"]
    assert arrangement_by_trying(table, colour, sets) is exists
    assert (theory.row_distinct_arrangement(table, colour, sets) is not None) is exists
    assert theory.is_l_candidate(table, colour, sets, case["l"]) is exists
    assert theory.is_l_candidate(table, colour, [(2, 5), (3, 6), (7, 8)], case["l"])  # two 1's only


def test_given_bijections_may_fail_and_are_chosen_again(streamliner_cases):
    case = streamliner_cases["lemma1_given_bijections_counterexample"]
    table, ell = tuple(case["t"]), case["l"]
    can = {int(value): tuple(map(tuple, images)) for value, images in case["Can"].items()}
    groups = theory.minimal_self_contained_partition(len(table), theory.pairs(table, can))
    assert groups == (tuple(range(6)),)
    for value, colour in theory.colours(table).items():
        assert theory.is_l_candidate(table, colour, can[value], ell)
    assert not theory.is_l_cover_with(table, [groups], can, ell)

    again = theory.rechosen_bijections(table, can, groups)
    assert {v: [set(image) for image in images] for v, images in again.items()} == {
        v: [set(image) for image in images] for v, images in can.items()
    }
    assert theory.is_l_cover_with(table, [groups], again, ell)


def test_lemma_1_minimal_partitions_are_diverse():
    """Random l-candidates: the minimal partition is an l-cover, if not always by the given bijections."""
    table, draw, given = (0, 0, 1, 1, 2, 2, 3, 3, 4), random.Random(11), []
    while len(given) < 60:
        can = {}
        for value, colour in theory.colours(table).items():
            rest = draw.sample([p for p in range(9) if p not in colour], 2 * len(colour))
            can[value] = (tuple(rest[::2]), tuple(rest[1::2]))
        if all(theory.is_l_candidate(table, c, can[v], 3) for v, c in theory.colours(table).items()):
            groups = theory.minimal_self_contained_partition(9, theory.pairs(table, can))
            assert theory.is_l_cover(table, [groups], 3)
            given.append(theory.is_l_cover_with(table, [groups], can, 3))
    assert True in given and False in given


def test_bijections_are_chosen_again_group_by_group():
    table = (0, 0, 1, 1, 2, 2, 0, 1, 2)
    can = {0: ((2, 3, 7), (4, 5, 8)), 1: ((0, 1, 6), (4, 5, 8)), 2: ((0, 2, 6), (1, 3, 7))}
    groups = theory.partition([range(6), [6, 7, 8]])
    assert theory.is_self_contained(groups, theory.pairs(table, can))
    again = theory.rechosen_bijections(table, can, groups)
    assert theory.is_self_contained(groups, theory.pairs(table, again))
    assert theory.is_l_cover_with(table, [groups], again, 3)
    assert not theory.is_l_cover_with(table, [groups], can, 3)


def test_no_bijections_where_a_group_has_too_many_of_a_colour():
    table = (0, 0, 1, 1, 2, 3)
    can = {0: ((2, 4), (3, 5)), 1: ((0, 1),) * 2, 2: ((0,), (2,)), 3: ((1,), (3,))}
    assert theory.rechosen_bijections(table, can, ((0, 2, 3), (1, 4, 5))) is None


def test_edge_colouring_of_dense_graphs():
    draw = random.Random(7)
    for rows in range(1, 7):
        whole = [(left, right) for left in range(rows) for right in range(rows)]
        for edges in (whole, [edge for edge in whole if draw.random() < 0.7]):
            draw.shuffle(edges)
            given = edge_colouring(edges, rows)
            for side in (0, 1):
                at = {(edge[side], row) for edge, row in zip(edges, given, strict=True)}
                assert len(at) == len(edges) and all(0 <= row < rows for row in given)


def test_edge_colouring_of_parallel_edges():
    assert sorted(edge_colouring([("a", 1), ("a", 1), ("a", 2)], 3)) == [0, 1, 2]


def test_sets_that_hold_the_colour_itself_have_no_arrangement():
    table, whole = (0, 0, 1, 1), ((0, 1, 2, 3),)
    assert theory.rechosen_bijections(table, {0: ((0, 1),), 1: ((0, 1),)}, whole) is None
    assert theory.rechosen_bijections(table, {0: ((1, 2),), 1: ((0, 1),)}, whole) is None
    found = theory.rechosen_bijections(table, {0: ((2, 3),), 1: ((0, 1),)}, whole)  # control
    assert found is not None and all(
        theory.is_row_distinct(table, p, found[v]) for v, p in theory.colours(table).items()
    )


def test_no_sets_have_no_images():
    assert theory.rechosen_bijections((0, 0, 1), {0: (), 1: ()}, ((0, 1, 2),)) == {0: (), 1: ()}
