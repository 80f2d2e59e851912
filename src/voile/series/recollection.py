"""A table meets the ledger: who is known, with which signature, and who must not be published now."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.hierarchy import Hierarchy
from voile.core.history import NEW, History
from voile.core.schema import ColumnSpec, Missing, Role, Schema, Type
from voile.core.table import Column, Table
from voile.errors import HierarchyError, InputError, LedgerRefused, SpecError, counted
from voile.intake.columns import MISSING_LABEL
from voile.intake.normalise import twin_keys
from voile.ledger import ERASED, ONCE, Ledger, ReleaseRecord
from voile.ledger.pseudonyms import People
from voile.rendering.labels import value_labels

Codes = NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class Recollection:
    """The rows that may be published, every remembered value in the domain of their sensitive column, and what is
    known of them. Who is withheld is not there: what is published must not tell them from those who left."""

    table: Table
    history: History
    people: People
    changed: int  # rows whose value is not in the person's signature
    erased: int  # rows of persons who were erased on request
    gone: int  # persons of the series without a row in this table


def person_texts(table: Table) -> pl.Series:
    """What names each row's person, spelled the same in every release."""
    spec = _named_persons(table)
    subject = table.with_role(Role.SUBJECT)
    texts = value_labels(subject[0], subject[0].codes).cast(pl.String)
    return twin_keys(texts) if spec.casefold else texts


def _named_persons(table: Table) -> ColumnSpec:
    """The column that names persons, where it names each row's, once."""
    if table.schema is None:
        raise ValueError("a table without a schema cannot be published")
    spec = table.schema.required_subject()
    if spec.missing == Missing.CATEGORY:
        raise SpecError(
            'missing = "category" for the person',
            where=f"spec, column {spec.name}",
            rule="everybody in a series has a name of their own",
            remedy='complete the column, or set missing = "drop-row"',
        )
    if spec.type == Type.DECIMAL:
        raise SpecError(
            "a decimal subject column",
            where=f"spec, column {spec.name}",
            rule="a person is spelled the same in every release",
            remedy="declare it as category or integer",
        )
    if table.persons is not None:
        raise InputError(
            f"{counted(table.n - int(table.persons.max()) - 1, 'row')} too many for the persons there are",
            where=f"column {spec.name}",
            rule="a release of a series has one row per person",
            remedy="keep one row of each person",
        )
    return spec


def refuse_unfit(table: Table, algorithm: str) -> None:
    """What no release of a series can be, whatever the ledger holds."""
    _named_persons(table)
    _refuse_decimal(table.schema, table.single_sensitive(algorithm))


def subject_of(schema: Schema | None) -> dict[str, Any]:
    """How persons are named: the same through the whole life of a ledger, or everybody would be new."""
    subject = schema.with_role(Role.SUBJECT)[0] if schema and schema.with_role(Role.SUBJECT) else None
    return (
        {"name": subject.name, "type": subject.type.value, "casefold": bool(subject.casefold)} if subject else {}
    )


def refuse_other_subject(table: Table, releases: Iterable[ReleaseRecord]) -> None:
    """Persons are recognised by their spelling, so a release must spell them as all before it."""
    now = subject_of(table.schema)
    if any(known.body.get("subject", now) != now for known in releases):
        raise LedgerRefused(
            "persons are declared otherwise than in earlier releases",
            where="spec",
            rule="the subject column keeps its name, type and casefold: else everybody would be taken for new",
            remedy="declare the subject column as before",
        )


def recollect(table: Table, ledger: Ledger, algorithm: str) -> Recollection:
    """Recall every person of a table; a signature's values get codes even if nobody has them now."""
    texts = person_texts(table)
    column = table.single_sensitive(algorithm)
    _refuse_decimal(table.schema, column)
    refuse_other_subject(table, ledger.releases())
    people = ledger.pseudonyms(texts)
    number = ledger.recall(people)
    refuse_published_otherwise(number)
    signatures = ledger.signatures()
    used = np.unique(number[number > 0])
    labels = [signatures[n] for n in used.tolist()]
    table, sets = _with_values(table, column, labels)
    place = np.full(int(number.max(initial=0)) + 1, NEW, np.int64)
    place[used] = np.arange(used.size)
    signature = np.where(number > 0, place[np.maximum(number, 0)], NEW)
    changed = _outside(table.sensitive[0].codes, signature, sets)
    erased = number == ERASED
    open_rows = ~(changed | erased)
    if not open_rows.all():
        table, signature, people = table.of_rows(open_rows), signature[open_rows], people[open_rows]
    held_back = int(changed.sum()), int(erased.sum())
    gone = ledger.in_series - int((number > 0).sum())
    return Recollection(table, History(signature, sets), people, *held_back, gone)


def refuse_published_otherwise(number: Codes) -> None:
    """Persons of a release outside the series have been drawn once: a second draw could tell everything."""
    once = int((number == ONCE).sum())
    if once:
        raise LedgerRefused(
            f"{counted(once, 'person')} of this table in a release that is not of a series",
            where="ledger",
            rule="who was published by another algorithm is never published again",
            remedy="leave these persons out; or publish them all from the start with voile publish",
        )


