"""What numpy does for kernels, against the loops that it stands for."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.small_tables import tables
from voile.algorithms.elig import outlyingness
from voile.core import bags
from voile.core.draws import remainders
from voile.core.information_loss import loss_of
from voile.kernels.kd_forest import ALIVE, CHILD, NONE, ROW, START, plant
from voile.kernels.loss import box_cost, grow_box, new_box, start_box
from voile.kernels.row_counts import WORDS, mark_queries


@pytest.mark.parametrize("kind", [np.uint32, np.uint64])
@given(data=st.data())
def test_every_remainder_is_equally_often_that_of_a_word_that_is_kept(kind, data):
    top = int(np.iinfo(kind).max)
    pairs = data.draw(st.lists(st.tuples(st.integers(0, top), st.integers(2, top // 2)), min_size=1))
    pairs += [(top - i, bound) for _, bound in pairs for i in (0, 1, (top + 1) % bound)]
    words, bounds = (np.array(column, kind) for column in zip(*pairs, strict=True))
    numbers, again = remainders(words, bounds.astype(np.int64))
    assert numbers.tolist() == [word % bound for word, bound in pairs]
    assert again.tolist() == [word >= (top + 1) // bound * bound for word, bound in pairs]


@pytest.mark.parametrize("cells", [0, bags.MOST_CELLS])
@given(rows=st.lists(st.tuples(st.integers(0, 3), st.integers(-5, 5)), max_size=30))
def test_a_bag_counts_each_value_of_each_group(cells, rows):
    group, codes = (np.array([row[i] for row in rows], np.int64) for i in (0, 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bags, "MOST_CELLS", cells)
        bag = bags.Bag.of(group, codes, 4)
    counted = sorted(Counter(rows).items())
    assert list(zip(bag.owner.tolist(), bag.codes.tolist(), strict=True)) == [pair for pair, _ in counted]
    assert bag.counts.tolist() == [count for _, count in counted]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=64 * WORDS))
def test_a_query_marks_the_values_of_its_range(ranges):
    first, after = np.sort(np.array(ranges), axis=1).T
    words = np.zeros((20 + 1, WORDS), np.uint64)
    mark_queries(first, after, words)
    for q in range(len(ranges)):
        marked = (words[:, q // 64] >> np.uint64(q % 64)) & np.uint64(1)
        assert np.flatnonzero(marked).tolist() == list(range(first[q], after[q]))


@given(tables(), st.data())
def test_a_row_lies_as_far_out_as_a_group_of_it_and_the_centre_costs(table, data):
    loss, values, _ = loss_of(table)
    centre = values[data.draw(st.integers(0, table.n - 1))].astype(np.int64)
    pair = np.vstack([centre, values]).astype(np.int64)
    costs, box = [], new_box(loss)
    for i in range(table.n):
        start_box(loss, box, pair, 0, 0)
        grow_box(loss, box, pair, i + 1, 0)
        costs.append(int(box_cost(loss, box)))
    assert outlyingness(loss, values, centre).tolist() == costs


@given(tables())
def test_each_row_is_found_in_its_place_and_leaf(table):
    loss, values, _ = loss_of(table)
    forest = plant(loss, values, np.zeros(table.n, np.int64))
    assert forest.rows[forest.place, ROW].tolist() == list(range(table.n))
    node = forest.tree[forest.leaf]
    assert (node[:, CHILD] == NONE).all()
    inside = np.arange(table.n) - node[:, START]
    assert ((inside >= 0) & (inside < node[:, ALIVE])).all()
