"""CUT: of quasi-identifiers alone, where the literal cuts, both parts with somebody in them."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.safe_blocks_literal import Looks, cut
from tests.small_tables import tables
from voile.core.axis import Axis
from voile.core.information_loss import loss_of
from voile.kernels.blind_cuts import NOWHERE, cut_of, new_room
from voile.kernels.node_bags import part_rows


def parts_of(table, secrets, exact, between, begin, end):
    """The cut of a stretch of rows, and the parts it makes, as row numbers."""
    loss, values, _ = loss_of(table)
    n, d = values.shape
    rows = np.column_stack([values, secrets, np.arange(n)]).astype(np.int32)
    found = cut_of(loss, new_room(), rows, begin, end, d, exact, between)
    if found.column == NOWHERE:
        return found, None
    part_rows(rows, np.empty_like(rows), begin, end, found)
    return found, (rows[begin : begin + found.left, -1].tolist(), rows[begin + found.left : end, -1].tolist())


@pytest.mark.slow
@settings(max_examples=60)
@given(tables(least=4, most=30), st.booleans(), st.integers(1, 4), st.integers(0, 2))
def test_cut_is_that_of_the_literal(table, exact, between, begin):
    charged = sorted(table.quasi, key=lambda column: not isinstance(column.domain, Axis))
    looks = Looks(
        [(column.domain, column.codes.tolist()) for column in charged], [Fraction(1)] * 4, loss_of(table)[2]
    )
    stretch = list(range(begin, table.n - 1))
    _, parts = parts_of(table, np.zeros(table.n), exact, between, begin, table.n - 1)
    expected = cut(looks, stretch, exact, between)
    assert (parts is None) == (expected is None)
    if parts is not None:
        assert parts == expected  # ties by position: rows keep their order
        assert sorted(parts[0] + parts[1]) == stretch
        assert min(map(len, parts)) >= between or (exact and len(parts[0]) == len(stretch) // 2)


@settings(max_examples=30)
@given(tables(least=4, most=30), st.booleans(), st.randoms(use_true_random=False))
def test_the_sensitive_column_does_not_matter(table, exact, chance):
    secrets = [chance.randrange(5) for _ in range(table.n)]
    told = parts_of(table, table.sensitive[0].codes, exact, 1, 0, table.n)
    assert told == parts_of(table, secrets, exact, 1, 0, table.n)
