"""Every metric against its literal definition, on random tables and partitions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.small_tables import axis_of, column, tables
from voile import catalog
from voile.core.axis import Axis
from voile.core.boxes import Boxes
from voile.core.partition import Partition
from voile.core.schema import Type
from voile.core.table import Table


def ncp(domain, codes, minus1):
    if isinstance(domain, Axis):
        return Fraction(max(codes) - min(codes), max(1, domain.high - domain.low))
    size = domain.size(domain.ancestor(min(codes), max(codes)))
    if minus1:
        return Fraction(size - 1, max(1, domain.leaves - 1))
    return Fraction(size if size > 1 else 0, domain.leaves)


def gcp(table, groups, minus1):
    cells = table.n * len(table.quasi)
    total = sum(len(rows) * ncp(c.domain, c.codes[rows].tolist(), minus1) for rows in groups for c in table.quasi)
    suppressed = table.n - sum(len(rows) for rows in groups)
    return (total + suppressed * len(table.quasi)) / cells


LITERAL = {
    "dm": lambda t, gs: Fraction(sum(len(g) ** 2 for g in gs) + t.n * (t.n - sum(map(len, gs)))),
    "aecs": lambda t, gs: Fraction(sum(map(len, gs)), len(gs)) if gs else Fraction(0),
    "suppressed": lambda t, gs: Fraction(t.n - sum(map(len, gs)), t.n),
    "gcp_leaves": lambda t, gs: gcp(t, gs, minus1=False),
    "gcp_minus1": lambda t, gs: gcp(t, gs, minus1=True),
}


def test_every_metric_has_a_definition_here():
    assert set(LITERAL) == set(catalog.metrics())


@given(tables(most=30), st.data())
def test_metrics_equal_their_definitions(table, data):
    drawn = data.draw(st.lists(st.integers(-1, 4), min_size=table.n, max_size=table.n))
    used = sorted({g for g in drawn if g >= 0})
    group = np.array([used.index(g) if g >= 0 else -1 for g in drawn])
    boxes = Boxes.around(table, Partition(group))
    groups = [np.flatnonzero(group == g) for g in range(len(used))]
    for key, literal in LITERAL.items():
        assert catalog.metrics()[key]().measure(boxes) == literal(table, groups), key


def test_wide_numbers_do_not_overflow():
    codes = [0, 10**15 - 1] * 2000
    table = Table([column("wide", axis_of(codes), codes)])
    boxes = Boxes.around(table, Partition(np.zeros(4000, int)))
    assert catalog.metrics()["gcp_leaves"]().measure(boxes) == 1


@pytest.mark.parametrize("key", catalog.metrics())
def test_cards(key):
    metric = catalog.metrics()[key]
    assert metric.best in ("low", "high")
    assert metric.title and metric.range and metric.meaning and metric.paper


def test_snapped_intervals_lose_what_they_show():
    axis = Axis(Type.INTEGER, 0, 100, grid=10)
    table = Table([column("age", axis, [12, 18, 55, 55])])
    boxes = Boxes.around(table, Partition(np.array([0, 0, 1, 1])))
    assert boxes.sides[0].low.tolist() == [10, 50]
    assert boxes.sides[0].high.tolist() == [19, 59]
    assert catalog.metrics()["gcp_leaves"]().measure(boxes) == Fraction(9, 100)
