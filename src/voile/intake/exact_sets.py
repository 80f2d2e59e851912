"""What would be published as sets of exact values, and hide nobody: `{01.01.2006, 08.11.1997, 17.05.1976}`.

A category without a hierarchy is published as a set of its values. That hides a person among values that many
people have. A date, a decimal and a value that hardly anybody else has are as good as a name.
"""

from collections.abc import Iterable

import polars as pl

from voile.core.hierarchy import Hierarchy
from voile.core.schema import Role
from voile.core.table import Column
from voile.errors import SpecError
from voile.intake.columns import MISSING_LABEL

DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
OTHER_DATE = r"^[0-9]{1,2}[./-][0-9]{1,2}[./-]([0-9]{4}|[0-9]{2})$|^[0-9]{4}[./][0-9]{1,2}[./][0-9]{1,2}$"
MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{1,2}:[0-9]{2}"
COMMA = r"^[+-]?[0-9]+,[0-9]+$"
_POINT = r"^[+-]?[0-9]*\.[0-9]+$"
FEW_ROWS = 20  # below, every column may look like a key

_ELSE = 'give it a hierarchy, or drop it with role = "identifying"'
_READABLE = {  # what values look like, and how they would be read
    DAY: ("dates", 'set type = "date", to publish ranges'),
    OTHER_DATE: ("dates", f'write them as YYYY-MM-DD and set type = "date", to publish ranges; or {_ELSE}'),
    MOMENT: (
        "dates with a time",
        f'keep the day (YYYY-MM-DD) and set type = "date", to publish ranges; or {_ELSE}',
    ),
    COMMA: ("decimals", f'write a decimal point and set type = "decimal", to publish ranges; or {_ELSE}'),
    _POINT: ("decimals", f'set type = "decimal", to publish ranges; if they are codes, {_ELSE}'),
}


def refuse_exact_sets(columns: Iterable[Column], rows: int) -> None:
    """Refuse quasi-identifiers whose sets would show exact values; for algorithms that publish sets."""
    for column in columns:
        if column.role != Role.QUASI_IDENTIFYING or not isinstance(column.domain, Hierarchy):
            continue
        values = pl.Series(column.domain.labels[: column.domain.leaves], dtype=pl.String)
        values = values.filter(values != MISSING_LABEL)
        if not column.domain.is_flat or values.len() < 2:
            continue
        for pattern, (what, remedy) in _READABLE.items():
            if looks_like(values, pattern):
                raise SpecError(
                    f"exact {what}, which would be published as sets",
                    where=f"column {column.name}",
                    rule='type = "category" without a hierarchy publishes sets of values',
                    remedy=remedy,
                )
        if rows >= FEW_ROWS and 2 * values.len() > rows:
            raise SpecError(
                f"{values.len()} different values in {rows} rows, which would be published as sets",
                where=f"column {column.name}",
                rule="sets hide nobody where there are more than half as many values as rows",
                remedy=f'set type = "integer" if they are numbers to publish ranges of; or {_ELSE}',
            )


def looks_like(values: pl.Series, pattern: str) -> bool:
    """Whether at least nine of ten distinct values have this form."""
    return bool(values.len()) and 10 * int(values.str.contains(pattern).sum()) >= 9 * values.len()
