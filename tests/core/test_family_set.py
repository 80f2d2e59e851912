"""Merging groups: unions only, until the promises hold, seeing nothing of who has what."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.small_tables import table_from, tables
from voile.algorithms.streamliner.rda import Rda
from voile.core.draws import InsecureDraws
from voile.core.family_set import merged_until
from voile.core.partition import Partition
from voile.errors import Infeasible
from voile.requirements import parse_requirements


def drawn(table, ell=2):
    return Rda(l=ell).partition(table, draws=InsecureDraws(1))


@pytest.mark.slow
@given(table=tables(least=4, most=30), k=st.integers(2, 12))
def test_groups_are_unions_and_large_enough(table, k):
    try:
        fine = drawn(table)
    except Infeasible:
        return
    promises = parse_requirements(f"k>={k}")
    if k > table.n:
        with pytest.raises(Infeasible, match="one group"):
            merged_until(table, fine, promises)
        return
    coarse = merged_until(table, fine, promises)
    assert coarse.sizes.min() >= k
    for g in range(fine.groups):
        assert np.unique(coarse.group[fine.group == g]).size == 1


def test_nothing_is_merged_without_need():
    table = table_from(list(range(12)), [0] * 12, [0] * 12, [0] * 12, [0, 1, 2, 3] * 3)
    fine = drawn(table)
    assert merged_until(table, fine, []) is fine
    assert (merged_until(table, fine, parse_requirements("k>=2")).group == fine.group).all()


def test_neighbours_are_merged():
    """Four groups at two ends of a line: each finds its neighbour."""
    table = table_from([0, 1, 2, 3, 900, 901, 902, 903], [0] * 8, [0] * 8, [0] * 8, [0, 1] * 4)
    fine = Partition(np.array([0, 0, 1, 1, 2, 2, 3, 3]))
    coarse = merged_until(table, fine, parse_requirements("k>=4"))
    assert coarse.group[:4].tolist() == [coarse.group[0]] * 4
    assert coarse.group[4:].tolist() == [coarse.group[4]] * 4
    assert coarse.groups == 2


def test_blocks_are_not_crossed():
    table = table_from(list(range(12)), [0] * 12, [0] * 12, [0] * 12, [0, 1] * 6)
    fine = Partition(np.arange(12) // 2)
    blocks = np.arange(12) // 6  # the middle of the line: neighbours on the curve, but apart
    coarse = merged_until(table, fine, parse_requirements("k>=4"), blocks)
    assert coarse.sizes.tolist() == [6, 6]
    with pytest.raises(Infeasible, match="of a block"):
        merged_until(table, fine, parse_requirements("k>=7"), blocks)


@given(table=tables(least=6, most=24), chance=st.randoms(use_true_random=False))
def test_exchanging_values_inside_a_group_changes_nothing(table, chance):
    """What keeps the rung: the choice is a function of partition, bags and QI."""
    try:
        fine = drawn(table)
    except Infeasible:
        return
    secret = table.sensitive[0].codes.copy()
    for g in range(fine.groups):
        rows = np.flatnonzero(fine.group == g)
        mixed = rows.copy()
        chance.shuffle(mixed)
        secret[rows] = table.sensitive[0].codes[mixed]
    promises = parse_requirements("k>=5, t<=0.5")
    other = _with_secret(table, secret)
    try:
        expected = merged_until(table, fine, promises).group
    except Infeasible:
        return
    assert (merged_until(other, fine, promises).group == expected).all()


def _with_secret(table, secret):
    """The same rows in the same order with other values (a Table would sort them)."""
    import copy
    from dataclasses import replace

    other = copy.copy(table)
    other.columns = tuple(replace(c, codes=secret) if c is table.sensitive[0] else c for c in table.columns)
    return other