def _refuse_decimal(schema: Schema | None, column: Column) -> None:
    kinds = {spec.name: spec.type for spec in schema or ()}
    if kinds.get(column.name) == Type.DECIMAL:
        raise SpecError(
            "a decimal sensitive column",
            where=f"spec, column {column.name}",
            rule="signatures are sets of values that occur again (Xiao and Tao 2007: a categorical attribute)",
            remedy="round it to classes, and declare them as category, ordinal or integer",
        )


def _with_values(table: Table, column: Column, sets: Iterable[tuple[str, ...]]) -> tuple[Table, tuple[Codes, ...]]:
    """The table with these values in its sensitive domain, in the place their labels have: if a value that nobody
    has now stood after the others, the order of published rows would show it. And the sets as codes."""
    domain, sets = column.domain, list(sets)
    if not isinstance(domain, Hierarchy):
        return table, tuple(np.sort([_placed(domain, label, column.name) for label in labels]) for labels in sets)
    known = domain.labels[: domain.leaves]
    fold = any(spec.name == column.name and spec.casefold for spec in table.schema or ())
    keys = _keys([*known, *(label for labels in sets for label in labels)], fold)
    own = {keys[label] for label in known}
    lacking = sorted({label for labels in sets for label in labels if keys[label] not in own})
    _refuse_lacking(column, domain, lacking)
    if lacking:
        domain = Hierarchy.flat(_in_order([*known, *lacking], table.schema, column.name))
        code = {label: i for i, label in enumerate(domain.labels)}
        codes = np.array([code[label] for label in known], np.int64)[column.codes]
        table = _replaced(table, replace(column, domain=domain, codes=codes))
    code = {keys[label]: i for i, label in enumerate(domain.labels[: domain.leaves])}
    return table, tuple(np.sort([code[keys[label]] for label in labels]) for labels in sets)


def _placed(axis: Axis, label: str, name: str) -> int:
    """The code of a remembered value on the axis of today's column."""
    try:
        code = axis.place(label)
        same = axis.label(code) == label
    except (ValueError, IndexError, OverflowError):
        same = False
    if not same:
        raise SpecError(
            "values of earlier releases are not of this type or order",
            where=f"spec, column {name}",
            rule="a value that was published stays possible",
            remedy="declare the sensitive column as before",
        )
    return code


def _in_order(labels: list[str], schema: Schema | None, name: str) -> list[str]:
    """Labels as reading orders them: sorted, and missing ones, where they are a value, last."""
    missing = any(spec.name == name and spec.missing == Missing.CATEGORY for spec in schema or ())
    return sorted(labels, key=lambda label: (missing and label == MISSING_LABEL, label))


def _keys(labels: list[str], fold: bool) -> dict[str, str]:
    """What makes labels the same value: where the spec merges spellings, so does the ledger."""
    distinct = pl.Series(labels, dtype=pl.String).unique()
    return dict(zip(distinct, twin_keys(distinct) if fold else distinct, strict=True))


def _refuse_lacking(column: Column, domain: Hierarchy, lacking: list[str]) -> None:
    """Values of earlier releases that nobody has now must be new to the domain, and may be added to it."""
    twins = twin_keys(pl.Series([*domain.labels[: domain.leaves], *lacking], dtype=pl.String))
    if lacking and twins.n_unique() < twins.len():
        raise SpecError(
            f"{counted(twins.len() - twins.n_unique(), 'value')} spelled otherwise than in earlier releases",
            where=f"column {column.name}",
            rule="one value under two spellings is not diversity",
            remedy="set casefold = true, or write the values as before",
        )
    if lacking and not domain.is_flat:
        raise HierarchyError(
            f"{counted(len(lacking), 'value')} of earlier releases not in the hierarchy",
            where=f"column {column.name}",
            rule="a value that was published stays possible",
            remedy="put its line back into the hierarchy file",
        )


def _replaced(table: Table, column: Column) -> Table:
    """The table with another coding of a column; labels keep their order, so rows keep theirs."""
    columns = [column if own.name == column.name else own for own in table.columns]
    changed = Table(columns, schema=table.schema, intake=table.intake)
    subject = Role.SUBJECT
    if not np.array_equal(changed.with_role(subject)[0].codes, table.with_role(subject)[0].codes):
        raise ValueError("a new coding has moved rows")
    return changed


def _outside(codes: Codes, signature: Codes, sets: tuple[Codes, ...]) -> NDArray[np.bool_]:
    """Rows of known persons whose value is not in their signature."""
    outside = np.zeros(codes.size, bool)
    known = np.flatnonzero(signature >= 0)
    if known.size:
        every = np.concatenate(sets)
        low, width = int(min(every.min(), codes.min())), int(max(every.max(), codes.max())) + 1
        owner = np.repeat(np.arange(len(sets)), [s.size for s in sets])
        keys = np.sort(owner * (width - low) + every - low)
        wanted = signature[known] * (width - low) + codes[known] - low
        found = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
        outside[known] = keys[found] != wanted
    return outside
