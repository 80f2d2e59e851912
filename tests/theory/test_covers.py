"""l-covers by search."""

from fractions import Fraction

from tests.theory.small_worlds import tables
from voile import theory


def test_one_partition_is_an_l_cover_iff_it_is_l_diverse(streamliner_cases):
    """So that a set is an l-cover says nothing of how it was chosen (docs/facts/streamliner.md 0.5)."""
    diverse = covering = tried = 0
    for n, ell in [(n, ell) for n in range(2, 7) for ell in (2, 3)]:
        for table in tables(n):
            for groups in theory.set_partitions(n):
                safe, found = (
                    theory.is_locally_safe(groups, table, Fraction(1, ell)),
                    theory.l_cover(table, [groups], ell),
                )
                assert (found is not None) == safe
                assert found is None or theory.is_l_cover_with(table, [groups], found, ell)
                diverse, covering, tried = diverse + safe, covering + (found is not None), tried + 1
    assert [covering, diverse] == streamliner_cases["lemmas"]["singleton_LSS_partitions_satisfying_lcover"]
    assert tried > 10 * diverse


def test_even_sets_that_are_not_exchanged():
    """As many in each group, but no exchange turns groups into groups."""
    table, sp = (0, 0, 1, 1, 2), [((0, 2), (1, 3, 4)), ((0, 3), (1, 2, 4))]
    assert all(theory.is_locally_safe(groups, table, Fraction(1, 2)) for groups in sp)
    assert theory.cover((0, 1), (2, 3), sp) is None
    assert not theory.is_l_cover(table, sp, 2)


def test_overlapping_covers_do_not_count():
    """Rows of different colours, every set a cover, yet two of five persons share a value: more than 1/3."""
    table, whole = (0, 0, 1, 2, 3), [((0, 1, 2, 3, 4),)]
    others = {1: ((0,), (3,)), 2: ((0,), (2,)), 3: ((0,), (2,))}
    assert not theory.is_l_cover_with(table, whole, {0: ((2, 3), (3, 4)), **others}, 3)
    assert theory.is_l_cover_with(table, whole, {0: ((2, 3),), **others}, 2)


def test_too_few_or_shared_covers_do_not_count():
    table, whole = (0, 1, 2, 3), [((0, 1, 2, 3),)]
    good = {0: ((1,), (2,)), 1: ((0,), (2,)), 2: ((0,), (1,)), 3: ((0,), (1,))}
    assert theory.is_l_cover_with(table, whole, good, 3)
    assert not theory.is_l_cover_with(table, whole, good, 4)
    assert not theory.is_l_cover_with(table, whole, {**good, 3: ((0,), (0,))}, 3)
