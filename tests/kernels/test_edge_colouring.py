"""Groups that differ in two columns exist whenever no value has more rows than there are groups, and are even."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from voile.kernels.colours import rows_by_colour
from voile.kernels.edge_colouring import matchings

pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=30)


def grouped(pairs, groups):
    marks = np.array(sorted(pairs), np.int64)
    rows, start = rows_by_colour(marks[:, 1], int(marks[:, 1].max()) + 1)
    return marks, matchings(marks, start, rows, groups)


@given(pairs=pairs, more=st.integers(0, 4))
def test_every_group_differs_in_both_columns_and_sizes_are_even(pairs, more):
    most = max(np.bincount([p[c] for p in pairs]).max() for c in (0, 1))
    groups = min(most + more, len(pairs))
    marks, group = grouped(pairs, groups)
    for column in (0, 1):
        assert len({(g, m) for g, m in zip(group, marks[:, column], strict=True)}) == len(pairs)
    sizes = np.bincount(group, minlength=groups)
    assert sizes.max() - sizes.min() <= 1


def test_many_rows_of_few_pairs():
    """Each value in as many rows as there are groups: nothing is left to choose."""
    pairs = [(i % 8, (i * 3 + i // 8) % 8) for i in range(8000)]
    marks, group = grouped(pairs, 1000)
    assert (np.bincount(group) == 8).all()
    for column in (0, 1):
        assert np.unique(group * 8 + marks[:, column]).size == 8000
