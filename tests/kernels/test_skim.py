"""SKIM takes what the literal loop takes, and fails when that does."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.small_bags import bags
from tests.oracle.safe_blocks_literal import skim
from voile.kernels.skim import FAILED, skim_quotas

SHARES = st.fractions(Fraction(1, 10), 1, max_denominator=20)


@given(bags(), SHARES, SHARES)
def test_quotas_are_those_of_the_loop(bag, tau, limit):
    counts, ell = bag
    most = int(sum(counts) * limit)
    quotas = np.empty(len(counts), np.int64)
    taken = skim_quotas(np.array(counts), ell, (tau.numerator, tau.denominator), most, quotas)
    expected = skim(list(enumerate(counts)), ell, tau, most)
    if expected is None:
        assert taken == FAILED
        return
    assert quotas.tolist() == list(expected.values())
    assert taken == quotas.sum() <= most and taken < sum(counts)
    left = np.array(counts) - quotas
    assert left.max() * ell <= tau * left.sum()
    assert quotas.max() * ell <= taken  # what is taken is diverse


def test_nothing_left_is_a_failure():
    """docs/facts/safety.md section 9: (1, 1) must not be emptied."""
    quotas = np.empty(2, np.int64)
    assert skim_quotas(np.array([1, 1]), 2, (1, 2), 2, quotas) == FAILED
