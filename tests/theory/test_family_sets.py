"""Family sets: the paper's claim fails, and holds with the meet."""

from fractions import Fraction

import pytest

from tests.theory.small_worlds import non_empty_subsets, tables
from voile import theory

HALF = Fraction(1, 2)


def test_counterexample(streamliner_cases):
    case = streamliner_cases["family_set_counterexample"]
    table, sp = tuple(case["t"]), [theory.partition(groups) for groups in case["SP"]]
    pairs, minimal = [tuple(p) for p in case["Can_pairs"]], theory.partition(case["minimal_partition"])
    assert theory.minimal_self_contained_partition(len(table), pairs) == minimal == theory.meet(sp)
    assert theory.is_family_set(sp, pairs) is case["SP_is_family_set"]
    assert theory.is_l_cover(table, sp, case["l"]) is case["SP_satisfies_2_cover"]
    assert theory.is_strongly_globally_safe(sp, table, HALF) is case["is_sgss"] is False
    assert not theory.contains_meet(sp)

    disclosed = theory.disclosure_set(sp, table, HALF)
    left = theory.after_release(sp[case["release_index"]], table, disclosed)
    assert (len(disclosed), len(left)) == (case["n_disclosure_tables"], case["n_after_release"])
    assert theory.posteriors(left)[0][0] == Fraction(case["posterior_person0_value0"])

    fixed = [*sp, minimal]
    assert theory.contains_meet(fixed)
    assert theory.is_strongly_globally_safe(fixed, table, HALF)


def judged_sets(table, minimal, ell):
    """Every set of coarsenings of an l-diverse partition, and whether it is safe.

    Any l-diverse partition is the minimal one of some bijections inside its groups, so these are family sets.
    """
    bound = Fraction(1, ell)
    return [
        (sp, theory.is_strongly_globally_safe(sp, table, bound))
        for sp in non_empty_subsets(theory.coarsenings(minimal))
    ]


def diverse(table, ell):
    return theory.locally_safe_set(table, Fraction(1, ell))


@pytest.mark.parametrize("n, ell", [(4, 2), (4, 3), (5, 2), (5, 3)])
def test_up_to_five_persons_every_family_set_is_safe(n, ell):
    judged = [each for t in tables(n) for minimal in diverse(t, ell) for each in judged_sets(t, minimal, ell)]
    assert judged and all(safe for _, safe in judged)


@pytest.mark.parametrize("table, ell", [((0, 0, 0, 1, 1, 2), 2), ((0, 0, 1, 1, 2, 2), 3), ((0, 0, 1, 1, 2, 3), 3)])
def test_with_its_meet_a_family_set_is_safe(table, ell):
    judged = [each for minimal in diverse(table, ell) for each in judged_sets(table, minimal, ell)]
    holding = [safe for sp, safe in judged if theory.contains_meet(sp)]
    assert holding and all(holding)


def test_without_its_meet_it_may_not_be():
    """The positive control: the same check sees the unsafe ones."""
    judged = judged_sets((0, 0, 1, 2, 3, 4), ((0, 3), (1, 5), (2, 4)), 2)
    assert any(not safe for _, safe in judged)
    assert all(safe for sp, safe in judged if theory.contains_meet(sp))


@pytest.mark.slow
def test_the_count_of_three_pairs():
    """docs/facts/streamliner.md A3: 1008 sets with the minimal partition, all safe; 945 without, 144 of them
    unsafe."""
    judged = [
        (minimal in sp, theory.contains_meet(sp), safe)
        for table in tables(6)
        for minimal in diverse(table, 2)
        if len(minimal) == 3
        for sp, safe in judged_sets(table, minimal, 2)
    ]
    having, lacking = ([safe for has, _, safe in judged if has is wanted] for wanted in (True, False))
    assert (len(having), having.count(False)) == (1008, 0)
    assert (len(lacking), lacking.count(False)) == (945, 144)
    assert all(safe for _, holds, safe in judged if holds)


def test_a_set_with_its_meet_discloses_what_the_meet_does():
    table = (0, 0, 1, 2, 3, 4)
    sp = theory.coarsenings(((0, 3), (1, 5), (2, 4)))
    assert theory.disclosure_set(sp, table, HALF) == theory.disclosure_set([theory.meet(sp)], table, HALF)


def test_meet_is_the_coarsest_common_refinement():
    every = theory.set_partitions(4)
    for first in every:
        for second in every:
            common = [p for p in every if theory.refines(p, first) and theory.refines(p, second)]
            meet = theory.meet([first, second])
            assert meet in common and all(theory.refines(p, meet) for p in common)


def test_pairs_of_bijections_give_the_minimal_partition():
    table = (0, 0, 1, 1, 2, 2)
    can = {0: ((2, 3), (4, 5)), 1: ((0, 1), (4, 5)), 2: ((0, 1), (2, 3))}
    pairs = theory.pairs(table, can)
    minimal = theory.minimal_self_contained_partition(6, pairs)
    assert minimal == ((0, 2, 4), (1, 3, 5))
    family = [p for p in theory.set_partitions(6) if theory.is_self_contained(p, pairs)]
    assert family == theory.self_contained_partitions(6, pairs)  # Lemma 2
    assert all(theory.is_l_cover_with(table, sp, can, 3) for sp in non_empty_subsets(family))
