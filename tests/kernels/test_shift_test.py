"""The test of shifts is the brute force over all turns, or stricter where widths are not coprime."""

from math import gcd

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.small_bags import bags
from tests.oracle.safe_blocks_literal import passes, plan
from voile.kernels.shift_test import passes as kernel_passes

NOT_COPRIME = [
    ([4, 4, 4, 3, 2, 2], 4),
    ([4, 4, 4, 4, 3, 2, 2, 1, 1, 1], 6),
]  # signatures of 4 and 6, 6 and 8 values


@st.composite
def cuts(draw):
    """A plan, and which rows of each of its places go left."""
    counts, ell = draw(bags(most=8, values=8) | st.sampled_from(NOT_COPRIME))
    signatures = plan(list(enumerate(counts)), ell)
    evenly = draw(st.booleans())  # else hardly any cut passes
    within = [
        [draw(st.integers(many // 2, (many + 1) // 2) if evenly else st.integers(0, many)) for _ in values]
        for many, values in signatures
    ]
    return counts, ell, signatures, within


def by_kernel(counts, ell, signatures, within):
    start = np.cumsum([0, *(len(values) for _, values in signatures)])
    listed = np.array([v for _, values in signatures for v in values])
    flat = np.array([w for row in within for w in row])
    return kernel_passes(start, listed, flat, np.array(counts), flat.sum(), sum(counts), ell)


def by_hand(counts, ell, signatures, within):
    seat, parts = {}, ([], [])
    for b, (many, values) in enumerate(signatures):
        for j in range(len(values)):
            for i in range(many):
                parts[i >= within[b][j]].append(len(seat))
                seat[len(seat)] = (b, j)
    return passes(signatures, seat, parts, ell)


@pytest.mark.slow
def test_equals_brute_force():
    answers = set()

    @settings(max_examples=300)
    @given(cuts())
    def compare(cut):
        widths = sorted({len(values) for _, values in cut[2]})
        coprime = all(gcd(a, b) == 1 for a in widths for b in widths if a < b)
        found, expected = by_kernel(*cut), by_hand(*cut)
        assert found == expected if coprime else found <= expected  # turned independently, which is stricter
        answers.add((found, coprime))

    compare()
    assert answers == {(found, coprime) for found in (True, False) for coprime in (True, False)}


@given(cuts(), st.integers(0, 10))
def test_turning_the_buckets_changes_nothing(cut, turns):
    """What makes it tell nothing: all who could have had each other's value get the same answer."""
    counts, ell, signatures, within = cut
    turned = [row[turns % len(row) :] + row[: turns % len(row)] for row in within]
    assert by_kernel(counts, ell, signatures, turned) == by_kernel(*cut)


def test_answers_yes_and_no():
    """Four rows of each of four values, in two buckets: a part of one value does not pass."""
    signatures = [(4, [0, 1]), (4, [2, 3])]
    for within, answer in (([[2, 2], [2, 2]], True), ([[4, 0], [4, 0]], True), ([[4, 0], [0, 0]], False)):
        assert by_kernel([4, 4, 4, 4], 2, signatures, within) == answer


def test_parts_of_fewer_than_l_rows_are_turned_down_at_once():
    """A million different values in one group: all turns of it would take an hour."""
    n = 1_000_000
    everybody, half = np.arange(n), (np.arange(n) < n // 2).astype(np.int64)
    assert not kernel_passes(np.array([0, n]), everybody, half, np.ones(n, np.int64), n // 2, n, n)
