"""The row at a place of an order, found by counting in ever finer bins: as sorting finds it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voile.core.order import value_counts
from voile.spark.places import bounds_at
from voile.spark.spread import Spread, joined, merged_tallies

LARGE = 2**63 - 2


class Counted(Spread):
    """Rows in two parts; how often they are counted."""

    def __init__(self, rows):
        self.parts, self.counts = [{name: own[k::2] for name, own in rows.items()} for k in (0, 1)], 0

    def tally(self, keys):
        self.counts += 1
        return merged_tallies([value_counts(keys(part)) for part in self.parts])

    def some(self, rows):
        return joined([rows(part) for part in self.parts])

    def draw(self, among):
        raise AssertionError


def order(batch):
    return batch["list"], batch["first"], batch["second"]


@st.composite
def standing(draw):
    """Rows of several lists with places of which no two are alike, and ranks to be found in each list."""
    firsts = draw(st.sampled_from([[0], [0, 1, 2], [0, 2**55, 5 * 2**55], [0, LARGE]]))
    places = draw(
        st.lists(st.tuples(st.sampled_from(firsts), st.integers(0, LARGE)), min_size=1, max_size=60, unique=True)
    )
    lists = draw(st.lists(st.integers(-1, 3), min_size=len(places), max_size=len(places)))
    first, second = (np.array(half, np.int64) for half in zip(*places, strict=True))
    rows = {"list": np.array(lists, np.int64), "first": first, "second": second}
    sizes = np.array([lists.count(v) for v in range(4)])
    ranks = [sorted(draw(st.lists(st.integers(0, size), max_size=4))) for size in sizes.tolist()]
    return rows, sizes, ranks, firsts == [0]


@pytest.mark.slow
@settings(max_examples=200)
@given(given=standing(), few=st.sampled_from([0, 1, 5, 50]))
def test_as_many_rows_are_before_a_bound_as_were_asked_for(given, few):
    rows, sizes, ranks, only_second = given
    lists = np.repeat(np.arange(4), [len(own) for own in ranks])
    flat = np.array([rank for own in ranks for rank in own], np.int64)
    bound = bounds_at(Counted(rows), order, sizes, lists, flat, few, first_is_zero=only_second)
    for i, v in enumerate(lists.tolist()):
        own = rows["list"] == v
        first, second = rows["first"][own], rows["second"][own]
        before = (first < bound.first[i]) | ((first == bound.first[i]) & (second < bound.second[i]))
        assert before.sum() == flat[i]


def test_a_drawn_order_takes_few_counts():
    """Nothing is looked for in the half that is the same for all."""
    drawn = np.random.default_rng(3).permutation(2**18).astype(np.int64) << 45
    rows = {"list": np.zeros(drawn.size, np.int64), "first": np.zeros_like(drawn), "second": drawn}
    spread = Counted(rows)
    sizes, ranks = np.array([drawn.size]), np.arange(1, 9) * 30_000
    bound = bounds_at(spread, order, sizes, np.zeros(8, np.int64), ranks, few=5000, first_is_zero=True)
    assert spread.counts == 1 and (np.searchsorted(np.sort(drawn), bound.second) == ranks).all()
