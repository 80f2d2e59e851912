"""Every metric against its literal definition, on random tables and partitions."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.small_tables import LETTERS, TREE, axis_of, column, tables
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


def weighted(table, groups):
    whole = sum(c.weight for c in table.quasi)
    if whole == 0:
        return 0
    published = sum(
        len(rows) * c.weight * ncp(c.domain, c.codes[rows].tolist(), minus1=False)
        for rows in groups
        for c in table.quasi
    )
    return (published / whole + table.n - sum(map(len, groups))) / table.n


def by_values(table, groups):
    total = Fraction((table.n - sum(map(len, groups))) * len(table.quasi))
    for c in table.quasi:
        for rows in groups:
            held, all_ = c.codes[rows].tolist(), c.codes.tolist()
            if isinstance(c.domain, Axis):
                mixed = Fraction(max(held) - min(held), max(1, max(all_) - min(all_)))
            else:
                mixed = Fraction(len(set(held)) - 1, max(1, len(set(all_)) - 1))
            total += len(rows) * mixed
    return total / (table.n * len(table.quasi))


def cells(c, groups):
    """For each row of a column the set of source values its cell stands for, duplicates and all."""
    everything = c.codes.tolist()
    shown = [everything] * len(everything)
    for rows in groups:
        low, high = min(c.codes[rows]), max(c.codes[rows])
        if not isinstance(c.domain, Axis):
            node = c.domain.ancestor(low, high)
            low, high = c.domain.low[node], c.domain.high[node]
        for row in rows:
            shown[row] = [v for v in everything if low <= v <= high]
    return shown


def kl(table, groups):
    total = 0.0
    for c in table.quasi:
        rebuilt = Counter()
        for shown in cells(c, groups):
            for value in set(shown):
                rebuilt[value] += 1 / len(set(shown))
        for value, rows in Counter(c.codes.tolist()).items():
            total += rows / table.n * math.log(rows / rebuilt[value])
    return total / len(table.quasi)


def lost_bits(table, groups):
    lost = all_ = 0.0
    for c in table.quasi:
        rows_of = Counter(c.codes.tolist())
        for value, shown in zip(c.codes.tolist(), cells(c, groups), strict=True):
            lost += math.log2(len(shown) / rows_of[value])
            all_ += math.log2(table.n / rows_of[value])
    return lost / all_ if all_ else 0


def leaves_shown(c, rows):
    """How many values the published cell of a group stands for."""
    held = set(c.codes[rows].tolist())
    if isinstance(c.domain, Axis):
        return max(held) - min(held) + 1
    if c.domain.is_flat and len(held) < c.domain.leaves:  # a set; tables here have no more than it may list
        return len(held)
    return c.domain.size(c.domain.ancestor(min(held), max(held)))


def information(table, groups):
    kept = sum(len(rows) * Fraction(1, leaves_shown(c, rows)) for rows in groups for c in table.quasi)
    kept += len(table.sensitive) * sum(map(len, groups))
    return kept / (table.n * (len(table.quasi) + len(table.sensitive)))


LITERAL = {
    "um": information,
    "weighted_il": weighted,
    "gcp_values": by_values,
    "kl": kl,
    "non_uniform_entropy": lost_bits,
    "dm": lambda t, gs: Fraction(sum(len(g) ** 2 for g in gs) + t.n * (t.n - sum(map(len, gs)))),
    "aecs": lambda t, gs: Fraction(sum(map(len, gs)), len(gs)) if gs else Fraction(0),
    "suppressed": lambda t, gs: Fraction(t.n - sum(map(len, gs)), t.n),
    "gcp_leaves": lambda t, gs: gcp(t, gs, minus1=False),
    "gcp_minus1": lambda t, gs: gcp(t, gs, minus1=True),
}


def test_every_metric_has_a_definition_here():
    """Those that are asked for by name have files of their own."""
    assert set(LITERAL) == {key for key, metric in catalog.metrics().items() if metric.in_every_certificate()}


@given(tables(most=30), st.data())
def test_metrics_equal_their_definitions(table, data):
    weights = st.sampled_from([Fraction(0), Fraction(1), Fraction(5, 2)])
    table = Table([replace(c, weight=data.draw(weights)) for c in table.columns])
    drawn = data.draw(st.lists(st.integers(-1, 4), min_size=table.n, max_size=table.n))
    used = sorted({g for g in drawn if g >= 0})
    group = np.array([used.index(g) if g >= 0 else -1 for g in drawn])
    boxes = Boxes.around(table, Partition(group))
    groups = [np.flatnonzero(group == g) for g in range(len(used))]
    for key, literal in LITERAL.items():
        measured, expected = catalog.metrics()[key]().measure(boxes), literal(table, groups)
        if isinstance(measured, Fraction):
            assert measured == expected, key
        else:
            assert measured == pytest.approx(expected, abs=1e-9), key


def test_wide_numbers_do_not_overflow():
    codes = [0, 10**15 - 1] * 2000
    table = Table([column("wide", axis_of(codes), codes)])
    boxes = Boxes.around(table, Partition(np.zeros(4000, int)))
    for key in ("gcp_leaves", "gcp_values", "weighted_il", "non_uniform_entropy"):
        assert catalog.metrics()[key]().measure(boxes) == 1
    assert catalog.metrics()["kl"]().measure(boxes) == 0


LOSSES = ("gcp_leaves", "gcp_minus1", "gcp_values", "weighted_il", "kl", "non_uniform_entropy")


@pytest.mark.parametrize("codes", [[], [3], [3] * 6])
def test_nothing_to_lose(codes):
    """No rows, one row, one value."""
    table = Table([column("number", axis_of(codes), codes), column("tree", TREE, codes)])
    boxes = Boxes.around(table, Partition(np.zeros(len(codes), int)))
    assert [catalog.metrics()[key]().measure(boxes) for key in LOSSES] == [0] * len(LOSSES)


def test_everything_suppressed():
    table = Table([column("number", axis_of([0, 9]), [0, 9, 9, 1])])
    boxes = Boxes.around(table, Partition(np.full(4, -1)))
    losses = {key: catalog.metrics()[key]().measure(boxes) for key in LOSSES}
    spread = sum(p * math.log(3 * p) for p in (1 / 4, 1 / 2, 1 / 4))
    assert losses.pop("kl") == pytest.approx(spread)
    assert set(losses.values()) == {1}


def test_values_held_do_not_depend_on_notation():
    """A snapped interval, a plain one, a set and a node say the same of who is mixed with whom."""
    codes, group = [12, 18, 55, 55], Partition(np.array([0, 0, 1, 1]))
    measured = []
    for axis in (Axis(Type.INTEGER, 12, 55), Axis(Type.INTEGER, 12, 55, grid=10)):
        boxes = Boxes.around(Table([column("age", axis, codes)]), group)
        measured.append(catalog.metrics()["gcp_values"]().measure(boxes))
    assert measured == [Fraction(6, 43) / 2] * 2
    measured = []
    for tree in (TREE, LETTERS):
        boxes = Boxes.around(Table([column("c", tree, [0, 1, 4, 4])]), group)
        measured.append(catalog.metrics()["gcp_values"]().measure(boxes))
    assert measured == [Fraction(1, 4)] * 2


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
