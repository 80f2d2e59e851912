"""Sorting by bytes against sorting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.core.order import canonical_order, order_of
from voile.kernels.radix import order_by_bits, sorted_by_bits


@given(st.integers(0, 62).flatmap(lambda bits: st.tuples(st.just(bits), st.lists(st.integers(0, 2**bits - 1)))))
def test_sorts(drawn):
    bits, keys = drawn
    assert sorted_by_bits(np.array(keys, np.int64), 0, bits).tolist() == sorted(keys)
    expected = np.argsort(keys, kind="stable").tolist()
    assert order_by_bits(np.array(keys, np.int64), bits).tolist() == expected


@given(st.lists(st.integers(0, 2**20 - 1)), st.integers(0, 10), st.integers(0, 10))
def test_sorts_by_some_bits_and_keeps_the_order_of_equal_ones(keys, low, bits):
    found = sorted_by_bits(np.array(keys, np.int64), low, bits).tolist()
    # whole bytes are looked at: the caller sees to it that nothing is above them
    wide = -(-bits // 8) * 8
    assert found == sorted(keys, key=lambda key: (key >> low) & ((1 << wide) - 1))


@pytest.mark.parametrize("most", [3, 2**40, 2**62])
def test_order_of_any_codes(most):
    codes = np.random.default_rng(most % 97).integers(-most, most, 500)
    assert order_of(codes).tolist() == np.argsort(codes, kind="stable").tolist()
    pair = [codes, codes[::-1].copy()]
    assert canonical_order(pair).tolist() == np.lexsort([pair[1], pair[0]]).tolist()
