"""counterfeits.csv, or the table of that name: the auxiliary relation of a release
(Xiao and Tao 2007, Definition 3)."""

import csv
import re
from pathlib import Path

import polars as pl

from voile.core.schema import COUNTERFEITS, GROUP
from voile.errors import InputError

_COUNT = re.compile(r"[0-9]{1,15}")


def read_counterfeits(path: Path) -> dict[int, int]:
    """Rows per group that stand for nobody."""
    found: dict[int, int] = {}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header, *lines = csv.reader(file)
        sound = header == [GROUP, COUNTERFEITS] and all(_COUNT.fullmatch(n) for line in lines for n in line)
        found = {int(group): int(number) for group, number in lines} if sound else {}
        sound = sound and len(found) == len(lines)
    except (OSError, ValueError, csv.Error):
        sound = False
    if not sound:
        raise InputError(
            "cannot be read", where=path.name, rule="whole numbers under group,counterfeits, a line per group"
        )
    return found


def counterfeits_in(table: pl.DataFrame) -> dict[int, int]:
    """The same from a table of a database.

    >>> counterfeits_in(pl.DataFrame({"group": [1, 4], "counterfeits": [2, 1]}))
    {1: 2, 4: 1}
    """
    whole = table.height == 0 or all(kind.is_integer() for kind in table.dtypes)
    sound = whole and table.columns == [GROUP, COUNTERFEITS] and not sum(table.null_count().row(0))
    if not sound or table[GROUP].n_unique() < table.height or (table[COUNTERFEITS] < 0).any():
        raise InputError(
            "cannot be read",
            where=f"table {COUNTERFEITS}",
            rule="whole numbers under group and counterfeits",
        )
    return dict(table.iter_rows())
