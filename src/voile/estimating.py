"""Estimate: counts answered from a release, by whoever has it.

Rows are taken as spread evenly inside their published cells, one column independently of another; where sensitive
values have a table of their own, as spread evenly over the rows of their group.
Nothing but the release and the spec's hierarchies is looked at: an estimate can be published like the
release itself where those are public.
"""

import contextlib
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.release import Release
from voile.core.schema import AS_IT_IS, COUNT, COUNTERFEITS, GROUP, ColumnSpec, FileOptions, Role, Schema, Type
from voile.errors import InputError, ParameterError, SpecError, counted
from voile.intake.columns import MISSING_LABEL
from voile.intake.counterfeits import read_counterfeits
from voile.intake.published_values import base_values_in, unquoted
from voile.intake.sensitive_table import joined
from voile.intake.spec_file import Spec, schema_of
from voile.intake.table_reader import read_frame
from voile.kernels.overlap import expected_counts
from voile.querying.published_cells import Cells, PublishedColumn
from voile.querying.query_text import Condition, parse_query, refuse
from voile.release_files import locate, read_sensitive

_WIDE = 1.96  # standard errors on either side of 95 % of a normal distribution
_EVENLY = (
    "values of {} are taken as equally likely for all rows of their group: where they go with other columns, the "
    "count is pulled towards the average"
)
_AUXILIARY = f"{COUNTERFEITS}.csv"


@dataclass(frozen=True)
class Estimate:
    """A count, how far off it may be, and the bounds that hold for certain.

    `low` to `high` is where the true count of the published rows lies in 95 of 100 cases, if rows are
    spread evenly; `at_least` counts rows that are surely inside, `at_most` rows that may be. Where what is hidden
    decides there is no standard error, and `low` and `high` are these bounds.
    """

    count: float
    standard_error: float | None
    low: float
    high: float
    at_least: int
    at_most: int
    rows: int  # published
    note: str = ""

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return {"ok": True, **asdict(self)}


@dataclass(frozen=True, repr=False, eq=False)
class _Published:
    """What is known of a release: its rows, its columns, its counterfeits."""

    frame: pl.DataFrame
    columns: Mapping[str, PublishedColumn]
    suppressed: int
    counterfeits: Mapping[int, int]
    quoted: bool  # our CSV: cells that a spreadsheet would run have a quote in front
    sensitive: pl.DataFrame | None = None  # values by group, where they have a table of their own

    def table_of(self, name: str) -> pl.DataFrame:
        """The table that has a column."""
        return self.frame if self.sensitive is None or name in self.frame.columns else self.sensitive


def estimate(
    release: Release | str | Path,
    query: str,
    spec: Spec | None = None,
    *,
    counterfeits: Mapping[int, int] | None = None,
) -> Estimate:
    """How many rows of the source meet a query, as far as a release tells.

    `release` is one from `voile.anonymize`, or the folder or file of one; `query` is for example
    "age between 30 and 39 and disease = 'flu'". The spec is needed for columns with a hierarchy, for
    ordinals, and where there is no certificate. `counterfeits` are rows per group that stand for
    nobody (of a folder: its counterfeits.csv).

    >>> import polars as pl, voile
    >>> patients = pl.DataFrame({"age": [31, 47, 52, 29], "disease": ["flu", "gout", "flu", "asthma"]})
    >>> table = voile.read(patients, {"age": {"role": "qi", "type": "integer"}, "disease": "sensitive"})
    >>> release = voile.anonymize(table, "elig", l=2)
    >>> release.frame["age"].unique().sort().to_list()
    ['[29, 31]', '[47, 52]']
    >>> found = estimate(release, "age between 30 and 49 and disease = 'flu'")
    >>> round(found.count, 2), round(found.standard_error, 2), found.at_least, found.at_most
    (1.17, 0.69, 0, 2)
    """
    conditions = parse_query(query)
    published = _published(release, None if spec is None else schema_of(spec), counterfeits)
    asked: dict[str, list[Condition]] = {}
    for condition in conditions:
        if condition.column not in published.columns:
            raise refuse(
                "no column of this name",
                condition.position,
                f"published: {', '.join(published.columns)}",
                "write it as in the header, in double quotes if it has blanks",
            )
        asked.setdefault(condition.column, []).append(condition)
    read = {name: _cells(published, name, mine) for name, mine in asked.items()}
    return _answered(published, read) if published.sensitive is None else _answered_apart(published, read)


