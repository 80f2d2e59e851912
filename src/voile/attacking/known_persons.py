"""Persons whose quasi-identifiers the adversary knows: a file or a data frame, to compare a release with."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.hierarchy_recipe import Recipe
from voile.core.schema import ColumnSpec, Role, Schema, Type
from voile.core.table import Table
from voile.errors import SpecError
from voile.intake.data_frame import data_frame
from voile.intake.table_reader import read_frame, refuse_undeclared, table_of
from voile.rendering.labels import value_labels
from voile.series_auditing.knowledge import KnownTable, Values

Integers = NDArray[np.int64]
_ROW = "\0row"  # a name that no spec has: the row of the file


@dataclass(frozen=True, repr=False, eq=False)
class KnownPersons:
    """Everybody's quasi-identifiers, as the search sees them and as labels are compared; for the scorer alone, the
    true values (None: not told)."""

    table: Table
    compared: KnownTable
    truth: Integers | None

    @classmethod
    def read(cls, source: Any, schema: Schema, values: Values) -> "KnownPersons":
        """Read a table of persons: only the quasi-identifying columns are needed."""
        is_file = isinstance(source, str | Path)
        frame = read_frame(source, schema) if is_file else data_frame(source)
        refuse_undeclared(frame, schema)
        sensitive = [column for column in schema.with_role(Role.SENSITIVE) if column.name in frame.columns]
        wanted = [*schema.with_role(Role.QUASI_IDENTIFYING), *sensitive]
        for column in wanted:
            if column.name not in frame.columns:
                raise SpecError(
                    f"the known persons have no column {column.name}",
                    where="header",
                    rule="all quasi-identifying columns of everybody are known",
                    remedy="give the source of the release, with or without its sensitive column",
                )
        frame = frame.with_columns(pl.Series(_ROW, np.arange(frame.height)))
        numbered = ColumnSpec(_ROW, Role.SUBJECT, Type.INTEGER)
        plain = [replace(c, hierarchy=None) if isinstance(c.hierarchy, Recipe) else c for c in wanted]
        table = table_of(frame, replace(schema, columns=(*wanted, numbered)))
        compared = table_of(frame, replace(schema, columns=(*plain, numbered)))
        order = np.argsort(_rows(compared))[np.argsort(np.argsort(_rows(table)))]
        columns = tuple(replace(column, codes=column.codes[order]) for column in compared.quasi)
        truth = [values.codes(value_labels(secret, secret.codes)) for secret in table.sensitive]
        known = KnownTable(columns, np.arange(table.n), np.empty(0, np.int64))
        return cls(table, known, truth[0] if truth else None)


def _rows(table: Table) -> Integers:
    """The row of the file of each row of the table."""
    return table.with_role(Role.SUBJECT)[0].codes


def single_sensitive(schema: Schema) -> ColumnSpec:
    """The sensitive column, of a spec that has one."""
    found = schema.with_role(Role.SENSITIVE)
    if len(found) > 1:
        raise SpecError(
            f"{len(found)} sensitive columns",
            where="spec",
            rule="the attack is on one",
            remedy="declare the others insensitive in a copy of the spec",
        )
    return found[0]
