"""ELIG and the Hilbert curve on a cluster: every chunk allows l, and little is lost by cutting first."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.small_tables import table_from, tables
from tests.spark.in_memory import InMemory
from voile import catalog
from voile.algorithms.elig import Elig
from voile.algorithms.hilbert import Hilbert
from voile.core.boxes import Boxes
from voile.core.draws import InsecureDraws
from voile.core.eligibility import largest_l
from voile.core.partition import Partition
from voile.errors import Infeasible, ParameterError
from voile.models.unique_distinct_l_diversity import UniqueDistinctLDiversity
from voile.spark.coding import CURVE
from voile.spark.plans import plan_of

BOTH = (Elig, Hilbert)


def run(table, algorithm, most, parts=3):
    """The group and the cell of each row, and what was planned."""
    spread = InMemory(table, parts, InsecureDraws(5))
    for part in spread.parts:
        del part[CURVE]  # the plan does not ask for it
    planned = plan_of(algorithm).make(spread, algorithm, most)
    return *spread.grouped(planned), planned


def loses(table, group):
    boxes = Boxes.around(table, Partition(group))
    return float(catalog.metrics()["gcp_leaves"]().measure(boxes))


def values_per_group(table, group):
    secret = table.sensitive[0].codes
    return [secret[group == g].tolist() for g in np.unique(group)]


@pytest.mark.slow
@settings(max_examples=200)
@given(
    table=tables(least=6, most=40, values=5),
    kind=st.sampled_from(BOTH),
    ell=st.sampled_from([2, 3, "auto"]),
    most=st.integers(6, 20),
)
def test_promise(table, kind, ell, most):
    """All values of a group differ, and there are l; or l is refused as it is locally."""
    feasible = largest_l(np.bincount(table.sensitive[0].codes))
    if feasible < (2 if ell == "auto" else ell):
        with pytest.raises(Infeasible):
            run(table, kind(l=ell), most)
        return
    group, cell, planned = run(table, kind(l=ell), most)
    settled = planned.algorithm.l
    assert settled == feasible if ell == "auto" else settled == ell
    assert all(len(values) == len({*values}) >= settled for values in values_per_group(table, group))
    assert UniqueDistinctLDiversity(l=settled).check(table.bags(group)).ok
    if not planned.announced:  # what is dealt is dealt in whole groups
        assert np.bincount(cell).max() <= most


@pytest.mark.parametrize("kind", BOTH)
def test_what_cannot_be_cut_is_dealt_and_announced(kind):
    same = [3] * 64
    table = table_from(same, same, [0] * 64, [0] * 64, [0] * 32 + [1, 2, 3, 4] * 8)
    group, cell, planned = run(table, kind(l=2), 20)
    assert planned.announced == "1 part of more than 20 rows could not be cut: dealt to cells at random"
    assert np.unique(cell).size == 4 and np.bincount(cell).max() <= 20
    assert all(len(values) == len({*values}) >= 2 for values in values_per_group(table, group))
    assert not run(table, kind(l=2), 64)[2].announced


@pytest.mark.parametrize("kind", BOTH)
def test_a_cell_for_all_is_the_local_run(kind):
    rng = np.random.default_rng(2)
    table = table_from(*(rng.integers(0, high, 90).tolist() for high in (10, 40, 5, 5, 6)), values=6)
    group, _, _ = run(table, kind(l=3), 90)
    assert np.array_equal(group, kind(l=3).partition(table).group)


@pytest.mark.parametrize("kind", BOTH)
def test_nobody_is_given_up(kind):
    table = table_from([1, 2, 3, 4], [0] * 4, [0] * 4, [0] * 4, [0, 0, 0, 1])
    with pytest.raises(ParameterError, match="suppress"):
        run(table, kind(l=2, ineligible="suppress"), 2)
    with pytest.raises(Infeasible) as refusal:
        run(table, kind(l=2), 2)
    assert "suppress" not in refusal.value.remedy


@pytest.mark.slow
@pytest.mark.parametrize("ell", [3, 5])
def test_little_is_lost_on_adult(adult_table, ell):
    """At most 15 % more than locally, in eight chunks or more."""
    group, cell, _ = run(adult_table, Elig(l=ell), adult_table.n // 8)
    assert UniqueDistinctLDiversity(l=ell).check(adult_table.bags(group)).ok
    assert np.unique(cell).size >= 8
    assert loses(adult_table, group) <= 1.15 * loses(adult_table, Elig(l=ell).partition(adult_table).group)
