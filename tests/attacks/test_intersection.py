"""Intersection of releases: against sets, and two independent releases as the control that must succeed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voile.attacks.intersection import Intersection, intersected
from voile.core.attack import View
from voile.core.bags import Bags
from voile.models.m_uniqueness import MUniqueness
from voile.requirements import parse_requirements


def view_of(group, values, promise=""):
    group = np.array(group)
    return View(Bags.of(group, [np.array(values)]), group, promises=tuple(parse_requirements(promise)))


@given(st.lists(st.tuples(st.integers(0, 70), *[st.integers(0, 2)] * 2), min_size=1, max_size=12))
def test_equals_sets(rows):
    values = [value for value, *_ in rows]
    groups = [np.unique([row[i] for row in rows], return_inverse=True)[1] for i in (1, 2)]
    sizes = [
        len({v for v, g in zip(values, groups[0], strict=True) if g == groups[0][i]}
            & {v for v, g in zip(values, groups[1], strict=True) if g == groups[1][i]})
        for i in range(len(rows))
    ]  # fmt: skip
    found = Intersection().run(intersected([view_of(group, values) for group in groups]))
    assert (found.trials, found.successes) == (len(rows), sizes.count(1))
    assert found.highest == 1 / min(sizes) or float(found.highest) == 1 / min(sizes)


def random_groups(rng, values, size):
    """Groups of different values, who with whom drawn at random."""
    order = rng.permutation(values.size)
    order = order[np.argsort(values[order], kind="stable")]
    group = np.empty(values.size, np.int64)
    group[order] = np.tile(np.arange(values.size // size), size)
    return group


def test_two_independent_releases_are_the_control():
    """Each alone leaves four values to everybody; together they tell many."""
    rng = np.random.default_rng(1)
    values = np.repeat(np.arange(20), 40)
    names = rng.permutation(20)[values]  # values in another order: other values meet in groups
    first, second = (random_groups(rng, codes, 4) for codes in (values, names))
    both_views, series = [view_of(first, values, "l>=4"), view_of(second, values, "l>=4")], [MUniqueness(m=4)]
    alone = Intersection().run(intersected(both_views[:1], series))
    assert alone.successes == 0 and alone.ok
    both = Intersection().run(intersected(both_views, series))
    assert both.rate > 0.1 and both.ok is False and both.highest == 1


@pytest.mark.parametrize("promise", ["l>=2", "distinct_l>=2", "unique_l>=2"])
def test_what_one_release_promises_says_nothing_of_several(promise):
    """Whatever a release promises by itself: only a series promises what is left of all, so nothing passes."""
    first, second = view_of([0, 0, 1, 1], [1, 2, 3, 4], promise), view_of([0, 1, 0, 1], [1, 2, 3, 4], promise)
    found = Intersection().run(intersected([first, second]))
    assert found.successes == 4 and found.allowed is None and found.state == "not promised, and gets through"
    assert Intersection().run(intersected([first])).state == "not promised"


def test_who_is_in_one_release_loses_nothing():
    values = [1, 2, 3]
    first, second = view_of([0, 0, 0], values), view_of([0, 0, -1], values)
    found = Intersection().run(intersected([first, second]))
    assert found.details["values_left"] == {"2": 2, "3": 1}
