"""Pairs are sorted by both words, and found by both words."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from voile.kernels.pair_order import ascending_pairs
from voile.kernels.sorted_match import sorted_match

words = st.sampled_from([0, 1, 2, 2**63, 2**63 + 1, 2**64 - 1]) | st.integers(0, 2**64 - 1)
pairs = st.lists(st.tuples(words, words), max_size=60)


def array(some):
    return np.array(some, np.uint64).reshape(-1, 2)


@given(pairs)
def test_order(some):
    found, origin = ascending_pairs(array(some))
    assert [tuple(map(int, row)) for row in found] == sorted(some)
    assert (array(some)[origin] == found).all()


@given(pairs, pairs)
def test_match(some, others):
    asked, known = sorted(some + others[:5]), sorted(set(others))
    found = sorted_match(array(asked), array(known))
    assert found.tolist() == [known.index(pair) if pair in known else -1 for pair in asked]


def test_many():
    draw = np.random.default_rng(1)
    many = draw.integers(0, 2**64, (50_000, 2), np.uint64)
    found, origin = ascending_pairs(many)
    assert (origin == np.lexsort((many[:, 1], many[:, 0]))).all()
    assert (sorted_match(found[::7].copy(), found) == np.arange(0, 50_000, 7)).all()
