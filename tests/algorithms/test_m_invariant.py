"""m-invariance: the paper's running example, Assign, and what every release of a series must keep."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.algorithms.series_of_tables import (
    Memory,
    Person,
    by_literal,
    check_release,
    groups_of,
    names_in,
    series,
    table_of,
    values_in,
)
from tests.oracle import m_invariant_literal as literal
from tests.oracle.every_draw import distribution
from tests.small_tables import axis_of, column
from voile.algorithms.m_invariant import MInvariant
from voile.core.draws import InsecureDraws
from voile.core.hierarchy import Hierarchy
from voile.core.history import History
from voile.core.schema import Role
from voile.core.table import Table
from voile.errors import Infeasible, SpecError

both_balances = pytest.mark.parametrize("balance", ["counterfeit", "fill"])


class Example:
    """The paper's Tables 1b and 2a, as a table and a memory."""

    def __init__(self, cases):
        self.cases = cases
        people = cases["T2"]
        self.diseases = sorted({row[2] for row in people.values()} | {row[2] for row in cases["T1"].values()})
        self.names = sorted(people)
        rows = [people[name] for name in self.names]
        self.table = Table(
            [
                column("age", axis_of([row[0] for row in rows]), [row[0] for row in rows]),
                column("zip", axis_of([row[1] for row in rows]), [row[1] for row in rows]),
                column("disease", Hierarchy.flat(self.diseases), self.codes(r[2] for r in rows), Role.SENSITIVE),
                column("name", Hierarchy.flat(self.names), list(range(len(rows))), Role.SUBJECT),
            ]
        )
        self.memory = Memory()
        for group in cases["T*1_table1b"]:
            for name, (age, zipcode, _) in cases["T1"].items():
                inside = group["age"][0] <= age <= group["age"][1]
                if inside and group["zip_k"][0] <= zipcode // 1000 <= group["zip_k"][1] and name in people:
                    self.memory.signature[self.names.index(name)] = tuple(sorted(self.codes(group["values"])))

    def codes(self, diseases):
        return [self.diseases.index(disease) for disease in diseases]

    def people_in(self, groups):
        """Groups as sets of names, with the diseases of counterfeits."""
        name = [self.names[i] for i in names_in(self.table)]
        return {
            (tuple(sorted(name[row] for row in rows)), tuple(self.diseases[v] for v in fakes))
            for rows, fakes in groups
        }

    def names_of(self, bucket):
        """A bucket of the literal as names, a counterfeit by its disease."""
        name = [self.names[i] for i in names_in(self.table)]
        return {
            self.diseases[value] if row is None else name[row] for value, rows in bucket.items() for row in rows
        }


@pytest.fixture(scope="module")
def example(m_invariance_cases):
    return Example(m_invariance_cases)


def test_running_example_by_phases(example):
    """Figure 2: division, balancing, assignment."""
    table, cases = example.table, example.cases
    known = example.memory.of(table)
    buckets = literal.divide(values_in(table), known)
    left = literal.new_tuples(values_in(table), known, lambda start: range(start[-1]))

    def named():
        return {",".join(example.diseases[v] for v in key): example.names_of(b) for key, b in buckets.items()}

    assert named() == {key: set(names) for key, names in cases["buckets_after_division"].items()}
    for key in literal.in_order(buckets):
        literal.fill_shortage(buckets[key], left, 2)
    balanced = {key: {n.split("=")[-1] for n in names} for key, names in cases["buckets_after_balancing"].items()}
    assert named() == balanced
    literal.assign(buckets, left, 2)
    assert named() == balanced | {k: set(v) for k, v in cases["buckets_after_assignment"].items()}


def test_running_example_is_table_3_on_every_draw(example):
    """Table 3a and 3b with probability 1, groups and counterfeits as printed."""
    history = example.memory.history(example.table)

    def run(draws):
        part = MInvariant(m=2, balance="fill").partition(example.table, draws=draws, history=history)
        return frozenset(example.people_in(groups_of(part)))

    ((groups, chance),) = distribution(run).items()
    assert chance == 1
    fakes = {"c1": "bronchitis", "c2": "flu"}
    assert groups == {
        (tuple(sorted(n for n in group if n not in fakes)), tuple(fakes[n] for n in group if n in fakes))
        for group in example.cases["split_groups"]
    }
    assert as_printed(example, groups) == sorted(
        (tuple(g["age"]), tuple(g["zip_k"]), tuple(sorted(g["values"])), g["counterfeits"])
        for g in example.cases["T*2_table3a"]
    )
    assert example.cases["R2"] == {"1": 1, "3": 1}  # the groups of Bob, and of Jane and Linda
    assert sorted(names for names, fake in groups if fake) == [("Bob",), ("Jane", "Linda")]


