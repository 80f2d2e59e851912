"""PLAN: signatures are diverse, use up the bag, and are those of the literal."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.oracle.safe_blocks_literal import plan
from voile.kernels.signatures import plan_signatures


@st.composite
def bags(draw, most=30, values=12):
    """Counts that descend, and an l that they allow."""
    counts = sorted(draw(st.lists(st.integers(1, most), min_size=2, max_size=values)), reverse=True)
    assume(sum(counts) // counts[0] >= 2)
    return counts, draw(st.integers(2, sum(counts) // counts[0]))


def signatures_of(counts, ell):
    alpha, start, listed = plan_signatures(np.array(counts), ell)
    return [(int(many), listed[start[b] : start[b + 1]].tolist()) for b, many in enumerate(alpha)]


@given(bags())
def test_signatures_are_diverse_and_use_up_the_bag(bag):
    counts, ell = bag
    left = list(counts)
    for many, values in signatures_of(counts, ell):
        assert many >= 1 and ell <= len(set(values)) == len(values) < 2 * ell
        for v in values:
            left[v] -= many
    assert left == [0] * len(counts)


@given(bags())
def test_signatures_are_those_of_the_literal(bag):
    counts, ell = bag
    assert signatures_of(counts, ell) == plan(list(enumerate(counts)), ell)


def test_reserved_values_may_share_a_column():
    found = signatures_of([2, 2, 2, 2, 2, 1], 4)
    assert sorted(len(values) for _, values in found) == [5, 6]


def test_a_million_different_values():
    alpha, start, listed = plan_signatures(np.ones(1_000_000, np.int64), 4)
    assert alpha.sum() == 250_000 and start[-1] == listed.size
