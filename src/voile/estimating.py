"""Estimate: counts answered from a release, by whoever has it.

Rows are taken as spread evenly inside their published cells, one column independently of another; where sensitive
values have a table of their own, as spread evenly over the rows of their group.
Nothing but the release and the spec's hierarchies is looked at: an estimate can be published like the
release itself where those are public.
"""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from voile.core.release import Release
from voile.core.schema import AS_IT_IS, GROUP, ColumnSpec, Role, Schema, Type
from voile.errors import InputError, SpecError, counted
from voile.intake.published_values import base_values_in
from voile.intake.spec_file import Spec, schema_of
from voile.querying.estimated_sums import Meaning, PublishedRows, Sums, secret_in, sums_of
from voile.querying.published_cells import PublishedColumn
from voile.querying.query_text import Condition, parse_query, refuse
from voile.release_files import read_release

NO_INTERVAL = "no valid interval yet: rows are spread evenly inside groups"
_EVENLY = (
    "values of {} are taken as equally likely for all rows of their group: where they go with other columns, the "
    "count is pulled towards the average"
)


@dataclass(frozen=True)
class Estimate:
    """A count, and the bounds that hold for certain: `at_least` counts rows that are surely inside, `at_most` rows
    that may be.

    There is no standard error and no range from `low` to `high`: the spread that the count assumes is not the true
    one, and a range computed from it held the truth in 5 to 33 of 100 cases, not in 95. `interval` says so.
    """

    count: float
    at_least: int
    at_most: int
    rows: int  # published
    note: str = ""
    standard_error: None = None
    low: None = None
    high: None = None
    interval: str = NO_INTERVAL

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return {"ok": True, **asdict(self)}


def estimate(
    release: Any,
    query: str,
    spec: Spec | None = None,
    *,
    counterfeits: Mapping[int, int] | None = None,
) -> Estimate:
    """How many rows of the source meet a query, as far as a release tells.

    `release` is one from `voile.anonymize`, the folder or file of one, or its table (`voile.database`); `query` is
    for example "age between 30 and 39 and disease = 'flu'". The spec is needed for columns with a hierarchy, for
    ordinals, and where there is no certificate. `counterfeits` are rows per group that stand for
    nobody (of a folder: its counterfeits.csv).

    >>> import polars as pl, voile
    >>> patients = pl.DataFrame({"age": [31, 47, 52, 29], "disease": ["flu", "gout", "flu", "asthma"]})
    >>> table = voile.read(patients, {"age": {"role": "qi", "type": "integer"}, "disease": "sensitive"})
    >>> release = voile.anonymize(table, "elig", l=2)
    >>> release.frame["age"].unique().sort().to_list()
    ['[29, 31]', '[47, 52]']
    >>> found = estimate(release, "age between 30 and 49 and disease = 'flu'")
    >>> round(found.count, 2), found.at_least, found.at_most
    (1.17, 0, 2)
    >>> found.low, found.high, found.interval
    (None, None, 'no valid interval yet: rows are spread evenly inside groups')
    """
    conditions = parse_query(query)
    described, rows, quoted = _published(release, None if spec is None else schema_of(spec), counterfeits)
    asked = described.asked(conditions)
    meanings = {
        name: Meaning.of(described.columns[name], rows.labels(name), mine, quoted) for name, mine in asked.items()
    }
    return described.concluded(sums_of(rows, meanings), meanings)


@dataclass(frozen=True, repr=False, eq=False)
class Described:
    """What spec and certificate say of a release: its columns, and rows that were suppressed; `apart` is the
    sensitive column that has a table of its own."""

    columns: Mapping[str, PublishedColumn]
    suppressed: int
    apart: str = ""

    @classmethod
    def of(
        cls, schema: Schema | None, certificate: Mapping[str, Any] | None, shown: set[str], apart: str = ""
    ) -> "Described":
        """Of a release that has these columns."""
        if schema is None and certificate is None:
            raise SpecError(
                "neither a certificate nor a spec",
                where="release",
                rule="one of them says what the columns are",
                remedy="give the spec (-s), or the folder of the release",
            )
        columns, suppressed = _stated(schema, certificate or {})
        if apart:  # nothing is generalised
            columns = {name: replace(column, generalised=False, known=True) for name, column in columns.items()}
        return cls({name: column for name, column in columns.items() if name in shown}, suppressed, apart)

    def asked(self, conditions: Sequence[Condition]) -> dict[str, list[Condition]]:
        """The conditions on each column."""
        found: dict[str, list[Condition]] = {}
        for condition in conditions:
            if condition.column not in self.columns:
                raise refuse(
                    "no column of this name",
                    condition.position,
                    f"published: {', '.join(self.columns)}",
                    "write it as in the header, in double quotes if it has blanks",
                )
            found.setdefault(condition.column, []).append(condition)
        return found

    def concluded(self, sums: Sums, meanings: Mapping[str, Meaning]) -> Estimate:
        """The estimate that sums over all rows come to."""
        at_least, at_most = sums.at_least, sums.at_most
        count = min(max(sums.expected, float(at_least)), float(at_most))
        notes = self._notes(sums, meanings)
        if sums.hidden:
            notes.append("what is hidden decides: the count is a guess, only the bounds are known")
        if self.apart and at_least < at_most:
            notes.append(_EVENLY.format(self.apart))
        return Estimate(count, at_least, at_most, sums.rows, "; ".join(notes))

    def _notes(self, sums: Sums, meanings: Mapping[str, Meaning]) -> list[str]:
        notes = [meaning.cells.note for meaning in meanings.values() if meaning.cells.note]
        impossible = [name for name, meaning in meanings.items() if not meaning.cells.possible.any()]
        notes += [f"no published cell of {name} can hold what is asked" for name in impossible]
        if self.suppressed:
            notes.append(
                f"{counted(self.suppressed, 'row')} of the source suppressed: not counted, not even at most"
            )
        if sums.fakes:
            notes.append(f"{counted(sums.fakes, 'counterfeit row')} discounted")
        return notes


def _published(
    release: Any, schema: Schema | None, counterfeits: Mapping[int, int] | None
) -> tuple[Described, PublishedRows, bool]:
    """What is known of a release, its rows, and whether it is our CSV."""
    certificate: Mapping[str, Any] | None
    quoted, sensitive = False, None
    if isinstance(release, Release):
        sensitive = release.sensitive
        frame, certificate, schema = release.frame, release.certificate, schema or release.schema
        if counterfeits is None and release.counterfeits is not None:
            counterfeits = dict(release.counterfeits.iter_rows())
    else:
        found = read_release(release, schema or Schema(()))
        frame, certificate, sensitive, quoted = found.frame, found.certificate, found.sensitive, found.quoted
        if found.problem and schema is None:
            raise InputError(found.problem[0], where=found.name, remedy="give the spec (-s)")
        counterfeits = found.counterfeits() if counterfeits is None else counterfeits
    rows = PublishedRows(frame, counterfeits or {}, sensitive)
    described = Described.of(schema, certificate, rows.names, "" if sensitive is None else secret_in(sensitive))
    if counterfeits and GROUP not in frame.columns:
        raise InputError("counterfeits, but no column group", where="release")
    return described, rows, quoted


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
