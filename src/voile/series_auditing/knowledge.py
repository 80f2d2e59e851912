"""What the adversary knows: who is in which release, their quasi-identifiers, and what releases show of groups."""

import os
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.attacks.candidate_sets import PublishedGroups, words_for
from voile.core.bags import Bag
from voile.core.hierarchy_recipe import Recipe
from voile.core.schema import GROUP, ColumnSpec, Role, Schema, Type
from voile.core.table import Column, Table
from voile.errors import InputError, SpecError, counted
from voile.intake.columns import MISSING_LABEL, factorised
from voile.intake.data_frame import data_frame
from voile.intake.normalise import meant, normalised, twin_keys
from voile.intake.published_values import unquoted
from voile.intake.table_reader import read_frame, read_table
from voile.kernels.candidate_sets import value_bits
from voile.published_bags import classes_of, suppressed_rows
from voile.querying.covered_places import covered_places
from voile.release_files import ReadRelease
from voile.rendering.labels import value_labels

Integers = NDArray[np.int64]


class Persons:
    """Numbers persons 0, 1, ... as they are first met.

    >>> persons = Persons()
    >>> persons.numbers(pl.Series(["b", "a"])).tolist(), persons.numbers(pl.Series(["c", "a"])).tolist()
    ([0, 1], [2, 1])
    """

    def __init__(self) -> None:
        self._met = pl.DataFrame(schema={"person": pl.String, "number": pl.Int64})

    def __len__(self) -> int:
        return self._met.height

    def numbers(self, texts: pl.Series) -> Integers:
        """The number of each person; -1 where nobody is named."""
        asked = texts.alias("person").to_frame()
        new = asked.join(self._met, on="person", how="anti", maintain_order="left")["person"].drop_nulls()
        new = new.unique(maintain_order=True)
        fresh = pl.DataFrame({"person": new, "number": np.arange(len(self), len(self) + new.len())})
        self._met = pl.concat([self._met, fresh])
        found = asked.join(self._met, on="person", how="left", maintain_order="left")["number"]
        return found.fill_null(-1).to_numpy()


class Values:
    """Numbers sensitive values 0, 1, ... as they are first met, spelled as the spec means them.

    >>> values = Values(ColumnSpec("dose", Role.SENSITIVE, Type.DECIMAL))
    >>> values.codes(pl.Series(["1.0", "2", "1"])).tolist()
    [0, 1, 0]
    """

    def __init__(self, spec: ColumnSpec) -> None:
        self._spec = spec
        self._number: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return len(self._number)

    def codes(self, cells: pl.Series) -> Integers:
        """The number of the value of each cell."""
        text = cells.cast(pl.String).fill_null(MISSING_LABEL)
        distinct = text.unique(maintain_order=True)
        words = normalised(distinct).fill_null(MISSING_LABEL)
        plain = self._spec.type == Type.CATEGORY
        keys = (twin_keys(words) if plain and self._spec.casefold else words).to_list()
        meanings = keys if plain else [meant(key) for key in keys]
        codes = [self._number.setdefault(str(key), len(self._number)) for key in meanings]
        place: Integers = text.cast(pl.Enum(distinct)).to_physical().cast(pl.Int64).to_numpy()
        return np.array(codes, np.int64)[place]


@dataclass(frozen=True, repr=False, eq=False)
class KnownTable:
    """The persons of a release, with their quasi-identifiers and, for the scorer alone, their true values."""

    columns: tuple[Column, ...]  # quasi-identifying, and kept ones
    persons: Integers
    truth: Integers

    @classmethod
    def read(cls, source: Any, schema: Schema, persons: Persons, values: Values) -> "KnownTable":
        """Read a source table; built-in hierarchies are left out, since the adversary compares values.

        Persons are numbered first: as words, a million of them would take longer to read than all else.
        """
        is_file = isinstance(source, str | os.PathLike)
        frame = read_frame(Path(source), schema, may_be_empty=True) if is_file else data_frame(source)
        if frame.height == 0:  # everybody is gone
            return cls((), np.empty(0, np.int64), np.empty(0, np.int64))
        subject = schema.with_role(Role.SUBJECT)[0]
        if subject.name in frame.columns:  # if not, reading says so
            who = _texts(frame[subject.name], subject, schema)
            number = pl.Series(subject.name, persons.numbers(who)).set(who.is_null(), None)
            frame = frame.with_columns(number)
        numbered = ColumnSpec(subject.name, Role.SUBJECT, Type.INTEGER, missing=subject.missing)
        plain = [replace(c, hierarchy=None) if isinstance(c.hierarchy, Recipe) else c for c in schema]
        columns = tuple(numbered if c is subject else c for c in plain)
        table: Table = read_table(frame, replace(schema, columns=columns))
        name = Path(source).name if isinstance(source, str | os.PathLike) else "known table"
        if table.persons is not None:
            raise InputError(
                f"{counted(table.n - int(table.persons.max()) - 1, 'row')} too many for the persons there are",
                where=name,
                rule="one row per person",
                remedy="keep one row of each person",
            )
        secret = table.sensitive[0]
        truth = values.codes(value_labels(secret, secret.codes))
        return cls((*table.quasi, *table.kept), table.with_role(Role.SUBJECT)[0].codes, truth)


