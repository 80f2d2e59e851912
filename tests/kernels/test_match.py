"""MATCH: buckets become groups of nearest rows, whichever value is which."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.bsgi_literal import row_cost
from tests.oracle.elig_literal import form_groups
from tests.small_tables import tables
from voile.algorithms.elig import outliers_first
from voile.algorithms.match import matched
from voile.core.axis import Axis
from voile.core.information_loss import loss_of
from voile.kernels.kd_forest import plant
from voile.kernels.match import match_buckets


@st.composite
def dealt(draw):
    """A table whose rows along a curve are dealt to buckets: of each row its bucket and its place there."""
    shapes = draw(st.lists(st.tuples(st.integers(2, 5), st.integers(1, 4)), min_size=1, max_size=3))
    seats = [(b, j) for b, (width, alpha) in enumerate(shapes) for j in range(width) for _ in range(alpha)]
    table = draw(tables(least=len(seats), most=len(seats)))
    order = draw(st.permutations(range(len(seats))))
    bucket, place = (np.array([seats[i][k] for i in order]) for k in range(2))
    return table, shapes, bucket, place.astype(np.int32)


def charged(table):
    columns = sorted(table.quasi, key=lambda column: not isinstance(column.domain, Axis))
    return [(column.domain, column.codes.tolist()) for column in columns]


def as_sets(group):
    return {tuple(np.flatnonzero(group == g).tolist()) for g in set(group.tolist())}


def unrefined(table, shapes, bucket, place):
    """The groups before swaps."""
    loss, values, _ = loss_of(table)
    order = outliers_first(loss, values, np.arange(table.n))
    width, alpha = (np.array(part) for part in zip(*shapes, strict=True))
    forest = plant(loss, values[order], bucket[order], place[order, None])
    found = np.empty(table.n, np.int64)
    match_buckets(forest, loss, width, alpha, np.cumsum(alpha) - alpha, np.arange(len(shapes)), found)
    group = np.empty_like(found)
    group[order] = found
    return group, order


def total_cost(table, group):
    return sum(len(rows) * row_cost(charged(table), rows) for rows in as_sets(group))


@pytest.mark.slow
@settings(max_examples=80)
@given(dealt())
def test_groups_are_those_of_elig_where_all_values_are_critical(problem):
    table, shapes, bucket, place = problem
    group, order = unrefined(*problem)
    columns = [(domain, [codes[r] for r in order]) for domain, codes in charged(table)]
    expected = set()
    for b, (width, alpha) in enumerate(shapes):
        own = [i for i in range(table.n) if bucket[order[i]] == b]
        within = [(domain, [codes[i] for i in own]) for domain, codes in columns]
        for members in form_groups(within, [(int(place[order[i]]),) for i in own], width, alpha):
            expected.add(tuple(sorted(int(order[own[m]]) for m in members)))
    assert as_sets(group) == expected


@pytest.mark.slow
@settings(max_examples=80)
@given(dealt())
def test_swaps_stay_in_the_bucket_and_never_cost_more(problem):
    table, shapes, bucket, place = problem
    loss, values, _ = loss_of(table)
    group = matched(loss, values, bucket, place, lambda done: None)
    for rows in as_sets(group):
        (b,) = {int(bucket[r]) for r in rows}
        assert sorted(int(place[r]) for r in rows) == list(range(shapes[b][0]))
    assert total_cost(table, group) <= total_cost(table, unrefined(*problem)[0])


@pytest.mark.slow
@settings(max_examples=60)
@given(dealt(), st.randoms(use_true_random=False))
def test_whichever_value_is_which(problem, chance):
    """Values of a bucket are renamed at random, rows that look alike included: the same groups exactly."""
    table, shapes, bucket, place = problem
    loss, values, _ = loss_of(table)
    names = [chance.sample(range(width), width) for width, _ in shapes]
    renamed = np.array([names[b][j] for b, j in zip(bucket, place, strict=True)], np.int32)
    found = [matched(loss, values, bucket, those, lambda done: None).tolist() for those in (place, renamed)]
    assert found[0] == found[1]
