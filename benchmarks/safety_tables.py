"""The tables on which algorithms that are safe from who knows them are measured."""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import polars as pl

import voile
from benchmarks import acs, acs_states, adult, data, nlswork, nursery
from voile.core.table import Table

INDUSTRY = "ind_code"


class Measured(NamedTuple):
    """A table: how it is read, for which l it is grouped, and which columns queries have conditions on."""

    title: str
    read: Callable[[], Table]
    ells: tuple[int, ...]
    queried: tuple[str, ...] = ()


def available() -> bool:
    """Whether all data is where it is looked for."""
    return all(table.available() for table in (adult, acs, nursery, nlswork))


def _seven() -> Table:
    return voile.read(adult.complete_rows(), adult.columns())


def _six() -> Table:
    return voile.read(adult.complete_rows(*adult.SIX, adult.SENSITIVE), adult.six_columns())


def _states() -> Table:
    return voile.read(acs_states.rows(), acs_states.columns())


def _incomes() -> Table:
    spec = acs.columns("income")
    return voile.read(acs.resampled(100_000).select(list(spec)), spec)


def _nursery() -> Table:
    return voile.read(nursery.rows(), nursery.columns())


def _women() -> Table:
    """The first complete row of each woman; her industry is sensitive."""
    spec = {name: entry for name, entry in nlswork.columns().items() if name in nlswork.QUASI}
    names = [nlswork.SUBJECT, nlswork.WAVE, *spec, INDUSTRY]
    rows = pl.read_csv(data.path(nlswork.NAME), columns=names, infer_schema_length=None).drop_nulls()
    first = rows.sort(nlswork.WAVE).unique(nlswork.SUBJECT, keep="first", maintain_order=True)
    return voile.read(first.select(*spec, INDUSTRY), {**spec, INDUSTRY: {"role": "sensitive", "type": "integer"}})


CONDITIONS = ("sex", "age", "age+sex")
TUNED = {
    "adult7": Measured("Adult, 30,162 rows, seven QI", _seven, (2, 3, 4, 5, 6, 7), CONDITIONS),
    "adult6": Measured("Adult, 30,162 rows, six QI, ARX's hierarchies", _six, (2, 3, 4, 5, 6, 7)),
    "acs": Measured("ACS, 295,243 rows, five QI, 27 occupations", _states, (4, 5, 6, 7, 8), CONDITIONS),
}
UNTUNED = {
    "income": Measured("ACS, 100,000 rows, four QI in the papers' domains, 50 incomes", _incomes, (4, 6, 8, 10)),
    "nursery": Measured("Nursery, 12,960 rows, eight QI, five decisions", _nursery, (2, 3)),
    "women": Measured("NLS, 4,692 women in their first wave, five QI, 12 industries", _women, (2, 3)),
}
TABLES = TUNED | UNTUNED


@cache
def table_of(name: str) -> Table:
    """The table, read once per process."""
    return TABLES[name].read()
