"""Random tables in cells: whatever a plan makes of them, the independent audit finds the promise kept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.nights import examples
from tests.small_tables import table_from, tables
from tests.spark.in_memory import InMemory
from voile import catalog
from voile.auditing import audit_frame
from voile.core.boxes import Boxes
from voile.core.draws import InsecureDraws
from voile.core.eligibility import largest_l
from voile.core.partition import Partition
from voile.rendering.release_frame import render
from voile.spark import plans

SETTINGS = {"rda": {}, "blind_cut": {"least": 2}, "glass": {"least": 2}, "elig": {}, "hilbert": {}, "mondrian": {}}


def audited(table, group):
    """What the audit finds in the rows as they are published."""
    partition = Partition(group)
    frame, _ = render(table, partition, Boxes.around(table, partition))
    return audit_frame(frame, table.schema, {})


@pytest.mark.slow
@pytest.mark.parametrize("key", SETTINGS)
@settings(max_examples=examples(50, 500))
@given(
    table=tables(least=8, most=40, values=5),
    ell=st.integers(2, 3),
    most=st.integers(4, 16),
    seed=st.integers(0, 2**20),
)
def test_the_promise_is_kept(key, table, ell, most, seed):
    """In cells of 4 to 16 rows."""
    if largest_l(np.bincount(table.sensitive[0].codes)) < ell:
        return
    chosen = catalog.algorithm(key).configure({"l": ell, **SETTINGS[key]})
    spread = InMemory(table, 2, InsecureDraws(seed))
    group, _ = spread.grouped(plans.plan_of(chosen).make(spread, chosen, most))
    found = audited(table, group)
    assert found.rows == table.n
    assert found.achieved["frequency_l_diversity"].achieved >= ell


def test_the_audit_finds_what_is_not_kept():
    """The control: everybody alone."""
    table = table_from([1, 2, 3, 4], [1, 2, 3, 4], [0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 0, 1])
    assert audited(table, np.arange(4)).achieved["frequency_l_diversity"].achieved == 1
