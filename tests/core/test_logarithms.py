"""Logarithms compared exactly: ties, and differences far below what a float sees."""

from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.core.logarithms import entropy_reaches, exact_floor, log_ratio_reaches, sign


def precisely(work):
    with localcontext(Context(prec=120)):
        return work()


@given(st.dictionaries(st.integers(1, 60), st.integers(-9, 9), max_size=4), st.integers(-5, 5))
def test_sign(logs, constant):
    left = right = 1  # of the inequality of products, exact
    for base, power in logs.items():
        left, right = (left * base**power, right) if power > 0 else (left, right * base**-power)
    if constant == 0:
        assert sign(logs) == (left > right) - (left < right)
    else:
        value = precisely(lambda: (Decimal(left) / Decimal(right)).ln() + constant)
        assert sign(logs, constant) == (1 if value > 0 else -1)


@pytest.mark.parametrize("tenths", [1, 3, 25])
@pytest.mark.parametrize("digits", [3, 8, 20, 40])
def test_a_ratio_as_near_to_a_bound_as_can_be(tenths, digits):
    """The best fraction for e^0.1 with so many digits, and its neighbours."""
    target = Fraction(precisely(lambda: (Decimal(tenths) / 10).exp()))
    nearest = target.limit_denominator(10**digits)
    for ratio in (nearest, nearest + Fraction(1, 10**digits), nearest - Fraction(1, 10**digits)):
        assert log_ratio_reaches(ratio.numerator, ratio.denominator, 1000 * tenths, 10**4) == (ratio > target)


def test_entropy_ties():
    assert entropy_reaches((250_000,) * 4, 40_000, 10**4)
    assert not entropy_reaches((250_000,) * 4, 40_001, 10**4)
    assert not entropy_reaches((250_001, *(250_000,) * 3), 40_000, 10**4)
    assert entropy_reaches((4, 1, 1, 1, 1), 40_000, 10**4)
    assert entropy_reaches((400_000, 100_000, 100_000, 100_000, 100_000), 40_000, 10**4)


def test_floors_are_asked_only_where_a_float_is_not_enough():
    asked = []

    def reaches(i, whole):
        asked.append((i, whole))
        return i == 1

    guess = np.array([2.5, 3 - 1e-12, 4 + 1e-12, 7.2])
    assert exact_floor(guess, 1e-9, reaches).tolist() == [2, 3, 3, 7]
    assert asked == [(1, 3), (2, 4)]
