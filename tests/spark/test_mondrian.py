"""Mondrian on a cluster makes the groups that it makes locally; upper cuts are decided by counts."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.algorithms.test_mondrian import ASKED
from tests.small_tables import LETTERS, TREE, axis_of, column, table_from, tables
from tests.spark.in_memory import InMemory
from voile.algorithms.mondrian import Mondrian
from voile.core.schema import Role
from voile.core.table import Table
from voile.errors import BeyondReach, Infeasible, ParameterError
from voile.kernels.mondrian import FREE_BINS
from voile.spark import code_cuts
from voile.spark.coding import CURVE
from voile.spark.plans import plan_of

CUTS = ("free", "median")


def run(table, algorithm, most, parts=3):
    """The group and the cell of each row, and what was planned."""
    spread = InMemory(table, parts)
    for part in spread.parts:
        del part[CURVE]  # the plan does not ask for it
    planned = plan_of(algorithm).make(spread, algorithm, most)
    return *spread.grouped(planned), planned


def alike(one, other):
    """Whether two partitions are the same, whatever the numbers of their groups."""
    return len({*zip(one.tolist(), other.tolist(), strict=True)}) == len({*one.tolist()}) == len({*other.tolist()})


def equals_the_local_one(table, algorithm, most, parts=3):
    try:
        expected = algorithm.partition(table).group
    except Infeasible as refusal:
        with pytest.raises(Infeasible) as found:
            run(table, algorithm, most, parts)
        assert str(found.value) == str(refusal)
        return 0
    group, cell, planned = run(table, algorithm, most, parts)
    assert alike(group, expected)
    assert algorithm.model().check(table.bags(group)).ok
    large = [rows for rows in np.unique(cell, return_counts=True)[1] if rows > most]
    assert bool(large) == bool(planned.announced)
    assert {*large} <= {*np.unique(group, return_counts=True)[1]}  # each of them is one group
    return np.unique(cell).size


@pytest.mark.slow
@settings(max_examples=200)
@given(
    table=tables(least=4, most=40, values=4),
    asked=st.sampled_from(ASKED),
    cuts=st.sampled_from(CUTS),
    most=st.integers(1, 16),
)
def test_equal_partition(table, asked, cuts, most):
    equals_the_local_one(table, Mondrian(**asked, cuts=cuts), most)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.data())
def test_equal_partition_by_distances(data):
    """t-closeness compares with the whole table, by the order or the tree of values; wide columns have bins."""
    n = data.draw(st.integers(2, 24))

    def codes(high):
        return data.draw(st.lists(st.integers(0, high), min_size=n, max_size=n))

    domain = data.draw(st.sampled_from([TREE, axis_of([0, 9]), LETTERS]))
    numbers, wide = codes(3), [317 * x for x in codes(9)]
    secret = column("secret", domain, codes(4), Role.SENSITIVE)
    table = Table([column("number", axis_of(numbers), numbers), column("wide", axis_of(wide), wide), secret])
    t = Fraction(data.draw(st.integers(1, 9)), 10)
    equals_the_local_one(table, Mondrian(property="t_closeness", t=t), data.draw(st.integers(1, 12)))


def random_rows(n, wide):
    rng = np.random.default_rng(7)
    drawn = [rng.integers(0, high, n) for high in (4 * FREE_BINS * wide, 50, 5, 5)]
    skewed = np.minimum(rng.geometric(0.4, n), 6) - 1
    return table_from(*(part.tolist() for part in drawn), skewed.tolist(), values=6)


@pytest.mark.parametrize("wide", [1, 2**25])
@pytest.mark.parametrize("asked", [{"l": 2}, {"property": "t_closeness", "t": Fraction(1, 5)}])
def test_equal_partition_of_wide_columns(wide, asked):
    """Bins of several codes, and steps too many for the kernels."""
    assert equals_the_local_one(random_rows(6000, wide), Mondrian(**asked), 500) > 12


@pytest.mark.slow
@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize(
    "asked",
    [
        {"l": 3},
        {"l": 5},
        {"property": "t_closeness", "t": Fraction(1, 5)},
        {"property": "tau_l", "l": 4, "tau": Fraction(3, 10)},
        {"property": "entropy", "l": 4},
    ],
)
def test_equal_partition_of_adult(adult_table, asked, cuts):
    assert equals_the_local_one(adult_table, Mondrian(**asked, cuts=cuts), adult_table.n // 8) >= 8


def test_the_whole_decides_not_the_cell():
    """The control: cells that compare with themselves make other groups."""
    table, asked = random_rows(2000, 1), Mondrian(property="t_closeness", t=Fraction(1, 5))
    spread = InMemory(table, 2)
    planned = plan_of(asked).make(spread, asked, 300)
    cell = spread.grouped(planned)[1]
    own = np.empty(table.n, np.int64)
    for number in np.unique(cell):
        rows = cell == number
        part = Table([column(c.name, c.domain, c.codes[rows], c.role) for c in table.columns])
        own[rows] = asked.partition(part).group + own.size * number
    assert not alike(own, asked.partition(table).group)


def test_rows_that_look_alike_are_one_large_group_and_announced():
    same = [1] * 30
    table = table_from(same + [2] * 6, same + [1] * 6, [0] * 36, [0] * 36, [0, 1, 2] * 12)
    group, _, planned = run(table, Mondrian(l=2), 10)
    assert np.bincount(group).tolist() == [30, 6] or np.bincount(group).tolist() == [6, 30]
    assert planned.announced == "1 group of more than 10 rows, in which nothing can be cut"
    assert not run(table, Mondrian(l=2), 30)[2].announced


def test_relaxed_cuts_need_the_order_of_rows():
    table = random_rows(60, 1)
    with pytest.raises(ParameterError, match="relaxed"):
        run(table, Mondrian(l=2, mode="relaxed"), 10)
    assert run(table, Mondrian(l=2, mode="strict"), 10)[0].size == 60


def test_keys_that_no_number_can_tell_apart(monkeypatch):
    table = random_rows(60, 1)
    assert run(table, Mondrian(l=2), 10)[0].size == 60
    monkeypatch.setattr(code_cuts, "KEYS", 1000)
    with pytest.raises(BeyondReach, match="too many codes"):
        run(table, Mondrian(l=2), 10)
