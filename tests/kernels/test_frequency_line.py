"""Sorting of counts, at lengths that small tables do not have."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from voile.kernels.frequency_line import sort_descending


@given(st.lists(st.integers(0, 2**62), max_size=300), st.lists(st.integers(0, 9), max_size=5))
def test_sorts_the_first_and_leaves_the_rest(numbers, rest):
    both = np.array([*numbers, *rest], np.int64)
    sort_descending(both, len(numbers))
    assert both.tolist() == sorted(numbers, reverse=True) + rest
