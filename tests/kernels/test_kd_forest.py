"""The k-d search equals brute force: numeric, flat and hierarchical columns, rows removed as it goes."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.bsgi_literal import row_cost
from tests.small_tables import LETTERS, TREE, UNBALANCED, axis_of, column
from voile.core.information_loss import loss_of
from voile.core.schema import Role
from voile.core.table import Column, Table
from voile.kernels.kd_forest import ALIVE, BOX, CHILD, LEAF, LOWEST, NONE, ROW, START, plant, remove
from voile.kernels.kd_search import FAR, all_open, nearest_open
from voile.kernels.loss import TABLE_LIMIT, box_cost, grow_box, new_box, start_box


def nearest(forest, loss, bucket, box):
    """The place of the row of a bucket that adds least to a box."""
    best = np.empty(1, np.int64)
    assert nearest_open(forest, loss, forest.root[bucket], box, all_open(), FAR, best.copy(), best) == 1
    return best[0]


def loss_and_codes(columns, weights):
    quasi = [
        Column(str(i), Role.QUASI_IDENTIFYING, d, np.array(c), w)
        for i, ((d, c), w) in enumerate(zip(columns, weights, strict=True))
    ]
    table = Table(quasi)
    loss, matrix, unit = loss_of(table)
    ordered = [(c.domain, matrix[:, j].tolist()) for j, c in enumerate(_as_charged(table))]
    heaviest = max(c.weight for c in table.quasi) or 1  # only the ratios of weights matter
    return loss, matrix, unit, ordered, [c.weight / heaviest for c in _as_charged(table)]


def _as_charged(table):
    from voile.core.axis import Axis

    return sorted(table.quasi, key=lambda c: not isinstance(c.domain, Axis))


@st.composite
def problems(draw):
    n = draw(st.integers(2, 90))

    def codes(high):
        return draw(st.lists(st.integers(0, high), min_size=n, max_size=n))

    columns = [
        (axis_of(c := codes(draw(st.sampled_from([1, 8, 1000])))), c),
        (TREE, codes(4)),
        (LETTERS, codes(4)),
        (UNBALANCED, codes(3)),
    ]
    weights = draw(
        st.lists(st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(2), Fraction(0)]), min_size=4, max_size=4)
    )
    return columns, weights, codes(2), draw(st.randoms(use_true_random=False))


@pytest.mark.slow
@settings(max_examples=80)
@given(problems())
def test_nearest_equals_brute_force(problem):
    columns, weights, buckets, chance = problem
    loss, values, unit, charged, weights = loss_and_codes(columns, weights)
    bucket = np.unique(buckets, return_inverse=True)[1]
    forest = plant(loss, values, bucket)
    alive = set(range(len(bucket)))
    box = new_box(loss)
    while len(alive) > 1:
        group = [chance.choice(sorted(alive))]
        start_box(loss, box, values, group[0], 0)
        for _ in range(3):
            assert int(box_cost(loss, box)) == unit * row_cost(charged, group, weights)
            wanted = chance.choice(sorted({int(bucket[r]) for r in alive}))
            mine = [r for r in alive if bucket[r] == wanted]
            expected = min(mine, key=lambda r: (row_cost(charged, [*group, r], weights), r))
            place = nearest(forest, loss, wanted, box)
            assert int(forest.rows[place, ROW]) == expected
            grow_box(loss, box, values, expected, 0)
            group.append(expected)
            remove(forest, place)
            alive.discard(expected)
            if not alive:
                return
        check_forest(forest, alive, values)


def check_forest(forest, alive, values):
    """Every leaf's box, lowest row and places are exactly those of its living rows."""
    tree, found = forest.tree, []
    todo = [int(r) for r in forest.root]
    while todo:
        node = todo.pop()
        if tree[node, CHILD] != NONE:
            todo += [int(tree[node, CHILD]), int(tree[node, CHILD]) + 1]
            continue
        rows = forest.rows[tree[node, START] : tree[node, START] + tree[node, ALIVE], ROW].tolist()
        found += rows
        if rows:
            assert tree[node, LOWEST] == min(rows)
            assert tree[node, BOX::2].tolist() == values[rows].min(axis=0).tolist()
            assert tree[node, BOX + 1 :: 2].tolist() == values[rows].max(axis=0).tolist()
            assert all(forest.leaf[forest.place[r]] == node for r in rows)
    assert sorted(found) == sorted(alive)


def test_identical_rows_are_found_in_order():
    """A million rows alike must not make a search linear: they are split by number."""
    n = 5000
    loss, values, *_ = loss_and_codes([(axis_of([0, 1]), [0] * n)], [Fraction(1)])
    forest = plant(loss, values, np.zeros(n, np.int64))
    assert forest.tree[:, ALIVE][forest.tree[:, CHILD] == NONE].max() <= LEAF
    box = new_box(loss)
    start_box(loss, box, values, 0, 0)
    for expected in range(200):
        place = nearest(forest, loss, 0, box)
        assert forest.rows[place, ROW] == expected
        remove(forest, place)


def test_a_tree_too_large_for_a_table_is_climbed():
    from voile.core.hierarchy import Hierarchy

    leaves = 600
    big = Hierarchy.from_lines([[f"v{i}", f"g{i // 10}", f"h{i // 100}", "*"] for i in range(leaves)])
    assert len(big.labels) * leaves > TABLE_LIMIT
    rng = np.random.default_rng(3)
    codes = rng.integers(0, leaves, 300)
    loss, values, _, charged, weights = loss_and_codes([(big, codes.tolist())], [Fraction(1)])
    forest = plant(loss, values, np.zeros(300, np.int64))
    box = new_box(loss)
    start_box(loss, box, values, 7, 0)
    expected = min(range(300), key=lambda r: (row_cost(charged, [7, r], weights), r))
    assert forest.rows[nearest(forest, loss, 0, box), ROW] == expected


def test_units_are_exact_until_they_would_overflow():
    small = Table([column("a", axis_of([0, 6]), [0, 6]), column("b", axis_of([0, 4]), [0, 4])])
    assert loss_of(small)[2] == 12
    primes = [1_000_003, 999_983, 999_979, 999_961]
    large = Table([column(str(p), axis_of([0, p]), [0, p]) for p in primes])
    loss, _, unit = loss_of(large)
    total = sum(int(s) * p for s, p in zip(loss.step, primes, strict=True))
    assert abs(total / (4 * unit) - 1) < 1e-5
    assert total < 2**51


def test_very_wide_and_very_heavy_columns_still_count():
    wide = [0, 10**15 - 1, 10**14]
    columns = [column("wide", axis_of(wide), wide), column("small", axis_of([0, 7]), [0, 7, 3])]
    loss, values, unit = loss_of(Table(columns))
    assert values.max() < 2**30
    assert all(0.9999 < int(s) * int(values[:, j].max()) / unit <= 1 for j, s in enumerate(loss.step))
    heavy = [replace(c, weight=w) for c, w in zip(columns, (Fraction(10) ** 19, Fraction(1)), strict=True)]
    assert loss_of(Table(heavy))[0].step.min() >= 0
    assert loss_of(Table(heavy))[0].step.max() > 0
