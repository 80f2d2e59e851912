"""m-invariance on a cluster: buckets from counts, large ones in chunks; what each release must keep."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.algorithms.series_of_tables import (
    Memory,
    Person,
    check_release,
    groups_of,
    series,
    table_of,
    values_in,
)
from tests.small_tables import axis_of, column
from tests.spark.in_memory import InMemory
from voile.algorithms.m_invariant import MInvariant
from voile.core.boxes import Boxes
from voile.core.draws import Draws, InsecureDraws
from voile.core.hierarchy import Hierarchy
from voile.core.partition import Partition
from voile.core.schema import Role
from voile.core.table import Table
from voile.errors import Infeasible, SpecError
from voile.metrics.gcp_leaves import GcpLeaves
from voile.models.m_uniqueness import MUniqueness
from voile.spark import m_invariant
from voile.spark.m_invariant import FIRST, Past
from voile.spark.spread import joined

MANY = 10**6
both_balances = pytest.mark.parametrize("balance", ["counterfeit", "fill"])


class BySize(Draws):
    """Permutations that follow from the length of a run: as the local algorithm draws them, who stands at each
    place, or, turned, as rows draw them, at which place each stands."""

    def __init__(self, seed, turned=False):
        self.seed, self.turned = seed, turned

    def words(self, count, bits):
        raise AssertionError("only runs are shuffled")

    def shuffled(self, start):
        runs = []
        for first, after in pairwise(start):
            order = np.random.default_rng([self.seed, int(after - first)]).permutation(after - first)
            runs.append(first + (np.argsort(order) if self.turned else order))
        return np.concatenate([np.empty(0, np.int64), *runs])


def past_of(history):
    """What a ledger knows of rows that lie in parts."""
    return Past(lambda batch: history.signature[batch["row"]], history.sets)


def published(spread, planned):
    """What executors make of the cells, as one partition; and the cell of each row."""
    whole = joined(spread.parts)
    cell = np.concatenate([planned.cell_of(part) for part in spread.parts])[np.argsort(whole["row"])]
    columns = spread.layout.columns
    codes = {name: own[np.argsort(whole["row"])] for name, own in whole.items()}
    group, fake_group, fake_value, groups = np.full(cell.size, -1), [], [], 0
    for number in np.unique(cell[cell >= 0]).tolist():
        rows = np.flatnonzero(cell == number)
        own = [column(c.name, c.domain, codes[f"c{i}"][rows], c.role) for i, c in enumerate(columns)]
        found = planned.work(number, Table(own), None)
        group[rows] = found.group + groups
        fake_group += (found.counterfeit_group + groups).tolist()
        fake_value += found.counterfeit_value.tolist()
        groups += found.groups
    return Partition(group, np.array(fake_group, int), np.array(fake_value, int)), cell


def sizes_of_cells(part, cell):
    """Rows of each cell, counterfeits included; groups do not cross cells."""
    rows = np.flatnonzero(part.group >= 0)
    home = np.full(part.groups, -1)
    home[part.group[rows]] = cell[rows]
    assert (home[part.group[rows]] == cell[rows]).all()
    return np.bincount(home, part.published_sizes)


@pytest.mark.slow
@both_balances
@settings(max_examples=40)
@given(tables=series(), m=st.integers(2, 3), seed=st.integers(0, 9))
def test_where_buckets_fit_a_cell_groups_are_the_local_ones(balance, tables, m, seed):
    algorithm, memory = MInvariant(m=m, balance=balance), Memory()
    for people in tables:
        table = table_of(people)
        history = memory.history(table)
        spread = InMemory(table, 1, BySize(seed, turned=True))  # rows in one part draw in their order
        try:
            local = algorithm.partition(table, draws=BySize(seed), history=history)
        except Infeasible:
            with pytest.raises(Infeasible):
                m_invariant.plan(spread, algorithm, MANY, past_of(history))
            continue
        part, _ = published(spread, m_invariant.plan(spread, algorithm, MANY, past_of(history)))
        assert sorted(groups_of(part)) == sorted(groups_of(local))
        memory.keep(table, groups_of(local))


@pytest.mark.slow
@both_balances
@settings(max_examples=60)
@given(tables=series(most=20), m=st.integers(2, 3), most=st.integers(5, 9), seed=st.integers(0, 9))
def test_a_series_in_small_cells_keeps_its_promise(balance, tables, m, most, seed):
    """And has as many counterfeits as the local release, however buckets are cut."""
    algorithm, memory = MInvariant(m=m, balance=balance), Memory()
    for people in tables:
        table = table_of(people)
        history = memory.history(table)
        spread = InMemory(table, 2, InsecureDraws(seed))
        try:
            planned = m_invariant.plan(spread, algorithm, most, past_of(history))
        except Infeasible:
            continue
        part, cell = published(spread, planned)
        check_release(values_in(table), memory.of(table), groups_of(part), m)
        local = algorithm.partition(table, draws=InsecureDraws(seed), history=history)
        assert part.counterfeits == local.counterfeits
        if part.groups:
            assert sizes_of_cells(part, cell).max() <= most
        memory.keep(table, groups_of(part))


@pytest.mark.slow
@settings(max_examples=60)
@given(
    places=st.lists(st.integers(0, 500), min_size=8, max_size=40, unique=True),
    most=st.integers(2, 9),
    data=st.data(),
)
def test_cells_do_not_depend_on_which_value_is_which(places, most, data):
    """One bucket of two values: exchange them, and every chunk has the same people. What the proof needs."""
    half = len(places) // 2
    values = np.array(data.draw(st.permutations([0] * half + [1] * half)))
    places = sorted(places[: 2 * half])
    found = []
    for secret in (values, 1 - values):
        table = two_columns(places, secret)
        spread = InMemory(table, 2, InsecureDraws(0))
        part, cell = published(spread, m_invariant.plan(spread, MInvariant(m=2), most))
        found.append((cell.tolist(), [rows for rows, _ in groups_of(part)]))
    assert found[0][0] == found[1][0]
    assert sorted(found[0][1]) == sorted(found[1][1])


def two_columns(places, secret, **more):
    columns = [
        column("number", axis_of(places), places),
        column("secret", Hierarchy.flat(["a", "b", "c"]), secret, Role.SENSITIVE),
    ]
    return Table([*columns, *(column(n, *own) for n, own in more.items())])


def test_a_cut_that_looks_at_places_alone_is_caught():
    """Positive control: chunks of a bucket by the curve, not by the list of each value."""
    places = list(range(40))
    table = two_columns(places, [int(p >= 20) for p in places])
    spread = InMemory(table, 2)
    planned = m_invariant.plan(spread, MInvariant(m=2), 10)
    sound, _ = published(spread, planned)
    broken, _ = published(spread, type(planned)(lambda b: b["row"] // 10, planned.work, planned.algorithm))
    assert sound.counterfeits == 0
    assert broken.counterfeits == 40


def test_a_plan_that_forgets_signatures_is_caught():
    """Positive control: a second release planned as if it were the first."""
    values = [0] * 16 + [1] * 14 + [2] * 10
    people = [Person(i, i % 10, i, 0, 0, value) for i, value in enumerate(values)]
    memory, algorithm = Memory(), MInvariant(m=2)
    table = table_of(people)
    memory.keep(table, groups_of(algorithm.partition(table, draws=InsecureDraws(0))))
    later = table_of([p for p in people if p.name % 5])
    spread = InMemory(later, 2, InsecureDraws(0))
    for past in (past_of(memory.history(later)), FIRST):
        part, _ = published(spread, m_invariant.plan(spread, algorithm, 12, past))
        if past is not FIRST:
            check_release(values_in(later), memory.of(later), groups_of(part), 2)
            continue
        with pytest.raises(AssertionError):
            check_release(values_in(later), memory.of(later), groups_of(part), 2)


def test_what_is_refused():
    places = list(range(6))
    ward = (Hierarchy.flat(["u"]), [0] * 6, Role.INSENSITIVE)
    with pytest.raises(SpecError, match="counterfeit"):
        m_invariant.plan(InMemory(two_columns(places, [0, 1] * 3, ward=ward)), MInvariant(m=2), 10)
    with pytest.raises(Infeasible):
        m_invariant.plan(InMemory(two_columns(places, [0, 0, 0, 0, 1, 2])), MInvariant(m=2), 10)
    m_invariant.plan(InMemory(two_columns(places, [0, 1] * 3)), MInvariant(m=2), 10)


def test_a_signature_wider_than_a_cell_is_announced():
    table = two_columns([1, 2, 3], [0, 1, 2])
    assert "larger" in m_invariant.plan(InMemory(table), MInvariant(m=3), 2).announced
    assert not m_invariant.plan(InMemory(table), MInvariant(m=3), 3).announced


def loss(table, part):
    return float(GcpLeaves().measure(Boxes.around(table, part)))


@pytest.mark.slow
def test_adult_in_cells(adult_table):
    """Cells of 2,000 rows lose a tenth against the local split; the promise is checked by the model."""
    algorithm = MInvariant(m=4)
    spread = InMemory(adult_table, 3, InsecureDraws(1))
    part, cell = published(spread, m_invariant.plan(spread, algorithm, 2000))
    assert part.counterfeits == part.suppressed == 0
    assert sizes_of_cells(part, cell).max() <= 2000
    assert MUniqueness(m=4).check(adult_table.bags(part.group)).ok
    local = algorithm.partition(adult_table, draws=InsecureDraws(1))
    assert part.groups == local.groups
    assert loss(adult_table, part) <= 1.15 * loss(adult_table, local)
