"""The second table of a release in two: how often each sensitive value is in each group (Xiao and Tao 2006)."""

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.order import distinct_values
from voile.core.schema import COUNT, GROUP, SENSITIVE_TABLE
from voile.errors import InputError

Numbers = NDArray[np.int64]
_DIGITS = r"^[0-9]{1,15}$"


@dataclass(frozen=True, repr=False, eq=False)
class JoinedTables:
    """Two tables that fit each other: the group of each row of the first, numbered from 0; of each line of the
    second its group and how many rows it stands for."""

    row_group: Numbers
    line_group: Numbers
    line_rows: Numbers

    @property
    def sizes(self) -> Numbers:
        """Rows of each group."""
        return np.bincount(self.row_group)

    def lines(self) -> Numbers:
        """The line of each value, as often as it stands for a row."""
        return np.repeat(np.arange(self.line_rows.size), self.line_rows)


def joined(rows: pl.DataFrame, values: pl.DataFrame, column: str) -> JoinedTables:
    """Join rows of quasi-identifiers and lines of values by their groups; refuses what does not fit.

    >>> rows = pl.DataFrame({"group": [1, 1, 2], "age": [31, 47, 52]})
    >>> values = pl.DataFrame({"group": [1, 2], "disease": ["flu", "gout"], "count": [2, 1]})
    >>> found = joined(rows, values, "disease")
    >>> found.row_group.tolist(), found.line_group.tolist(), found.lines().tolist()
    ([0, 0, 1], [0, 1], [0, 0, 1])
    """
    lines, counts = groups_of_lines(values, column)
    numbers, row_group = distinct_values(groups_of_rows(rows, column))
    found, line_group = distinct_values(lines)
    if not np.array_equal(found, numbers):
        raise _refused("groups that are not those of the data", "the same groups in both tables")
    if (counts > row_group.size).any() or not np.array_equal(
        np.bincount(line_group, counts), np.bincount(row_group)
    ):
        refuse_sums()
    return JoinedTables(row_group, line_group, counts)


def groups_of_rows(rows: pl.DataFrame, column: str) -> Numbers:
    """The group of each row of the first table, or of a part of it."""
    if GROUP not in rows.columns or column in rows.columns:
        raise InputError(
            f"the sensitive column {column} beside the quasi-identifiers"
            if column in rows.columns
            else "no column group",
            where="header",
            rule="one table has quasi-identifiers by group, the other sensitive values by group",
            remedy="use the files as they were published",
        )
    return _whole(rows[GROUP], "data")


def groups_of_lines(values: pl.DataFrame, column: str) -> tuple[Numbers, Numbers]:
    """The group of each line of the second table, or of a part of it, and how many rows it stands for."""
    if sorted(values.columns) != sorted([GROUP, column, COUNT]):
        raise _refused(f"columns other than {GROUP}, {column} and {COUNT}", "it has these three")
    lines, counts = _whole(values[GROUP], SENSITIVE_TABLE), _whole(values[COUNT], SENSITIVE_TABLE)
    if (counts < 1).any():
        raise _refused("counts that cannot be", "a whole number from 1")
    return lines, counts


def refuse_sums() -> NoReturn:
    """Two tables that are not of the same rows."""
    raise _refused("counts that do not add up to the rows of their group", "every row has one value")


def _whole(cells: pl.Series, where: str) -> Numbers:
    """Whole numbers from 0; nothing else."""
    if cells.dtype == pl.String:
        cells = cells.set(~cells.str.contains(_DIGITS).fill_null(False), None)
    whole = cells.dtype == pl.String or cells.dtype.is_integer()
    numbers = cells.cast(pl.Int64, strict=False) if whole else cells.clear(1)
    if numbers.null_count() or (numbers < 0).any():
        raise InputError(
            "not whole numbers",
            where=f"{where}, column {cells.name}",
            rule="from 0, none missing",
            remedy="use the files as they were published",
        )
    return numbers.to_numpy()


def _refused(what: str, rule: str) -> InputError:
    return InputError(
        what, where=f"table {SENSITIVE_TABLE}", rule=rule, remedy="use the files as they were published"
    )