def _texts(cells: pl.Series, spec: ColumnSpec, schema: Schema) -> pl.Series:
    """Persons as texts; null where nobody is named."""
    if cells.dtype != pl.String and not cells.dtype.is_integer():
        found = factorised(spec, cells, schema.file.missing)
        return found.distinct.gather(found.index)
    text = normalised(cells.cast(pl.String))
    markers = normalised(pl.Series(schema.file.missing, dtype=pl.String)).drop_nulls().to_list()
    text = text.set(text.is_in(markers).fill_null(False), None) if markers else text
    return twin_keys(text) if spec.casefold else text


@dataclass(frozen=True, repr=False, eq=False)
class ShownRelease:
    """The rows of a release that show something, the class of each, and each class's values and counterfeits."""

    frame: pl.DataFrame
    group: Integers
    bag: Bag
    counterfeits: Integers
    suppressed: int

    @classmethod
    def of(cls, release: ReadRelease, values: Values) -> "ShownRelease":
        """Take apart what was read."""
        frame, sensitive = release.frame, release.schema.with_role(Role.SENSITIVE)[0].name
        if release.quoted:
            frame = frame.with_columns(map(unquoted, frame.iter_columns()))
        suppressed = suppressed_rows(frame, release.schema)
        frame = frame.filter(~pl.Series(suppressed)) if suppressed.any() else frame
        group = classes_of(frame, release.schema)
        groups = int(group.max(initial=-1)) + 1
        bag = Bag.of(group, values.codes(frame[sensitive]), groups)
        fakes = _counterfeits(frame, group, groups, release.counterfeits())
        return cls(frame, group, bag, fakes, int(suppressed.sum()))

    @property
    def groups(self) -> int:
        """How many classes of rows an adversary can tell apart."""
        return int(self.bag.start.size - 1)

    def signatures(self, values: Values) -> set[bytes]:
        """The different sets of values of groups, as bits."""
        bits = value_bits(self.bag.start, self.bag.codes, words_for(len(values)))
        rows = np.unique(bits, axis=0) if bits.shape[1] > 1 else np.unique(bits)[:, None]
        return {row.tobytes().rstrip(b"\0") for row in rows}

    def seen_with(self, known: KnownTable, schema: Schema) -> tuple[PublishedGroups, NDArray[np.int32]]:
        """What groups cover of the persons known, and where these are."""
        some = np.empty(self.groups, np.int64)
        some[self.group] = np.arange(self.group.size)
        specs = {spec.name: spec for spec in schema}
        columns, points = [], []
        for column in known.columns:
            if column.name not in self.frame.columns:  # kept at home
                continue
            cells = self.frame[column.name].cast(pl.String).fill_null(MISSING_LABEL).gather(some)
            labels = cells.unique(maintain_order=True)
            which = cells.cast(pl.Enum(labels)).to_physical().cast(pl.Int64).to_numpy()
            places, known_places = covered_places(specs[column.name], column, labels)
            columns.append((places, which))
            points.append(known_places.astype(np.int32))
        return PublishedGroups(tuple(columns), self.bag.start, self.bag.codes), np.stack(points, axis=1)


def _counterfeits(frame: pl.DataFrame, group: Integers, groups: int, stated: Mapping[int, int]) -> Integers:
    """Per class; of a group that a kept column splits, all with its last class."""
    counts = np.zeros(groups, np.int64)
    if stated and GROUP in frame.columns:
        number = frame[GROUP].cast(pl.Int64, strict=False).fill_null(-1).to_numpy()
        of_number = dict(zip(number.tolist(), group.tolist(), strict=True))
        for each, fakes in stated.items():
            if each in of_number:
                counts[of_number[each]] += fakes
    return counts


def require_series(schema: Schema) -> None:
    """A series needs persons who can be recognised, and one sensitive column."""
    schema.require_roles()
    sensitive = len(schema.with_role(Role.SENSITIVE))
    if sensitive != 1:
        raise SpecError(
            f"{sensitive} sensitive columns",
            where="spec",
            rule="a series is judged for one",
            remedy="judge one after the other: declare the others insensitive in a copy of the spec",
        )
