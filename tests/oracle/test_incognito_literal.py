"""Incognito is an exhaustive search of the lattice, whatever it leaves out."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.oracle import incognito_literal as literal
from tests.oracle.subjects import on_crossing_halves
from tests.small_tables import axis_of, column
from tests.small_taxonomies import tables
from voile.algorithms.incognito import Incognito
from voile.core.axis import Axis
from voile.core.boxes import Boxes
from voile.core.certainty_penalty import certainty_penalty
from voile.core.hierarchy import Hierarchy
from voile.core.lattice_search import LOSSES, PASSES, PENALTIES
from voile.core.schema import Role
from voile.core.table import Table
from voile.errors import Infeasible
from voile.metrics.average_group_size import AverageGroupSize
from voile.metrics.discernibility import Discernibility
from voile.metrics.gcp_leaves import GcpLeaves
from voile.metrics.gcp_minus1 import GcpMinus1

pytestmark = pytest.mark.slow  # the conformance suite is the daily check

RULES = st.one_of(
    st.tuples(st.just("frequency"), st.fixed_dictionaries({"l": st.integers(2, 3)})),
    st.tuples(st.just("distinct"), st.fixed_dictionaries({"l": st.integers(2, 4)})),
    st.tuples(st.just("k_anonymity"), st.fixed_dictionaries({"k": st.integers(2, 5)})),
    st.tuples(
        st.just("alpha_k"),
        st.fixed_dictionaries({"alpha": st.sampled_from(["0.4", "1/2", "0.8"]), "k": st.integers(2, 5)}),
    ),
    st.tuples(st.just("entropy"), st.fixed_dictionaries({"l": st.integers(2, 3)})),
    st.tuples(
        st.just("recursive"),
        st.fixed_dictionaries({"c": st.sampled_from(["1/2", "1", "2", "3"]), "l": st.integers(2, 3)}),
    ),
    st.tuples(
        st.just("tau_l"),
        st.fixed_dictionaries({"tau": st.sampled_from(["0.4", "1/2", "0.7"]), "l": st.integers(2, 4)}),
    ),
)
METRICS = {"gcp_leaves": GcpLeaves, "gcp_minus1": GcpMinus1, "dm": Discernibility, "aecs": AverageGroupSize}
SEVERAL = settings(max_examples=100, phases=(Phase.explicit, Phase.generate), deadline=None)


def assert_equal_to_exhaustive_search(table, rule, suppress, by):
    name, bounds = rule
    algorithm = Incognito.configure({"property": name, "suppress": suppress, "by": by, **bounds})
    best, groups, passing = literal.search(table, rule, suppress, by)
    if best is None:
        with pytest.raises(Infeasible):
            algorithm.partition(table)
        return
    search = algorithm.search(table)
    assert set(search.passing()) == passing
    assert search.best(by).levels == best
    part = algorithm.partition(table)
    found = {
        tuple(zip(part.low[g].tolist(), part.high[g].tolist(), strict=True)): np.flatnonzero(
            part.group == g
        ).tolist()
        for g in range(part.groups)
    }
    assert found == groups
    weights, boxes = [column.weight for column in table.quasi], Boxes.around(table, part)
    if by in PENALTIES and sum(weights):
        assert certainty_penalty(boxes, PENALTIES[by], weights) == search.loss(best, by) / table.n / sum(weights)
    if by in METRICS and set(weights) == {1}:
        cells = table.n * len(weights) if by in PENALTIES else 1
        assert METRICS[by]().measure(boxes) == Fraction(search.loss(best, by)) / cells


def pairs_of_least_width(seed):
    """Pairs of nearly one age, who share a part of a sixteenth more often than not; a part is to be about as wide
    as a quarter. Drawn evenly: what hypothesis draws is too much alike."""
    rng = np.random.default_rng(seed)
    across = int(rng.choice([20, 40, 80]))
    first = rng.integers(0, across - across // 20, 3)
    ages = [*first.tolist(), *(first + across // 20).tolist()]
    axis = replace(axis_of([0, across - 1]), min_width=across // 4 - int(rng.integers(0, 2)))
    secret = column("secret", Hierarchy.flat(list("ab")), [0, 1] * 3, Role.SENSITIVE)
    return Table([column("age", axis, ages), secret])


@st.composite
def widened(draw, plain):
    """The same tables, numbers published on a grid or not too narrowly, columns of any weight."""
    table = draw(plain)
    widths = st.none() | st.integers(2, 12)

    def changed(column):
        domain = column.domain
        if isinstance(domain, Axis):
            domain = replace(domain, grid=draw(widths), min_width=draw(widths))
        return replace(column, domain=domain, weight=Fraction(draw(st.sampled_from(["1", "1", "0", "1/3", "5"]))))

    return Table([changed(c) if c.role == Role.QUASI_IDENTIFYING else c for c in table.columns])


@pytest.mark.slow
@SEVERAL
@given(tables(most=14, columns=3), RULES, st.sampled_from(LOSSES))
def test_equals_an_exhaustive_search(table, rule, by):
    assert_equal_to_exhaustive_search(table, rule, 0, by)


@pytest.mark.slow
@SEVERAL
@given(tables(most=14, columns=3), RULES, st.sampled_from(["0.1", "0.3", "1/2", "1"]), st.sampled_from(LOSSES))
def test_equals_an_exhaustive_search_with_suppression(table, rule, suppress, by):
    assert_equal_to_exhaustive_search(table, rule, suppress, by)


@pytest.mark.slow
@SEVERAL
@given(widened(tables(most=14, columns=3)), RULES, st.sampled_from([0, "0.3"]), st.sampled_from(LOSSES))
def test_equals_an_exhaustive_search_on_a_grid_with_widths_and_weights(table, rule, suppress, by):
    assert_equal_to_exhaustive_search(table, rule, suppress, by)


@pytest.mark.slow
@pytest.mark.parametrize("by", PENALTIES)
def test_equals_an_exhaustive_search_of_pairs_with_a_least_width(by):
    for seed in range(300):
        assert_equal_to_exhaustive_search(pairs_of_least_width(seed), ("k_anonymity", {"k": 2}), 0, by)


def test_a_step_up_may_lose_less_where_intervals_have_a_least_width():
    """From 6 to 45 in sixteen parts each is widened to ten years; in four parts of ten years none is. Two persons
    in each part of either level: the coarser one is published."""
    ages = [6, 6, 9, 10, 19, 20, 29, 30, 39, 40, 45, 45]
    axis = replace(axis_of(ages), min_width=10)
    secret = column("secret", Hierarchy.flat(list("ab")), [0, 1] * 6, Role.SENSITIVE)
    table = Table([column("age", axis, ages), secret])
    search = Incognito(property="k_anonymity", k=2).search(table)
    assert {levels: search.loss(levels, "gcp_leaves") for levels in search.passing()} == {
        (1,): Fraction(116, 39), (2,): Fraction(36, 13), (3,): 12,
    }  # fmt: skip
    assert search.best("gcp_leaves").levels == (2,)
    assert_equal_to_exhaustive_search(table, ("k_anonymity", {"k": 2}), 0, "gcp_leaves")


@pytest.mark.slow
@settings(SEVERAL, max_examples=20)
@given(tables(most=8, columns=2), st.sampled_from(["0.1", "0.25", "0.4"]))
def test_equals_an_exhaustive_search_for_t_closeness(table, t):
    assert_equal_to_exhaustive_search(table, ("t_closeness", {"t": t}), 0, "gcp_leaves")


def test_tagging_upwards_would_be_wrong_with_suppression():
    """The control: AB with a, b passes while CDE are given up; all together are a, b, b, b, b and fail."""
    search = Incognito(l=2, suppress=Fraction(3, 5)).search(on_crossing_halves((0, 1, 1, 1, 1)))
    assert search.known[2, 0, 1] == PASSES != search.known[2, 1, 1]
