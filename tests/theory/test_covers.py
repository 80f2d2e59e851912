"""l-covers by search."""

from fractions import Fraction

import pytest

from tests.theory.small_worlds import tables
from voile import theory


@pytest.mark.parametrize("n, ell", [(4, 2), (5, 2), (6, 2), (5, 3), (6, 3)])
def test_one_partition_is_an_l_cover_iff_it_is_l_diverse(n, ell):
    """So that a set is an l-cover says nothing of how it was chosen (facts 0.5)."""
    seen = set()
    for table in tables(n):
        for groups in theory.set_partitions(n):
            diverse = theory.is_locally_safe(groups, table, Fraction(1, ell))
            found = theory.l_cover(table, [groups], ell)
            assert (found is not None) == diverse
            assert found is None or theory.is_l_cover_with(table, [groups], found, ell)
            seen.add(diverse)
    assert seen == {True, False}


def test_too_few_or_shared_covers_do_not_count():
    table, whole = (0, 1, 2, 3), [((0, 1, 2, 3),)]
    good = {0: ((1,), (2,)), 1: ((0,), (2,)), 2: ((0,), (1,)), 3: ((0,), (1,))}
    assert theory.is_l_cover_with(table, whole, good, 3)
    assert not theory.is_l_cover_with(table, whole, good, 4)
    assert not theory.is_l_cover_with(table, whole, {**good, 3: ((0,), (0,))}, 3)
