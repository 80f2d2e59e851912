"""A partition's invariants, and the order of rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.core.order import canonical_order, dense_rank, distinct_values, sorted_together
from voile.core.partition import Partition


@pytest.mark.parametrize("group", [[0, 2], [-2, 0], [[0]], [1]])
def test_broken_partitions_are_refused(group):
    with pytest.raises(ValueError):
        Partition(np.array(group))


def test_counts():
    part = Partition(np.array([1, 0, -1, 1]))
    assert (part.groups, part.suppressed, part.sizes.tolist()) == (2, 1, [1, 2])
    assert Partition(np.array([], int)).groups == 0
    with pytest.raises(ValueError):
        part.group[0] = 5


integers = st.integers(-(2**62), 2**62) | st.integers(-5, 5)


@given(st.lists(st.tuples(integers, integers, st.integers(0, 3)), max_size=30))
def test_order_is_that_of_tuples(rows):
    columns = [np.array([r[i] for r in rows], np.int64) for i in range(3)]
    order = canonical_order(columns).tolist()
    assert [rows[i] for i in order] == sorted(rows)
    assert list(zip(*(c.tolist() for c in sorted_together(columns)), strict=True)) == sorted(rows)
    assert sorted(order) == list(range(len(rows)))
    distinct = sorted(set(rows))
    if rows:
        assert [distinct[i] for i in dense_rank(columns)] == rows
        values, index = distinct_values(columns[0])
        assert values[index].tolist() == columns[0].tolist()
