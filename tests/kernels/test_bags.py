"""Figures of groups against their definitions, one group at a time."""

from collections import Counter
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.core.bags import MOST_CELLS, Bag
from voile.kernels.bags import greatest_ratios

groups_of_values = st.lists(st.lists(st.integers(-3, 5), min_size=1, max_size=12), min_size=1, max_size=8)


def bag_of(groups, shuffle=False):
    group = np.repeat(np.arange(len(groups)), [len(values) for values in groups])
    codes = np.concatenate(groups)
    order = np.random.default_rng(0).permutation(group.size) if shuffle else np.arange(group.size)
    return Bag.of(group[order], codes[order], len(groups))


@given(groups_of_values, st.booleans(), st.sampled_from([0, MOST_CELLS]))
def test_counts(groups, shuffle, most_cells):
    with mock.patch("voile.core.bags.MOST_CELLS", most_cells):  # by sorting, and in a table
        bag = bag_of(groups, shuffle)
    for g, values in enumerate(groups):
        mine = slice(bag.start[g], bag.start[g + 1])
        assert list(zip(bag.codes[mine].tolist(), bag.counts[mine].tolist(), strict=True)) == sorted(
            Counter(values).items()
        )


@given(groups_of_values, st.integers(0, 6))
def test_sum_of_the_largest(groups, most):
    expected = [sum(sorted(Counter(values).values(), reverse=True)[:most]) for values in groups]
    assert bag_of(groups).largest(most).tolist() == expected


@given(groups_of_values)
def test_greatest_ratios(groups):
    bag = bag_of(groups)
    table = bag.whole[bag.ranks]
    for g, best in enumerate(greatest_ratios(bag.start, bag.counts, table).tolist()):
        ratios = [Fraction(int(bag.counts[i]), int(table[i])) for i in range(bag.start[g], bag.start[g + 1])]
        assert best - bag.start[g] == ratios.index(max(ratios))


@pytest.mark.parametrize("n", [1, 2, 1000])
def test_a_group_without_rows_has_no_values(n):
    bag = Bag.of(np.array([1] * n), np.arange(n), 3)
    assert bag.distinct().tolist() == [0, n, 0]
