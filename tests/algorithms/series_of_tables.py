"""Little series for tests of m-invariance: tables of persons, and a memory in place of the ledger."""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import strategies as st

from tests.oracle import m_invariant_literal as literal
from tests.small_tables import LETTERS, TREE, axis_of, column
from voile.core.axis import Axis
from voile.core.hierarchy import Hierarchy
from voile.core.history import NEW, WITHHELD, History
from voile.core.schema import Role
from voile.core.table import Table


@dataclass(frozen=True)
class Person:
    """A row of a table: who, where in each attribute, and the secret."""

    name: int
    number: int
    other: int
    tree: int
    letter: int
    value: int


def table_of(people, values=8, persons=64):
    """A Table of these people, in canonical order."""
    return Table(
        [
            column("number", axis_of([p.number for p in people]), [p.number for p in people]),
            column("other", axis_of([p.other for p in people]), [p.other for p in people]),
            column("tree", TREE, [p.tree for p in people]),
            column("letter", LETTERS, [p.letter for p in people]),
            column(
                "secret",
                Hierarchy.flat([f"s{v}" for v in range(values)]),
                [p.value for p in people],
                Role.SENSITIVE,
            ),
            column(
                "person",
                Hierarchy.flat([f"n{i:03}" for i in range(persons)]),
                [p.name for p in people],
                Role.SUBJECT,
            ),
        ]
    )


def names_in(table):
    """The person of each row."""
    return table.with_role(Role.SUBJECT)[0].codes.tolist()


def values_in(table):
    """The secret of each row."""
    return table.sensitive[0].codes.tolist()


@dataclass
class Memory:
    """The signature of everybody ever published."""

    signature: dict = field(default_factory=dict)

    def of(self, table):
        """What is remembered of each row: its signature, or that it is new or must be withheld."""
        found = []
        for name, value in zip(names_in(table), values_in(table), strict=True):
            known = self.signature.get(name, literal.NEW)
            found.append(known if known == literal.NEW or value in known else literal.WITHHELD)
        return found

    def history(self, table):
        """The same for the product."""
        sets = sorted(set(self.signature.values()))
        number = {literal.NEW: NEW, literal.WITHHELD: WITHHELD, **{s: i for i, s in enumerate(sets)}}
        return History(
            np.array([number[s] for s in self.of(table)], np.int64), tuple(np.array(s, np.int64) for s in sets)
        )

    def keep(self, table, groups):
        """Remember what was published; a signature never changes."""
        names, values = names_in(table), values_in(table)
        for rows, fakes in groups:
            signature = tuple(sorted({*(values[row] for row in rows), *fakes}))
            for row in rows:
                assert self.signature.setdefault(names[row], signature) == signature


def groups_of(part):
    """A Partition as the literal writes it: pairs of rows and of the values of counterfeits."""
    groups = [([], []) for _ in range(part.groups)]
    for row, group in enumerate(part.group.tolist()):
        if group >= 0:
            groups[group][0].append(row)
    for group, value in zip(part.counterfeit_group.tolist(), part.counterfeit_value.tolist(), strict=True):
        groups[group][1].append(value)
    return [(tuple(rows), tuple(sorted(fakes))) for rows, fakes in groups]


def attributes_of(table):
    """The length of each attribute's domain, and the codes, for the literal."""
    return [
        (c.domain.high - c.domain.low if isinstance(c.domain, Axis) else c.domain.leaves - 1, c.codes.tolist())
        for c in table.quasi
    ]


def by_literal(table, known, algorithm, draws):
    """The same release, slowly."""
    return literal.publish(
        attributes_of(table),
        values_in(table),
        known,
        algorithm.m,
        algorithm.balance,
        lambda start: draws.shuffled(np.array(start)).tolist(),
    )


def check_release(values, known, groups, m):
    """m-unique, signatures for ever, a real row in every group, everybody published or with a reason not to be."""
    for rows, fakes in groups:
        bag = [*(values[row] for row in rows), *fakes]
        assert rows
        assert len(set(bag)) == len(bag) >= m
        assert all(known[row] in (literal.NEW, tuple(sorted(bag))) for row in rows)
    published = {row for rows, _ in groups for row in rows}
    assert sum(len(rows) for rows, _ in groups) == len(published)
    new = {row for row, signature in enumerate(known) if signature == literal.NEW}
    assert {row for row, s in enumerate(known) if isinstance(s, tuple)} == published - new
    counts = np.bincount([values[row] for row in new] or [0])
    waiting = bool(new) and m * counts.max() > len(new)
    assert published & new == (set() if waiting else new)


@st.composite
def series(draw, releases=4, most=14, persons=20, values=5):
    """Tables of some of the same people: they come, go and return, move, and seldom change their value."""
    secret = draw(st.lists(st.integers(0, values - 1), min_size=persons, max_size=persons))
    tables = []
    for _ in range(draw(st.integers(1, releases))):
        present = draw(st.lists(st.integers(0, persons - 1), min_size=1, max_size=most, unique=True))
        if draw(st.integers(0, 3)) == 0:
            secret[draw(st.sampled_from(present))] = draw(st.integers(0, values - 1))
        tables.append([Person(name, *draw(PLACES), secret[name]) for name in present])
    return tables


PLACES = st.tuples(st.integers(0, 9), st.integers(-50, 50), st.integers(0, 4), st.integers(0, 4))
