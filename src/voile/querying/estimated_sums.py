"""The sums by which a count is estimated. They are sums over groups, so parts of a release that have whole groups
add up; only what a label means is told by all labels of its column together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.schema import COUNT, GROUP
from voile.errors import InputError, ParameterError
from voile.intake.columns import MISSING_LABEL
from voile.intake.published_values import unquoted
from voile.intake.sensitive_table import joined
from voile.kernels.overlap import expected_counts
from voile.querying.published_cells import Cells, PublishedColumn
from voile.querying.query_text import Condition

Integers = NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class PublishedRows:
    """Rows of a release, whole groups of them."""

    frame: pl.DataFrame
    counterfeits: Mapping[int, int]  # by group
    sensitive: pl.DataFrame | None = None  # values by group, where they have a table of their own

    @property
    def names(self) -> set[str]:
        """Of all columns, in either table."""
        return {*self.frame.columns, *(() if self.sensitive is None else self.sensitive.columns)}

    def runs(self, name: str) -> pl.DataFrame:
        """The labels of a column as text: rows of a group stand together, so each is looked up once per group."""
        table = self.frame if self.sensitive is None or name in self.frame.columns else self.sensitive
        dtype = table[name].dtype
        if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
            raise InputError("cells of an unsupported type", where=f"column {name}", rule="text, number or date")
        return table[name].cast(pl.String).fill_null(MISSING_LABEL).rle().struct.unnest()

    def labels(self, name: str) -> pl.Series:
        """The different labels of a column."""
        return self.runs(name)["value"].unique()


@dataclass(frozen=True, repr=False, eq=False)
class Meaning:
    """The labels of a column, all there are in the release, and what each means for a query."""

    labels: pl.Series
    cells: Cells

    @classmethod
    def of(
        cls, column: PublishedColumn, labels: pl.Series, conditions: Sequence[Condition], quoted: bool
    ) -> "Meaning":
        """`quoted`: our CSV, where cells that a spreadsheet would run have a quote in front."""
        return cls(labels, column.read(unquoted(labels) if quoted else labels, conditions))

    def which(self, runs: pl.DataFrame) -> Integers:
        """Which label each row has."""
        codes = runs["value"].cast(pl.Enum(self.labels)).to_physical().cast(pl.Int64).to_numpy()
        return np.repeat(codes, runs["len"].to_numpy())


class Sums(NamedTuple):
    """What rows add to an estimate; `hidden` are rows of which what is hidden decides.

    >>> Sums.together([Sums(1.5, 1, 2, 10, 0, 0), Sums(0.5, 0, 1, 5, 1, 0)])
    Sums(expected=2.0, at_least=1, at_most=3, rows=15, fakes=1, hidden=0)
    """

    expected: float
    at_least: int
    at_most: int
    rows: int
    fakes: int
    hidden: int

    @classmethod
    def together(cls, parts: Iterable["Sums"]) -> "Sums":
        """Of several parts."""
        return cls(*map(sum, zip(*parts, strict=True)))


def sums_of(rows: PublishedRows, meanings: Mapping[str, Meaning]) -> Sums:
    """What these rows add to the estimate."""
    read = {name: (meaning.which(rows.runs(name)), meaning.cells) for name, meaning in meanings.items()}
    return _in_one_table(rows, list(read.values())) if rows.sensitive is None else _apart(rows, read)


def _in_one_table(published: PublishedRows, read: list[tuple[Integers, Cells]]) -> Sums:
    rows, cells = published.frame.height, [cells for _, cells in read]
    first = np.cumsum([0, *(c.size.size for c in cells)])
    cell = np.column_stack([at + which for at, (which, _) in zip(first, read, strict=False)])
    accepted, size = (np.concatenate([getattr(c, name) for c in cells]) for name in ("accepted", "size"))
    group, sizes, fake = _real(published)
    expected = expected_counts(
        cell,
        np.arange(rows + 1),
        np.zeros(rows, np.int64),
        np.ones(rows),
        (1 - fake / np.maximum(1, sizes))[group],
        (accepted / size)[:, None],
        np.ones((1, 1)),
    )
    sure, possible = (
        np.bincount(group, np.concatenate(flags)[cell].all(axis=1), sizes.size).astype(np.int64)
        for flags in ([c.sure for c in cells], [c.possible for c in cells])
    )
    blind, inside = (np.concatenate([getattr(c, name) for c in cells])[cell] for name in ("blind", "possible"))
    return Sums(
        float(expected[0]),
        int(np.maximum(0, sure - fake).sum()),
        int(np.minimum(possible, sizes - fake).sum()),
        rows,
        int(fake.sum()),
        int((blind.any(axis=1) & inside.all(axis=1)).sum()),
    )


def _apart(published: PublishedRows, read: Mapping[str, tuple[Integers, Cells]]) -> Sums:
    """From two tables: of the rows of a group that match in what is published as it is, each has a value with the
    chance of its share: everybody is as likely as everybody to have it."""
    assert published.sensitive is not None
    secret = secret_in(published.sensitive)
    tables = joined(published.frame, published.sensitive, secret)
    sizes, one = tables.sizes, np.ones_like(tables.row_group)
    rows = _met([pair for name, pair in read.items() if name != secret], tables.row_group, one, sizes.size)
    asked = [pair for name, pair in read.items() if name == secret]
    values = _met(asked, tables.line_group, tables.line_rows, sizes.size)
    return Sums(
        float((rows.expected * values.expected / sizes).sum()),
        int(np.maximum(0, rows.sure + values.sure - sizes).sum()),
        int(np.minimum(rows.possible, values.possible).sum()),
        published.frame.height,
        0,
        0,
    )


def secret_in(sensitive: pl.DataFrame) -> str:
    """The column of values in the table of values by group; "" if there is none.

    >>> secret_in(pl.DataFrame(schema=["group", "disease", "count"]))
    'disease'
    """
    return next((name for name in sensitive.columns if name not in (GROUP, COUNT)), "")


@dataclass(frozen=True, repr=False, eq=False)
class _Met:
    """Of each group the rows that conditions are expected to accept, surely accept and may accept."""

    expected: NDArray[np.float64]
    sure: Integers
    possible: Integers


def _met(read: list[tuple[Integers, Cells]], group: Integers, times: Integers, groups: int) -> _Met:
    """How far the lines of a table meet the conditions on its columns; a line counts for so many rows."""
    share, sure, possible = times.astype(float), times > 0, times > 0
    for which, cells in read:
        share = share * (cells.accepted / cells.size)[which]
        sure, possible = sure & cells.sure[which], possible & cells.possible[which]
    counts = [np.bincount(group, times * flags, groups).astype(np.int64) for flags in (sure, possible)]
    return _Met(np.bincount(group, share, groups).astype(float), *counts)


def group_numbers(frame: pl.DataFrame) -> Integers:
    """The group of each row; -1 where it is no number, and nothing where none is.

    >>> group_numbers(pl.DataFrame({"group": ["1", "7", "?"]})).tolist()
    [1, 7, -1]
    """
    plain = frame[GROUP].dtype.is_integer() or frame[GROUP].dtype == pl.String
    return frame[GROUP].cast(pl.Int64, strict=False).fill_null(-1).to_numpy() if plain else np.zeros(0, np.int64)


def _real(published: PublishedRows) -> tuple[Integers, Integers, Integers]:
    """The group of each row, and per group its rows and its counterfeits; all one group if there are none."""
    frame, stated = published.frame, published.counterfeits
    if not stated:
        return np.zeros(frame.height, np.int64), np.array([frame.height]), np.zeros(1, np.int64)
    groups, group, sizes = np.unique(group_numbers(frame), return_inverse=True, return_counts=True)
    whole = all(isinstance(n, Integral) and not isinstance(n, bool) for pair in stated.items() for n in pair)
    size = dict(zip(groups.tolist(), sizes.tolist(), strict=True))
    if not whole or not all(0 <= n <= size.get(g, -1) for g, n in stated.items()):
        raise other_counterfeits()
    return group, sizes, np.array([stated.get(g, 0) for g in groups.tolist()], np.int64)


def other_counterfeits() -> ParameterError:
    """The refusal of counterfeits in groups that are not there."""
    return ParameterError(
        "not the counterfeits of this release",
        where="counterfeits",
        rule="a number per published group, at most its rows",
        remedy="use the list that was published with it",
    )
