"""Incognito is an exhaustive search of the lattice, whatever it leaves out."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.oracle import incognito_literal as literal
from tests.oracle.subjects import on_crossing_halves
from tests.small_taxonomies import tables
from voile.algorithms.incognito import Incognito
from voile.core.boxes import Boxes
from voile.core.lattice_search import LOSSES, PASSES
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
    assert {tuple(levels) for levels in np.argwhere(search.known == PASSES).tolist()} == passing
    assert search.best(by).levels == best
    part = algorithm.partition(table)
    found = {
        tuple(zip(part.low[g].tolist(), part.high[g].tolist(), strict=True)): np.flatnonzero(
            part.group == g
        ).tolist()
        for g in range(part.groups)
    }
    assert found == groups
    if by in METRICS:
        lost = search.loss(best, by)
        cells = table.n * len(table.quasi) if by.startswith("gcp") else 1
        assert METRICS[by]().measure(Boxes.around(table, part)) == Fraction(lost) / cells


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
@settings(SEVERAL, max_examples=20)
@given(tables(most=8, columns=2), st.sampled_from(["0.1", "0.25", "0.4"]))
def test_equals_an_exhaustive_search_for_t_closeness(table, t):
    assert_equal_to_exhaustive_search(table, ("t_closeness", {"t": t}), 0, "gcp_leaves")


def test_tagging_upwards_would_be_wrong_with_suppression():
    """The control: AB with a, b passes while CDE are given up; all together are a, b, b, b, b and fail."""
    search = Incognito(l=2, suppress=Fraction(3, 5)).search(on_crossing_halves((0, 1, 1, 1, 1)))
    assert search.known[2, 0, 1] == PASSES != search.known[2, 1, 1]
