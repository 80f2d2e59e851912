"""Properties of sets of tables: which are set-monotonic, and where numbers are too large for 64 bits."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.core.generalizations import Generalizations
from voile.theory.costs import Costs
from voile.theory.disclosure_sweep import DisclosureSweep
from voile.theory.evaluation import disclosure_set, evaluate
from voile.theory.set_properties import CrowdSize, Distinct, Entropy, HighestRatio, Recursive
from voile.theory.strategies import Strategy


@pytest.mark.parametrize("digits", [6, 15, 18, 19, 30])
def test_a_share_of_many_digits_in_large_groups(digits):
    """l = 2.000000000000001 and thousands of rows: products beyond 64 bits must not wrap."""
    above = HighestRatio(Fraction(10**digits // 2 + 1, 10**digits))
    lines = np.array([[9300, 9000], [9000, 9000], [0, 0], [1, 0]])
    assert above.holds_in(lines).tolist() == [above.holds(line, 0) for line in lines.tolist()]


@pytest.mark.parametrize("share", [Fraction(1666666666666666667, 3 * 10**18), Fraction(5 * 10**29 + 1, 10**30)])
def test_the_engine_with_a_share_of_many_digits(share):
    """Just above 5/9 and 1/2: as if it were 5/9 and 1/2, for so few tables."""
    groups = [[[0, 1], [2, 3], [4, 5]], [[0, 1, 2], [3, 4, 5]], [[0, 1, 2, 3], [4, 5]], [[0, 1, 2, 3, 4, 5]]]
    sequence, values = Generalizations.of_groups(groups, 6), np.array([2, 1, 0, 0, 3, 3])
    short, jump = HighestRatio(share.limit_denominator(100)), Strategy.jump(1, 4)
    assert evaluate(sequence, values, HighestRatio(share), jump).outcome == (
        evaluate(sequence, values, short, jump).outcome
    )
    for i in (2, 3, 4, 5):
        sizes = {disclosure_set(sequence, values, wanted, jump, i).size for wanted in (HighestRatio(share), short)}
        assert len(sizes) == 1
    costs = Costs(sequence, np.bincount(values), HighestRatio(share))
    sweep = DisclosureSweep(costs.plan(jump, 4), values, HighestRatio(share), 1000)
    assert sweep.system.length <= costs.length


@given(st.lists(st.integers(0, 9), min_size=3, max_size=3), st.lists(st.integers(0, 9), min_size=3, max_size=3))
def test_set_monotonic_properties_survive_more_tables(counts, more):
    """Liu et al. 2015, section 4.1: what holds for a set of tables holds for every larger one."""
    for wanted in (Distinct(2), CrowdSize(3)):
        assert wanted.set_monotonic
        if sum(counts) and wanted.holds(counts, 3):
            assert wanted.holds([a + b for a, b in zip(counts, more, strict=True)], 3)


def test_the_others_do_not():
    few, many = [1, 1, 0], [9, 1, 0]
    for wanted in (HighestRatio(Fraction(1, 2)), Recursive(Fraction(2), 2), Entropy(Fraction(2))):
        assert not wanted.set_monotonic
        assert wanted.holds(few, 2)
        assert not wanted.holds(many, 2)
