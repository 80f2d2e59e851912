"""The National Longitudinal Survey of young working women: 15 waves from 1968 to 1988, in which people leave,
return, and change their occupation.

Rows without an occupation, or without one of the quasi-identifiers, are dropped.
"""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import voile
from benchmarks import data
from benchmarks.republication import Checker
from voile.core.schema import Role

NAME = "longitudinal/nlswork.csv"
SUBJECT, WAVE, SENSITIVE = "idcode", "year", "occ_code"
QUASI = ("age", "race", "grade", "msp", "south")


def available() -> bool:
    """Whether the data is where it is looked for."""
    return data.is_there(NAME)


def columns() -> dict[str, dict[str, object]]:
    """The spec: age and years of school are numbers, the rest are categories."""
    kinds = {name: "integer" if name in ("age", "grade") else "category" for name in QUASI}
    return {
        SUBJECT: {"role": "subject", "type": "integer"},
        **{name: {"role": "qi", "type": kind} for name, kind in kinds.items()},
        SENSITIVE: {"role": "sensitive", "type": "integer"},
    }


def waves() -> dict[int, pl.DataFrame]:
    """The complete rows of each year."""
    names = [SUBJECT, *QUASI, SENSITIVE]
    rows = pl.read_csv(data.path(NAME), columns=[WAVE, *names], infer_schema_length=None).drop_nulls()
    return {int(year): rows.filter(pl.col(WAVE) == year).select(names) for year in rows[WAVE].unique().sort()}


def published(folder: Path, m: int, balance: str) -> tuple[list[dict[str, Any]], list[Path], list[pl.DataFrame]]:
    """All waves by `Series.publish` with a ledger: what happened in each, the releases, who was really in them.

    Of the persons of a wave, `returned` were published before but not in the last wave.
    """
    everything = waves()
    persons = 1 + max(int(wave[SUBJECT].max()) for wave in everything.values())  # type: ignore[arg-type]
    checker, found, folders, shown = Checker(m, of_person=np.zeros(persons, np.int64)), [], [], []
    series = voile.Series.create(folder / "series.ledger", key=folder / "series.key")
    last = np.empty(0, np.int64)
    for number, (year, wave) in enumerate(everything.items(), 1):
        target = folder / f"release-{number}"
        known = checker.of_person > 0
        plan, _ = series.publish(voile.read(wave, columns()), target, m=m, balance=balance)
        table, partition = plan.recollection.table, plan.partition
        people = table.with_role(Role.SUBJECT)[0].codes
        faults = checker.faults(people, table.sensitive[0].codes, partition)
        here = people[partition.group >= 0]
        returned = int((known[here] & ~np.isin(here, last)).sum())
        counts = {name: plan.counts[name] for name in ("published", "new", "counterfeits", "changed", "waiting")}
        found.append({"wave": year, "rows": wave.height, **counts, "returned": returned, **faults})
        folders.append(target)
        shown.append(wave.filter(pl.col(SUBJECT).is_in(here)))
        last = here
    return found, folders, shown
