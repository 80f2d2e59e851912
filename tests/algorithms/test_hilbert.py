"""1-D l-diversity on the Hilbert curve: curve, promise, literal transcription, figures of the facts."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle import bsgi_literal, hilbert_literal
from tests.small_tables import table_from, tables
from voile.algorithms.hilbert import AXIS_SHARE, Hilbert, curve_order, grouped
from voile.core.axis import Axis
from voile.core.bags import Bags
from voile.core.eligibility import fewest_suppressed, largest_l, most_groups
from voile.core.information_loss import loss_of
from voile.errors import Infeasible
from voile.kernels.hilbert import KEY_BITS, hilbert_keys
from voile.models.unique_distinct_l_diversity import UniqueDistinctLDiversity

pytestmark = pytest.mark.slow  # the conformance suite is the daily check


def keys_of(cells, side):
    keys = np.empty(len(cells), np.int64)
    hilbert_keys(np.array(cells, np.int32), np.full(len(cells[0]), side), keys)
    return keys


def parts_of(group):
    return [np.flatnonzero(group == g).tolist() for g in range(group.max() + 1)]


@pytest.mark.parametrize("d, bits", [(1, 4), (2, 1), (2, 4), (3, 3), (4, 2), (7, 1)])
def test_the_curve_goes_through_every_cell_in_steps_of_one(d, bits):
    cells = list(np.ndindex(*(2**bits,) * d))
    keys = keys_of(cells, 2**bits)
    line = [cells[i] for i in np.argsort(keys)]
    assert len(set(keys.tolist())) == len(cells)
    assert all(sum(abs(a - b) for a, b in zip(*step, strict=True)) == 1 for step in pairwise(line))


@given(st.integers(1, 8).flatmap(lambda d: st.lists(st.tuples(*[st.integers(0, 99)] * d), min_size=1, max_size=9)))
def test_keys_are_those_of_the_literal_transcription(cells):
    bits = min(KEY_BITS // len(cells[0]), 31)
    expected = [hilbert_literal.place_on_curve([(x << bits) // 100 for x in cell], bits) for cell in cells]
    assert keys_of(cells, 100).tolist() == expected


def test_many_columns_have_a_curve():
    cells = np.random.default_rng(1).integers(0, 2, (50, 80))
    keys = keys_of(cells.tolist(), 2)
    assert (keys >= 0).all() and np.unique(keys).size > 40


@given(st.lists(st.integers(0, 6), min_size=2, max_size=40), st.integers(2, 5))
def test_groups_are_those_of_the_literal_transcription(values, ell):
    values = np.unique(values, return_inverse=True)[1].astype(np.int32)
    if most_groups(np.bincount(values), ell) == 0:
        return
    group, groups = grouped(values, ell)
    formed, left = hilbert_literal.groups_along(values.tolist(), ell, groups)
    assert parts_of(group) == formed
    assert np.flatnonzero(group < 0).tolist() == left


@given(tables(least=2, most=22, values=5), st.integers(2, 4))
def test_equals_the_literal_transcription(table, ell):
    """The whole way: curve, groups, and the rows left over where the total loss grows least."""
    sensitive = table.sensitive[0].codes.tolist()
    if largest_l(np.bincount(sensitive)) < ell:
        return
    columns = sorted(table.quasi, key=lambda c: not isinstance(c.domain, Axis))
    varied = [c for c in columns if c.codes.min() < c.codes.max()]
    bits, cells = min(KEY_BITS // max(1, len(varied)), 31), [[0] * table.n]
    for c in varied:
        low = c.domain.low if isinstance(c.domain, Axis) else 0
        span = (int(c.codes.max()) - low + 1) * (AXIS_SHARE if isinstance(c.domain, Axis) else 1)
        cells.append([((x - low) << bits) // span for x in c.codes.tolist()])
    place = [hilbert_literal.place_on_curve(cell, bits) for cell in zip(*cells[1:], strict=True)] or cells[0]
    line = sorted(range(table.n), key=lambda row: (place[row], row))
    formed, left = hilbert_literal.groups_along([sensitive[row] for row in line], ell, table.n // ell)
    rows = [(c.domain, c.codes.tolist()) for c in columns]
    groups = [sorted(line[i] for i in group) for group in formed]
    expected, suppressed = bsgi_literal.incorporate(rows, sensitive, groups, sorted(line[i] for i in left))
    assert not suppressed
    assert parts_of(Hilbert(l=ell).partition(table).group) == [sorted(group) for group in expected]


@given(tables(least=1, most=60, values=8), st.integers(2, 5), st.sampled_from(["refuse", "suppress"]))
def test_promise(table, ell, ineligible):
    """Unique distinct l, the most groups, the fewest suppressed; or a refusal that is right."""
    codes = table.sensitive[0].codes
    sizes = np.bincount(codes)
    try:
        partition = Hilbert(l=ell, ineligible=ineligible).partition(table)
    except Infeasible as refusal:
        assert largest_l(sizes) < ell
        assert refusal.rows_to_suppress == fewest_suppressed(sizes, ell)
        assert ineligible == "refuse" or refusal.rows_to_suppress == table.n
        return
    assert UniqueDistinctLDiversity(l=ell).check(Bags.of(partition.group, [codes])).ok
    assert partition.groups == most_groups(sizes, ell)
    assert partition.suppressed == fewest_suppressed(sizes, ell)


@pytest.mark.slow
@settings(max_examples=20)
@given(tables(least=10, most=60, values=8))
def test_refining_keeps_the_promise_and_never_costs(table):
    sizes = np.bincount(table.sensitive[0].codes)
    if largest_l(sizes) < 2:
        return
    costs = []
    for passes in (0, 3):
        group = Hilbert(l="auto", refine=passes).partition(table).group
        ell = largest_l(sizes)
        assert UniqueDistinctLDiversity(l=ell).check(Bags.of(group, [table.sensitive[0].codes])).ok
        rows = [(c.domain, c.codes.tolist()) for c in table.quasi]
        costs.append(sum(len(part) * bsgi_literal.row_cost(rows, part) for part in parts_of(group)))
    assert costs[1] <= costs[0]


def test_a_worked_example():
    """Six persons on a line, values a a b b c a, l = 2: a is critical (three rows, three groups), so each group
    takes the next a, and the earliest row of another value."""
    table = table_from([1, 2, 3, 4, 5, 6], [0] * 6, [0] * 6, [0] * 6, [0, 0, 1, 1, 2, 0])
    assert parts_of(Hilbert(l=2).partition(table).group) == [[0, 2], [1, 3], [4, 5]]


def test_threads_do_not_matter(monkeypatch):
    _, values, _ = loss_of(table_from(list(range(50)), [3] * 50, [0, 1] * 25, [2] * 50, [0, 1] * 25))
    once = curve_order(values, 2).tolist()
    monkeypatch.setattr("os.cpu_count", lambda: 7)
    assert curve_order(values, 2).tolist() == once


PLAIN = [0.0274, 0.0768, 0.1584, 0.2464, 0.3460, 0.4366]  # facts/bsgi.md A6


@pytest.mark.slow
def test_adult_is_below_the_facts(adult_table):
    """GCP on Adult; facts/bsgi.md A6 has sides of equal length, and a third more loss."""
    import voile

    for ell, expected in zip(range(2, 8), PLAIN, strict=True):
        document = voile.anonymize(adult_table, "hilbert", l=ell).certificate
        assert document["table"]["groups"] == 30162 // ell
        assert document["table"]["suppressed"] == 0
        assert document["utility"]["gcp_leaves"] <= 0.9 * expected


@pytest.mark.slow
def test_adult_refined_is_near_the_facts(adult_table):
    import voile

    document = voile.anonymize(adult_table, "hilbert", l=3, refine=12).certificate
    assert document["utility"]["gcp_leaves"] <= 1.02 * 0.0307