def as_printed(example, groups):
    """Rows of Table 3a; the only group of one person is padded by hand there, to [21, 22] and [12k, 14k]."""
    people, found = example.cases["T2"], []
    for names, fakes in groups:
        ages, zips = [people[n][0] for n in names], [people[n][1] // 1000 for n in names]
        age, zipcode = (min(ages), max(ages)), (min(zips), max(zips))
        if names == ("Bob",):
            age, zipcode = (21, 22), (12, 14)
        found.append((age, zipcode, tuple(sorted([*(people[n][2] for n in names), *fakes])), len(fakes)))
    return sorted(found)


def test_running_example_with_counterfeits_alone(example):
    """Nobody new moves into a shortage: Steve, too, stands beside a counterfeit; five new persons are dealt."""
    history = example.memory.history(example.table)
    part = MInvariant(m=2).partition(example.table, draws=InsecureDraws(1), history=history)
    groups = example.people_in(groups_of(part))
    assert {fake for _, fakes in groups for fake in fakes} == {"bronchitis", "dyspepsia", "flu"}
    assert {("Bob",), ("Steve",)} <= {names for names, fakes in groups if fakes}
    assert part.counterfeits == 3


def test_a_shortage_is_moved_as_a_whole():
    """docs/facts/m_invariance.md B4: S- = (2, 2), one of each is lacking: one at a time would be refused, together
    it works."""
    first = [Person(i, i, 0, 0, 0, i) for i in range(3)]
    memory = Memory({0: (0, 1, 2), 1: (0, 1, 2), 2: (0, 1, 2)})
    people = [first[0], *(Person(3 + i, i, 0, 0, 0, 1 + i % 2) for i in range(4))]
    table = table_of(people)
    part = MInvariant(m=2, balance="fill").partition(table, history=memory.history(table))
    assert part.counterfeits == 0
    assert MInvariant(m=2).partition(table, history=memory.history(table)).counterfeits == 2


@both_balances
def test_first_release_that_is_not_eligible_is_refused(balance):
    table = table_of([Person(i, i, 0, 0, 0, int(i == 3)) for i in range(4)])
    with pytest.raises(Infeasible):
        MInvariant(m=2, balance=balance).partition(table)


@both_balances
def test_new_rows_that_are_not_eligible_wait_as_a_whole(balance):
    people = [Person(i, i, 0, 0, 0, value) for i, value in enumerate([0, 1, 2, 2, 0])]
    table = table_of(people)
    memory = Memory({0: (0, 1), 1: (0, 1)})
    algorithm = MInvariant(m=2, balance=balance)
    groups = groups_of(algorithm.partition(table, history=memory.history(table)))
    assert [sorted(names_in(table)[row] for row in rows) for rows, _ in groups] == [[0, 1]]
    with pytest.raises(Infeasible):
        MInvariant(m=2, balance=balance, ineligible="refuse").partition(table, history=memory.history(table))


def test_nobody_at_all():
    table = table_of([])
    assert MInvariant(m=2).partition(table, history=Memory({0: (0, 1)}).history(table)).groups == 0


def test_all_but_one_gone():
    table = table_of([Person(0, 5, 0, 0, 0, 1)])
    history = Memory({0: (0, 1, 4), 1: (0, 1, 4)}).history(table)
    assert groups_of(MInvariant(m=2).partition(table, history=history)) == [((0,), (0, 4))]


def test_a_value_outside_the_signature_is_never_published():
    table = table_of([Person(0, 5, 0, 0, 0, 3), Person(1, 6, 0, 0, 0, 0)])
    memory = Memory({0: (0, 1), 1: (0, 1)})
    assert groups_of(MInvariant(m=2).partition(table, history=memory.history(table))) == [((1,), (1,))]
    careless = History(np.array([0, 0]), (np.array([0, 1]),))
    with pytest.raises(ValueError, match="withhold"):
        MInvariant(m=2).partition(table, history=careless)


def test_kept_columns_would_show_counterfeits():
    codes = [0, 1]
    table = Table(
        [
            column("number", axis_of(codes), codes),
            column("secret", Hierarchy.flat(["a", "b"]), codes, Role.SENSITIVE),
            column("ward", Hierarchy.flat(["u", "v"]), codes, Role.INSENSITIVE),
        ]
    )
    with pytest.raises(SpecError, match="counterfeit"):
        MInvariant(m=2).partition(table)


def test_draws_decide():
    values = [0] * 16 + [1] * 14 + [2] * 10  # everybody of value 0 may stand beside a 1 or a 2
    table = table_of([Person(i, i * 7 % 10, i, 0, 0, value) for i, value in enumerate(values)])
    one, same, other = (MInvariant(m=2).partition(table, draws=InsecureDraws(s)).group for s in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()


@pytest.mark.slow
@both_balances
@settings(max_examples=60)
@given(tables=series(), m=st.integers(2, 3), seed=st.integers(0, 9))
def test_series_keeps_its_promise(balance, tables, m, seed):
    """m-unique, signatures for ever, a real row in every group, everybody published or with a reason not to be;
    and the same groups as the literal with the same draws."""
    algorithm, memory = MInvariant(m=m, balance=balance), Memory()
    for number, people in enumerate(tables):
        table = table_of(people)
        known = memory.of(table)
        expected = by_literal(table, known, algorithm, InsecureDraws(seed + number))
        try:
            part = algorithm.partition(table, draws=InsecureDraws(seed + number), history=memory.history(table))
        except Infeasible:
            assert expected is None
            continue
        groups = groups_of(part)
        assert sorted(groups) == sorted(expected)
        check_release(values_in(table), known, groups, m)
        memory.keep(table, groups)


@both_balances
@pytest.mark.parametrize("values, m", [(2, 2), (5, 3)])
def test_large_buckets_are_split_alike(balance, values, m):
    """Lists so long that the product cuts them first, and shares the parts out to two threads."""
    generator = np.random.default_rng(values)
    places = generator.integers([0, -50, 0, 0], [10, 50, 5, 5], (180, 4)).tolist()
    people = [Person(name, *place, name % values) for name, place in enumerate(places)]
    algorithm, memory = MInvariant(m=m, balance=balance), Memory()
    stayed = [p for p in people[:150] if p.name % 7 and p.name % values < 2]
    for number, present in enumerate((people[:150], stayed + people[150:])):
        table = table_of(present, persons=180)
        expected = by_literal(table, memory.of(table), algorithm, InsecureDraws(number))
        history = memory.history(table)
        groups = groups_of(algorithm.partition(table, draws=InsecureDraws(number), history=history))
        assert sorted(groups) == sorted(expected)
        check_release(values_in(table), memory.of(table), groups, m)
        memory.keep(table, groups)


@both_balances
@settings(max_examples=40)
@given(tables=series(releases=2), seed=st.integers(0, 9), data=st.data())
def test_order_of_input_does_not_matter(balance, tables, seed, data):
    memories = [Memory(), Memory()]
    for people in tables:
        shown = []
        for memory, order in zip(memories, (people, data.draw(st.permutations(people))), strict=True):
            table = table_of(order)
            history = memory.history(table)
            try:
                part = MInvariant(m=2, balance=balance).partition(
                    table, draws=InsecureDraws(seed), history=history
                )
            except Infeasible:
                shown.append(None)
                continue
            memory.keep(table, groups_of(part))
            names = names_in(table)
            shown.append({(tuple(names[row] for row in rows), fakes) for rows, fakes in groups_of(part)})
        assert shown[0] == shown[1]


@both_balances
def test_unchanged_table_again(balance):
    """Only the split is done again, and it finds the same groups in the same buckets."""
    table = table_of([Person(i, i % 10, i, 0, 0, i % 5) for i in range(30)])
    memory, algorithm = Memory(), MInvariant(m=3, balance=balance)
    first = groups_of(algorithm.partition(table))
    memory.keep(table, first)
    assert groups_of(algorithm.partition(table, history=memory.history(table))) == first


def test_a_person_who_returns_and_one_who_moves(m_invariance_cases):
    """docs/facts/m_invariance.md B4: treated as new, both would have risk 1; with the memory they keep their
    signature."""
    corner = m_invariance_cases["assign_and_corner_cases"]["corner_cases"]
    assert Fraction(corner["reinsertion_new_signature"]["risk_p_HIV"]) == 1
    kept = corner["reinsertion_old_signature_kept(ledger)"]["releases"]
    values = {"p": 0, "q": 1}  # HIV, flu
    memory = Memory()
    for place, release in zip((5, 5, 9), kept, strict=True):
        ((names, bag, fakes),) = release
        table = table_of([Person("pq".index(n), place, 0, 0, 0, values[n]) for n in names])
        part = MInvariant(m=2).partition(table, history=memory.history(table))
        groups = groups_of(part)
        assert [(len(rows), len(f)) for rows, f in groups] == [(len(names), fakes)]
        assert len(bag) == len(names) + fakes
        memory.keep(table, groups)
    assert memory.signature == {0: (0, 1), 1: (0, 1)}