def _cells(published: _Published, name: str, conditions: list[Condition]) -> tuple[NDArray[np.int64], Cells]:
    """Which distinct label each row has in a column, and what the labels mean for the query."""
    column = published.table_of(name)[name]
    dtype = column.dtype
    if dtype.is_nested() or dtype in (pl.Binary, pl.Object):
        raise InputError("cells of an unsupported type", where=f"column {name}", rule="text, number or date")
    text = column.cast(pl.String).fill_null(MISSING_LABEL)
    runs = text.rle().struct.unnest()  # rows of a group stand together: each label is looked up once per group
    labels = runs["value"].unique()
    codes = runs["value"].cast(pl.Enum(labels)).to_physical().cast(pl.Int64).to_numpy()
    which = np.repeat(codes, runs["len"].to_numpy())
    plain = unquoted(labels) if published.quoted else labels
    return which, published.columns[name].read(plain, conditions)


def _answered(published: _Published, read: Mapping[str, tuple[NDArray[np.int64], Cells]]) -> Estimate:
    rows = published.frame.height
    cells = [cells for _, cells in read.values()]
    first = np.cumsum([0, *(c.size.size for c in cells)])
    cell = np.column_stack([at + which for at, (which, _) in zip(first, read.values(), strict=False)])
    accepted, size = (np.concatenate([getattr(c, name) for c in cells]) for name in ("accepted", "size"))
    group, sizes, fake = _real(published)
    expected, variance = expected_counts(
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
    at_least = int(np.maximum(0, sure - fake).sum())
    at_most = int(np.minimum(possible, sizes - fake).sum())
    count = min(max(float(expected[0]), float(at_least)), float(at_most))
    error: float | None = None
    blind, inside = (np.concatenate([getattr(c, name) for c in cells])[cell] for name in ("blind", "possible"))
    notes = _notes(published, read, fake)
    if (blind.any(axis=1) & inside.all(axis=1)).any():
        low, high = float(at_least), float(at_most)
        notes.append("what is hidden decides: the range is all that is possible")
    else:
        error = math.sqrt(max(0.0, float(variance[0])))
        low, high = max(count - _WIDE * error, at_least), min(count + _WIDE * error, at_most)
    return Estimate(count, error, low, high, at_least, at_most, rows, "; ".join(notes))


def _answered_apart(published: _Published, read: Mapping[str, tuple[NDArray[np.int64], Cells]]) -> Estimate:
    """From two tables: of the rows of a group that match in what is published as it is, each has a value with the
    chance of its share. How many do is hypergeometric: everybody is as likely as everybody to have it."""
    assert published.sensitive is not None
    secret = next((name for name in published.sensitive.columns if name not in (GROUP, COUNT)), "")
    tables = joined(published.frame, published.sensitive, secret)
    sizes, one = tables.sizes, np.ones_like(tables.row_group)
    rows = _met([pair for name, pair in read.items() if name != secret], tables.row_group, one, sizes.size)
    asked = [pair for name, pair in read.items() if name == secret]
    values = _met(asked, tables.line_group, tables.line_rows, sizes.size)
    share = values.expected / sizes
    spread = share * (1 - share) * (sizes - rows.expected) / np.maximum(1, sizes - 1)
    at_least = int(np.maximum(0, rows.sure + values.sure - sizes).sum())
    at_most = int(np.minimum(rows.possible, values.possible).sum())
    count = min(max(float((rows.expected * share).sum()), float(at_least)), float(at_most))
    error = math.sqrt(max(0.0, float((rows.expected * spread).sum())))
    low, high = max(count - _WIDE * error, at_least), min(count + _WIDE * error, at_most)
    notes = _notes(published, read, np.zeros(1, np.int64))
    if error:
        notes.append(_EVENLY.format(secret))
    return Estimate(count, error, low, high, at_least, at_most, published.frame.height, "; ".join(notes))


@dataclass(frozen=True, repr=False, eq=False)
class _Met:
    """Of each group the rows that conditions are expected to accept, surely accept and may accept."""

    expected: NDArray[np.float64]
    sure: NDArray[np.int64]
    possible: NDArray[np.int64]


def _met(
    read: list[tuple[NDArray[np.int64], Cells]], group: NDArray[np.int64], times: NDArray[np.int64], groups: int
) -> _Met:
    """How far the lines of a table meet the conditions on its columns; a line counts for so many rows."""
    share, sure, possible = times.astype(float), times > 0, times > 0
    for which, cells in read:
        share = share * (cells.accepted / cells.size)[which]
        sure, possible = sure & cells.sure[which], possible & cells.possible[which]
    counts = [np.bincount(group, times * flags, groups).astype(np.int64) for flags in (sure, possible)]
    return _Met(np.bincount(group, share, groups).astype(float), *counts)


def _notes(
    published: _Published, read: Mapping[str, tuple[NDArray[np.int64], Cells]], fake: NDArray[np.int64]
) -> list[str]:
    notes = [cells.note for _, cells in read.values() if cells.note]
    impossible = [name for name, (_, cells) in read.items() if not cells.possible.any()]
    notes += [f"no published cell of {name} can hold what is asked" for name in impossible]
    if published.suppressed:
        notes.append(
            f"{counted(published.suppressed, 'row')} of the source suppressed: not counted, not even at most"
        )
    if fake.any():
        notes.append(f"{counted(int(fake.sum()), 'counterfeit row')} discounted")
    return notes


def _real(published: _Published) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The group of each row, and per group its rows and its counterfeits; all one group if there are none."""
    frame = published.frame
    if not published.counterfeits:
        return np.zeros(frame.height, np.int64), np.array([frame.height]), np.zeros(1, np.int64)
    plain = frame[GROUP].dtype.is_integer() or frame[GROUP].dtype == pl.String
    number = frame[GROUP].cast(pl.Int64, strict=False).fill_null(-1).to_numpy() if plain else np.zeros(0, np.int64)
    groups, group, sizes = np.unique(number, return_inverse=True, return_counts=True)
    stated = published.counterfeits
    whole = all(isinstance(n, Integral) and not isinstance(n, bool) for pair in stated.items() for n in pair)
    size = dict(zip(groups.tolist(), sizes.tolist(), strict=True))
    if not whole or not all(0 <= n <= size.get(g, -1) for g, n in stated.items()):
        raise ParameterError(
            "not the counterfeits of this release",
            where="counterfeits",
            rule="a number per published group, at most its rows",
            remedy="use the list that was published with it",
        )
    return group, sizes, np.array([stated.get(g, 0) for g in groups.tolist()], np.int64)


def _published(
    release: Release | str | Path, schema: Schema | None, counterfeits: Mapping[int, int] | None
) -> _Published:
    certificate: Mapping[str, Any] | None
    quoted, sensitive = False, None
    if isinstance(release, Release):
        sensitive = release.sensitive
        frame, certificate, schema = release.frame, release.certificate, schema or release.schema
        if counterfeits is None and release.counterfeits is not None:
            counterfeits = dict(release.counterfeits.iter_rows())
    else:
        path, certificate, problem = locate(Path(release))
        if problem and schema is None:
            raise InputError(problem[0], where=path.name, remedy="give the spec (-s)")
        ours = path != Path(release) or certificate is not None or schema is None
        frame = read_frame(
            path,
            Schema((), FileOptions() if ours or schema is None else schema.file),
            may_be_empty=certificate is not None,
        )
        quoted = ours and path.suffix.lower() == ".csv"
        sensitive = read_sensitive(path, certificate) if ours else None
        if counterfeits is None and (path.parent / _AUXILIARY).is_file() and ours:
            counterfeits = read_counterfeits(path.parent / _AUXILIARY)
    if schema is None and certificate is None:
        raise SpecError(
            "neither a certificate nor a spec",
            where="release",
            rule="one of them says what the columns are",
            remedy="give the spec (-s), or the folder of the release",
        )
    if counterfeits and GROUP not in frame.columns:
        raise InputError("counterfeits, but no column group", where="release")
    columns, suppressed = _stated(schema, certificate or {})
    shown = {*frame.columns, *(() if sensitive is None else sensitive.columns)}
    if sensitive is not None:  # nothing is generalised
        columns = {name: replace(column, generalised=False, known=True) for name, column in columns.items()}
    columns = {name: column for name, column in columns.items() if name in shown}
    return _Published(frame, columns, suppressed, counterfeits or {}, quoted, sensitive)


def _stated(schema: Schema | None, certificate: Mapping[str, Any]) -> tuple[dict[str, PublishedColumn], int]:
    """The published columns, and how many rows were suppressed."""
    with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError):
        table = certificate.get("table", {})
        entries = {str(entry["name"]): entry for entry in table.get("columns", [])}
        numbers = [table.get("suppressed", 0), *(e["values"] for e in entries.values() if "values" in e)]
        if all(type(number) is int and 0 <= number < 2**53 for number in numbers):
            stated = base_values_in(certificate) if any("base_values" in e for e in entries.values()) else {}
            return _columns(schema, entries, stated), numbers[0]
    raise InputError(
        "the certificate is damaged, or of another version",
        where="certificate",
        rule="a table with columns, and whole numbers",
        remedy="use the folder as it was published",
    )


def _columns(
    schema: Schema | None, stated: Mapping[str, Mapping[str, Any]], base_values: Mapping[str, Mapping[str, int]]
) -> dict[str, PublishedColumn]:
    """The published columns, as the spec or else the certificate describes them."""
    if schema is not None and stated:
        _require_same_columns(schema, stated)
    found = {}
    for spec in schema or [_described(entry) for entry in stated.values()]:
        entry = stated.get(spec.name, {})
        nodes = schema is None and entry.get("published") == "node of its hierarchy"
        if spec.published or spec.role == Role.INSENSITIVE:
            found[spec.name] = PublishedColumn(
                spec,
                spec.role == Role.QUASI_IDENTIFYING,
                entry.get("values"),
                known=not nodes and (schema is not None or spec.name not in base_values),
                base_values=base_values.get(spec.name),
            )
    return found


def _require_same_columns(schema: Schema, stated: Mapping[str, Mapping[str, Any]]) -> None:
    """A spec of another table would read the labels wrongly."""
    declared = {column.name: column for column in schema}
    for name, entry in stated.items():
        column = declared.get(name)
        if column is None or not _as_stated(column, entry):
            raise SpecError(
                "not the spec of this release",
                where=f"column {name}",
                rule="the same columns, roles and hierarchies as in the certificate",
                remedy="give the spec it was made with, or none",
            )


def _as_stated(column: ColumnSpec, entry: Mapping[str, Any]) -> bool:
    tree = column.role == Role.QUASI_IDENTIFYING and column.hierarchy is not None
    nodes = entry["published"] == "node of its hierarchy" if "published" in entry else tree
    if entry.get("published") == AS_IT_IS:  # where all are, also a column with a hierarchy
        nodes = tree
    return bool(entry.get("role", column.role.value) == column.role.value and tree == nodes)


def _described(entry: Mapping[str, Any]) -> ColumnSpec:
    """A line of a spec, as far as a certificate tells."""
    role = Role(entry["role"])
    return ColumnSpec(entry["name"], role, Type(entry.get("type", "category")), keep=role == Role.INSENSITIVE)
