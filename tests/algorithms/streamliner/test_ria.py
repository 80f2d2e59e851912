"""RIA: candidates of different colours, no row twice for a colour, groups that are l-diverse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.small_tables import tables
from voile.algorithms.streamliner.ria import Ria, colours_by_size
from voile.core.draws import InsecureDraws
from voile.errors import Infeasible
from voile.kernels.independent import row_bounds, use_bounds, used_colours
from voile.models.frequency_l_diversity import FrequencyLDiversity


@st.composite
def eligible_counts(draw):
    ell = draw(st.integers(2, 4))
    counts = sorted(draw(st.lists(st.integers(1, 9), min_size=ell, max_size=8)), reverse=True)
    return [min(n, sum(counts) // (2 * ell) + 1) for n in counts], ell


@pytest.mark.slow
@given(case=eligible_counts(), seed=st.integers(0, 9))
def test_uses_are_within_reach_and_dealt_to_different_colours(case, seed):
    counts, ell = case
    counts.sort(reverse=True)
    if counts[0] * ell > sum(counts):
        return
    start = np.concatenate(([0], np.cumsum(counts)))
    served = np.arange(len(counts))
    draws = InsecureDraws(seed)
    colour = used_colours(start, ell, served, draws.below(use_bounds(start, ell, served)))
    at = 0
    for i, n in enumerate(counts):
        mine = colour[at : at + (ell - 1) * n]
        at += mine.size
        used = np.bincount(mine, minlength=len(counts))
        assert used[i] == 0
        assert all(u <= min(n, m) for u, m in zip(used, counts, strict=True))
        for row in range(n):  # dealt like cards
            assert np.unique(mine[row::n]).size == ell - 1
    assert (row_bounds(start, ell, served, colour) >= 1).all()


def test_colours_do_not_run_out():
    """docs/facts/streamliner.md A5: with counts (3, 2, 2, 2) and l = 3 the paper's own order of choice gets
    stuck."""
    start = np.array([0, 3, 5, 7, 9])
    for seed in range(200):
        draws = InsecureDraws(seed)
        served = np.arange(4)
        colour = used_colours(start, 3, served, draws.below(use_bounds(start, 3, served)))
        assert np.bincount(colour[:6], minlength=4).tolist() == [0, 2, 2, 2]


@given(table=tables(most=30), ell=st.integers(2, 4), seed=st.integers(0, 3))
def test_groups_are_diverse(table, ell, seed):
    try:
        part = Ria(l=ell).partition(table, draws=InsecureDraws(seed))
    except Infeasible:
        return
    assert FrequencyLDiversity(l=ell).check(table.bags(part.group)).ok


def test_the_largest_colour_comes_first():
    rows, start = colours_by_size(np.array([5, 7, 7, 2, 7, 2]))
    assert rows.tolist() == [1, 2, 4, 3, 5, 0]
    assert start.tolist() == [0, 3, 5, 6]


def test_pairs_remain_where_everything_is_tight():
    """Two values of two rows each and l = 2: both draw each other, so groups are a pair or all four."""
    from tests.oracle.subjects import ria

    found = ria(2)((0, 0, 1, 1))
    assert {len(groups) for groups in found} == {1, 2}
    assert sum(found.values()) == 1


def test_ineligible_is_refused():
    with pytest.raises(Infeasible, match="more than 1/2"):
        from tests.small_tables import table_from

        Ria(l=2).partition(table_from([1, 2, 3], [0] * 3, [0] * 3, [0] * 3, [0, 0, 1]))
