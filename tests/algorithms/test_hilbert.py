"""1-D l-diversity on the Hilbert curve: curve, promise, literal transcription, figures of the facts."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle import bsgi_literal, hilbert_literal
from tests.small_tables import LETTERS, axis_of, column, table_from, tables
from voile.algorithms.elig import LARGEST_SWAPPED
from voile.algorithms.hilbert import AXIS_SHARE, Hilbert, bits_of, curve_order, grouped
from voile.core.axis import Axis
from voile.core.bags import Bags
from voile.core.eligibility import fewest_suppressed, largest_l, most_groups
from voile.core.hierarchy import Hierarchy
from voile.core.information_loss import loss_of
from voile.core.schema import Role
from voile.core.table import Table
from voile.errors import Infeasible
from voile.kernels import threads
from voile.kernels.hilbert import WORD_BITS, hilbert_keys
from voile.models.unique_distinct_l_diversity import UniqueDistinctLDiversity

pytestmark = pytest.mark.slow  # the conformance suite is the daily check


def keys_of(cells, side):
    """Places on the curve, as fine as the algorithm has it; of any number of bits."""
    d, bits = len(cells[0]), bits_of(len(cells[0]))
    words = np.empty((len(cells), -(-bits * d // WORD_BITS)), np.int64)
    hilbert_keys(np.array(cells, np.int32), np.full(d, side), bits, words)
    last = bits * d - WORD_BITS * (words.shape[1] - 1)  # bits of the last word
    keys = []
    for *first, end in words.tolist():
        assert 0 <= end < 2**last and all(0 <= word < 2**WORD_BITS for word in first)
        keys.append((sum(word << WORD_BITS * i for i, word in enumerate(first[::-1])) << last) | end)
    return keys


def parts_of(group):
    return [np.flatnonzero(group == g).tolist() for g in range(group.max() + 1)]


@pytest.mark.parametrize("d, bits", [(1, 4), (2, 1), (2, 4), (3, 3), (4, 2), (7, 1)])
def test_the_curve_goes_through_every_cell_in_steps_of_one(d, bits):
    cells = list(np.ndindex(*(2**bits,) * d))
    keys = keys_of(cells, 2**bits)
    line = [cells[i] for i in np.argsort(keys)]
    assert len(set(keys)) == len(cells)
    assert all(sum(abs(a - b) for a, b in zip(*step, strict=True)) == 1 for step in pairwise(line))


COLUMNS = st.integers(1, 8) | st.sampled_from([12, 13, 25, 26, 40, 70])  # one word, two of them and more


@given(COLUMNS.flatmap(lambda d: st.lists(st.tuples(*[st.integers(0, 99)] * d), min_size=1, max_size=9)))
def test_keys_are_those_of_the_literal_transcription(cells):
    bits = hilbert_literal.bits_of(len(cells[0]))
    expected = [hilbert_literal.place_on_curve([(x << bits) // 100 for x in cell], bits) for cell in cells]
    assert keys_of(cells, 100) == expected


def test_every_column_has_a_say_however_many_there_are():
    """80 columns of 0 and 1, all rows different: so are their places."""
    cells = np.random.default_rng(1).integers(0, 2, (50, 80))
    assert len(set(keys_of(cells.tolist(), 2))) == 50


@pytest.mark.parametrize("columns, most", [(16, 0.08), (22, 0.08), (24, 0.09), (40, 0.09)])
def test_many_numbers_have_a_curve(columns, most):
    """Numbers that go together: neighbours on the curve are near in all of them. Where numbers have less than a
    bit each there is no curve, and the loss is two to three times that."""
    import voile

    rng = np.random.default_rng(0)
    numbers = (1000 * rng.random((2000, 2)) @ rng.random((2, columns))).astype(int)
    frame = pl.DataFrame({f"q{i}": numbers[:, i] for i in range(columns)}).with_columns(
        s=pl.Series(rng.integers(0, 12, 2000)).cast(pl.String)
    )
    spec = {f"q{i}": {"role": "qi", "type": "integer"} for i in range(columns)} | {"s": "sensitive"}
    release = voile.anonymize(voile.read(frame, spec), "hilbert", l=5)
    assert release.certificate["utility"]["gcp_leaves"] < most


@given(st.lists(st.integers(0, 6), min_size=2, max_size=40), st.integers(2, 5))
def test_groups_are_those_of_the_literal_transcription(values, ell):
    values = np.unique(values, return_inverse=True)[1].astype(np.int32)
    if most_groups(np.bincount(values), ell) == 0:
        return
    group, groups = grouped(values, ell)
    formed, left = hilbert_literal.groups_along(values.tolist(), ell, groups)
    assert parts_of(group) == formed
    assert np.flatnonzero(group < 0).tolist() == left


def with_many_columns(n, columns, seed):
    """A table of numbers, and as many categories."""
    rng = np.random.default_rng(seed)
    axes = [column(f"n{i}", axis_of([0, 9]), rng.integers(0, 10, n)) for i in range(columns)]
    letters = [column(f"c{i}", LETTERS, rng.integers(0, 5, n)) for i in range(columns)]
    secret = column("secret", Hierarchy.flat(list("abcde")), np.arange(n) % 5, Role.SENSITIVE)
    return Table([*axes, *letters, secret])


@pytest.mark.parametrize("columns", [6, 7, 11, 20, 35])
def test_equals_the_literal_transcription_with_many_columns(columns):
    for seed in range(5):
        assert_equal_to_the_literal_transcription(with_many_columns(17, columns, seed), 3)


@given(tables(least=2, most=22, values=5), st.integers(2, 4))
def test_equals_the_literal_transcription(table, ell):
    assert_equal_to_the_literal_transcription(table, ell)


def assert_equal_to_the_literal_transcription(table, ell):
    """The whole way: curve, groups, and the rows left over where the total loss grows least."""
    sensitive = table.sensitive[0].codes.tolist()
    if largest_l(np.bincount(sensitive)) < ell:
        return
    columns = sorted(table.quasi, key=lambda c: not isinstance(c.domain, Axis))
    varied = [c for c in columns if c.codes.min() < c.codes.max()]
    bits, cells = hilbert_literal.bits_of(len(varied)), [[0] * table.n]
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


def test_groups_too_large_for_exact_losses_are_not_refined():
    """Two persons are far from 17,998 others, and in one group. Losses take fifty bits, so that the gain of a swap
    between groups of 9,000 does not fit 63: to part the two would look like one."""
    ell, far = 9000, 10**9
    assert ell > LARGEST_SWAPPED
    numbers = column("a", axis_of([0, far]), [0, 100] + [far] * (2 * ell - 2))
    light = replace(column("b", axis_of([0, 1]), [0] * 2 * ell), weight=Fraction(1, 999999999999989))
    secret = column("s", Hierarchy.flat([str(i) for i in range(ell)]), np.arange(2 * ell) % ell, Role.SENSITIVE)
    table = Table([numbers, light, secret])
    plain, refined = (Hilbert(l=ell, refine=passes).partition(table).group for passes in (0, 3))
    assert plain[0] == plain[1] and (plain == refined).all()


def test_a_worked_example():
    """Six persons on a line, values a a b b c a, l = 2: a is critical (three rows, three groups), so each group
    takes the next a, and the earliest row of another value."""
    table = table_from([1, 2, 3, 4, 5, 6], [0] * 6, [0] * 6, [0] * 6, [0, 0, 1, 1, 2, 0])
    assert parts_of(Hilbert(l=2).partition(table).group) == [[0, 2], [1, 3], [4, 5]]


def test_threads_do_not_matter(monkeypatch):
    _, values, _ = loss_of(table_from(list(range(50)), [3] * 50, [0, 1] * 25, [2] * 50, [0, 1] * 25))
    once = curve_order(values, 2).tolist()
    monkeypatch.setattr(threads, "FEW", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 7)
    assert curve_order(values, 2).tolist() == once


@pytest.mark.slow
def test_adult_loses_less_than_by_cuts(adult_table):
    """As many groups as there can be, and less loss than free cuts of mondrian. Figures of the real table are in
    `benchmarks.figures`."""
    import voile

    for ell in range(2, 8):
        document, cuts = (voile.anonymize(adult_table, key, l=ell).certificate for key in ("hilbert", "mondrian"))
        assert document["table"]["groups"] == 30162 // ell
        assert document["table"]["suppressed"] == 0
        assert document["utility"]["gcp_leaves"] < cuts["utility"]["gcp_leaves"]


@pytest.mark.slow
def test_adult_refined_loses_half(adult_table):
    import voile

    plain, refined = (
        voile.anonymize(adult_table, "hilbert", l=3, refine=passes).certificate["utility"]["gcp_leaves"]
        for passes in (0, 12)
    )
    assert refined < 0.6 * plain
