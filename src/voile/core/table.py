"""Table: immutable integer-coded columns in canonical row order.

Rows are sorted by their codes when a Table is made, so a row number says nothing about the place
of a person in the source, and a deterministic algorithm gives the same release for permuted input.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.bags import Bags, Crowds
from voile.core.base_values import BaseValues
from voile.core.hierarchy import Hierarchy
from voile.core.order import dense_rank, distinct_values, sorted_together
from voile.core.partition import Partition
from voile.core.schema import Role, Schema, Type
from voile.errors import InputError, SpecError, counted

Codes = NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class Column:
    """A column as integers, and the domain that says what they mean."""

    name: str
    role: Role
    domain: Axis | Hierarchy
    codes: Codes
    weight: Fraction = field(default=Fraction(1))
    prior: Codes | None = None  # of each leaf of a sensitive column, how likely readers hold it beforehand

    def __repr__(self) -> str:
        return f"Column({self.name}, {self.role}, {self.codes.size} rows)"

    def tree(self) -> Hierarchy:
        """The hierarchy of a column that has one."""
        if not isinstance(self.domain, Hierarchy):
            raise ValueError("an axis has no tree")
        return self.domain


class Table:
    """Coded columns of equal length.

    >>> tree = Hierarchy.flat(["flu", "ulcer"])
    >>> table = Table([
    ...     Column("zip", Role.QUASI_IDENTIFYING, Hierarchy.flat(["10", "20"]), np.array([1, 0])),
    ...     Column("disease", Role.SENSITIVE, tree, np.array([0, 1])),
    ... ])
    >>> table
    Table(2 rows: zip quasi-identifying, disease sensitive)
    >>> table.quasi[0].codes.tolist(), table.sensitive[0].codes.tolist()
    ([0, 1], [1, 0])
    """

    def __init__(self, columns: Sequence[Column], *, schema: Schema | None = None, intake: object = None) -> None:
        self.n = int(columns[0].codes.size)
        self.schema = schema
        self.intake = intake  # what reading did, for the private record
        ranked = sorted(columns, key=_sort_rank)
        codes = dict(zip(ranked, sorted_together([c.codes for c in ranked]), strict=True))
        self.columns = tuple(_frozen(column, codes[column]) for column in columns)

    @classmethod
    def as_it_stands(cls, columns: Sequence[Column], schema: Schema | None = None) -> "Table":
        """Columns whose rows keep their order: for rendering what has been grouped already."""
        table = cls([replace(column, codes=column.codes[:0]) for column in columns], schema=schema)
        table.n = int(columns[0].codes.size)
        table.columns = tuple(_frozen(column, column.codes) for column in columns)
        return table

    def __repr__(self) -> str:
        names = ", ".join(f"{column.name} {column.role}" for column in self.columns)
        return f"Table({self.n} rows: {names})"

    def __len__(self) -> int:
        return self.n

    def with_role(self, role: Role) -> tuple[Column, ...]:
        """The columns of one role."""
        return tuple(column for column in self.columns if column.role == role)

    @property
    def quasi(self) -> tuple[Column, ...]:
        """The quasi-identifying columns."""
        return self.with_role(Role.QUASI_IDENTIFYING)

    @property
    def sensitive(self) -> tuple[Column, ...]:
        """The sensitive columns."""
        return self.with_role(Role.SENSITIVE)

    @property
    def kept(self) -> tuple[Column, ...]:
        """Insensitive columns that are published, and therefore known to the adversary."""
        return self.with_role(Role.INSENSITIVE)

    @cached_property
    def persons(self) -> Codes | None:
        """Which person each row belongs to; None when every row is a person of its own."""
        subject = self.with_role(Role.SUBJECT)
        if not subject:
            return None
        values, index = distinct_values(subject[0].codes)
        return index if values.size < self.n else None

    @cached_property
    def look(self) -> Codes:
        """Which combination of quasi-identifying and kept values each row has, numbered in canonical order."""
        new = np.zeros(self.n, bool)
        for column in self.quasi:  # rows stand in their order
            new[1:] |= column.codes[1:] != column.codes[:-1]
        look = np.cumsum(new)
        return dense_rank([look, *(column.codes for column in self.kept)]) if self.kept else look

    def bags(self, group: Codes, partition: Partition | None = None) -> Bags:
        """The sensitive values of each group of rows, counted by person. As `partition` publishes them: values
        generalised, and `group` going on after the rows with those of counterfeits; quasi-identifiers apart."""
        codes, fakes = [column.codes for column in self.sensitive], None
        values: list[BaseValues | None] = []
        persons = self.persons
        if partition is not None and partition.counterfeits:
            codes = [np.concatenate([own, partition.counterfeit_value]) for own in codes]
            fakes = np.bincount(group[self.n :], minlength=int(group.max()) + 1)
            if persons is not None:
                raise ValueError("counterfeits need one row per person")
        if partition is not None and partition.generalises:
            codes, values = [partition.node], [self.base_values(partition)]
        domains = [column.domain for column in self.sensitive]
        bags = Bags.of(group, codes, subject=persons, domains=domains, counterfeits=fakes, base_values=values)
        if partition is None or not partition.separate:
            return bags
        alike = np.bincount(self.look[partition.group >= 0])
        return replace(bags, alike=Crowds.of(alike[alike > 0]))

    def base_values(self, partition: Partition) -> BaseValues:
        """What the generalised values of the (only) sensitive column stand for."""
        return BaseValues(self.sensitive[0].tree(), partition.weight)

    def marks(self) -> dict[str, Codes]:
        """What must differ inside a group, by the name of its column: sensitive values, and the
        person where one has several rows; each numbered from 0."""
        marks = {column.name: distinct_values(column.codes)[1] for column in self.sensitive}
        persons = self.persons
        if persons is not None:
            marks[self.with_role(Role.SUBJECT)[0].name] = persons
        return marks

    def of_rows(self, some: NDArray[np.bool_]) -> "Table":
        """The table of these rows alone: domains of quasi-identifiers forget the others' values, too."""
        columns = []
        for column in self.columns:
            domain, codes = column.domain, column.codes[some]
            if column.role == Role.QUASI_IDENTIFYING and isinstance(domain, Axis) and domain.type != Type.ORDINAL:
                ends = (int(codes.min()), int(codes.max())) if codes.size else (0, 0)
                domain = replace(domain, low=ends[0], high=ends[1])
            elif column.role == Role.QUASI_IDENTIFYING and isinstance(domain, Hierarchy) and domain.is_flat:
                used, codes = distinct_values(codes)
                domain = Hierarchy.flat([domain.labels[code] for code in used.tolist()])
            columns.append(replace(column, domain=domain, codes=codes))
        return Table(columns, schema=self.schema, intake=self.intake)

    def single_sensitive(self, algorithm: str) -> Column:
        """The sensitive column, for an algorithm that protects exactly one, and one row per person."""
        if len(self.sensitive) != 1:
            raise SpecError(
                f"{len(self.sensitive)} sensitive columns",
                where="spec",
                rule=f"{algorithm} protects exactly one",
                remedy="use the algorithm elig, which protects each of them, or rda, which protects two, "
                "or declare the others identifying (dropped) or quasi-identifying",
            )
        if self.persons is not None:
            raise InputError(
                f"{counted(self.n - int(self.persons.max()) - 1, 'row')} too many for the persons there are",
                where=f"column {self.with_role(Role.SUBJECT)[0].name}",
                rule=f"{algorithm} takes one row per person",
                remedy="use the algorithm elig or rda, which keep rows of one person apart, or keep one of each",
            )
        return self.sensitive[0]


def _sort_rank(column: Column) -> int:
    """QI first, so that rows which only differ in their sensitive value are neighbours."""
    roles = (Role.QUASI_IDENTIFYING, Role.SENSITIVE, Role.INSENSITIVE, Role.SUBJECT)
    return roles.index(column.role)


def _frozen(column: Column, codes: Codes) -> Column:
    codes.setflags(write=False)
    return replace(column, codes=codes)
