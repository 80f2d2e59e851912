"""Assign and the filling of shortages, on counts alone."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import m_invariant_literal as literal
from tests.oracle.possible_worlds import count_vectors
from voile.kernels.assignment import assign, fill_shortages


def steps_of(counts, m):
    """The product's steps as pairs of alpha and values."""
    alphas, starts, values = assign(np.array(counts, np.int64), m)
    ends = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    return [(alpha, values[a:b].tolist()) for alpha, (a, b) in zip(alphas.tolist(), ends, strict=True)]


def closed_form(n, m):
    """docs/facts/m_invariance.md B2: alpha for the least beta, from descending counts that are m-eligible; None if
    there is no beta."""
    total = sum(n)
    for beta in range(m, len(n) + 1):
        bounds = [n[beta - 1], (total - m * (n[beta] if beta < len(n) else 0)) // beta]
        if beta > m:
            bounds.append((total - m * n[0]) // (beta - m))
        if min(bounds) >= 1:
            return min(bounds), beta
    return None


def eligible_counts(m, most):
    """All m-eligible count vectors of up to `most` rows, descending."""
    for n in range(m, most + 1):
        for values in count_vectors(n, m):
            yield list(Counter(values).values())


def test_examples_of_the_cases(m_invariance_cases):
    cases = m_invariance_cases["assign_and_corner_cases"]
    for case in cases["assign_examples"]:
        found = [[alpha, len(values)] for alpha, values in steps_of(case["counts"], case["m"])]
        assert found == case["alpha_beta_sequence"]
    for given_counts, solution in cases["ineligible_solve"].items():
        counts = [int(c) for c in given_counts[1 : given_counts.index(")")].split(",")]
        assert closed_form(counts, 2) == (tuple(solution) if solution else None)
    assert cases["assign"]["max_beta"] == {str(m): 2 * m - 1 for m in range(2, 7)}


@pytest.mark.parametrize("m, most", [(2, 16), (3, 18), (4, 20)])
def test_every_eligible_count_vector(m, most):
    """Literal search, closed form and kernel agree; everything is dealt, and beta stays below 2m."""
    largest = 0
    for counts in eligible_counts(m, most):
        steps = list(literal.steps(dict(enumerate(counts)), m))
        assert steps_of(counts, m) == steps
        left = list(counts)
        for alpha, values in steps:
            descending = sorted((n for n in left if n), reverse=True)
            assert closed_form(descending, m) == (alpha, len(values))
            for value in values:
                left[value] -= alpha
            assert m * max(left) <= sum(left)
            largest = max(largest, len(values))
        assert not any(left)
    assert largest == 2 * m - 1


@given(counts=st.lists(st.integers(0, 40), max_size=12), m=st.integers(2, 6))
def test_steps_in_any_order_of_values(counts, m):
    """Values that nobody has, and counts in any order; equal counts go to the lower value."""
    if not literal.eligible(dict(enumerate(counts)), m):
        return
    assert steps_of(counts, m) == list(literal.steps({v: n for v, n in enumerate(counts) if n}, m))


@pytest.mark.parametrize("counts", [[1], [2], [3, 1], [3, 2], [5, 1, 1], [0, 4, 0, 1]])
def test_ineligible_counts_end(counts):
    """Figure 3 would raise beta for ever."""
    assert steps_of(counts, 2)[-1][0] == 0
    with pytest.raises(ValueError, match="eligible"):
        list(literal.steps({v: n for v, n in enumerate(counts) if n}, 2))


SHORTAGES = st.lists(st.dictionaries(st.integers(0, 5), st.integers(0, 4), min_size=2, max_size=4), max_size=4)


@given(counts=st.lists(st.integers(0, 8), min_size=6, max_size=6), lacking=SHORTAGES, m=st.integers(2, 4))
def test_shortages_are_filled_as_the_literal_does(counts, lacking, m):
    if not literal.eligible(dict(enumerate(counts)), m):
        return
    buckets = [sorted(bucket.items()) for bucket in lacking]
    start = np.cumsum([0, *map(len, buckets)])
    values = np.array([value for bucket in buckets for value, _ in bucket], np.int64)
    shortage = np.array([number for bucket in buckets for _, number in bucket], np.int64)
    left = np.array(counts, np.int64)
    moved = fill_shortages(left, m, start, values, shortage).tolist()

    rows = {value: [value] * count for value, count in enumerate(counts)}
    expected = []
    for bucket in buckets:
        most = max(number for _, number in bucket)
        filled = {value: ["old"] * (most - number) for value, number in bucket}
        filled[6] = ["old"] * most  # the most frequent value lacks nothing
        literal.fill_shortage(filled, rows, m)
        expected += [filled[value].count(value) for value, _ in bucket]
        assert all(len(tuples) == most for tuples in filled.values())
    assert moved == expected
    assert left.tolist() == [len(rows[value]) for value in range(6)]


def test_together_what_is_refused_one_by_one(m_invariance_cases):
    """The joint move of docs/facts/m_invariance.md B4."""
    case = m_invariance_cases["assign_and_corner_cases"]["joint_move_example"]
    left = np.array(list(case["S_minus"].values()), np.int64)
    moved = fill_shortages(left, case["m"], np.array([0, 2]), np.array([0, 1]), np.array([1, 1]))
    assert moved.tolist() == [1, 1]
    assert not literal.movable({0: [0, 1], 1: [2, 3]}, {0: 1}, case["m"])
