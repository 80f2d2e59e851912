"""A million rows from PostgreSQL to PostgreSQL, and from Parquet to Parquet, in one run.

`python -m benchmarks.sql` writes sql.md. Needs a PostgreSQL server and the extra [sql].
"""

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

import voile
from benchmarks import synthetic
from tests.servers.postgresql import PASSWORD, PostgreSQL
from voile.sql.connection import opened
from voile.sql.digest import table_digest
from voile.sql.table_name import TableName

HERE = Path(__file__).parent
ROWS = 1_000_000
TURNS = 3
ALGORITHMS = ("rda", "blind_cut")


def main() -> None:
    """Measure and write."""
    os.environ |= {"PGPASSWORD": PASSWORD, "VOILE_REPORT": "no"}
    lines = [
        "# Databases, measured",
        "",
        f"By `python -m benchmarks.sql`: {ROWS:,} rows end to end, audit included, the median of {TURNS} turns",
        "after one to warm up, both ways in turn, on one shared machine of two cores, server included.",
        "",
        "| algorithm | Parquet to Parquet | PostgreSQL to PostgreSQL | ratio |",
        "|---|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder, PostgreSQL() as server:
        file = Path(folder) / "rows.parquet"
        synthetic.rows(ROWS).write_parquet(file)
        source = voile.database(server.address(), table="people")
        with opened(source.address, writes=True) as connection:
            connection.write(TableName("people"), pl.read_parquet(file))
            connection.commit()
        for key in ALGORITHMS:
            parquet, tables = _both(key, file, source, server.address(), Path(folder))
            lines.append(f"| `{key}` | {parquet:.1f} s | {tables:.1f} s | {tables / parquet:.2f} |")
        lines += ["", "Where the time goes beside the algorithm:", "", "| step | time |", "|---|---|"]
        lines += [f"| {what} | {seconds:.1f} s |" for what, seconds in _steps(source, server.address())]
    (HERE / "sql.md").write_text("\n".join([*lines, ""]), encoding="utf-8")


def _both(key: str, file: Path, source: Any, address: str, folder: Path) -> tuple[float, float]:
    """Medians of both ways; they take turns, so that a busy minute is everybody's."""
    schema = voile.Schema.of(synthetic.columns())
    parquet, tables = [], []
    for turn in range(TURNS + 1):
        name = f"{key}_{turn}"
        parquet.append(_timed(lambda o=name: voile.publish(file, schema, key, folder / o, format="parquet", l=5)))
        to = {"to": address, "to_table": name}
        tables.append(_timed(lambda o=name, t=to: voile.publish(source, schema, key, folder / f"{o}_", **t, l=5)))
    return statistics.median(parquet[1:]), statistics.median(tables[1:])


def _steps(source: Any, address: str) -> list[tuple[str, float]]:
    released = voile.database(address, table=f"{ALGORITHMS[0]}_1").frame()
    with opened(source.address, writes=True) as connection:
        writing = _timed(lambda: connection.write(TableName("again"), released))
        reading = _timed(lambda: connection.frame('"again"'))
    return [
        ("reading the source", _timed(source.frame)),
        ("writing the release", writing),
        ("reading it again for the audit", reading),
        ("its digest, which is made twice", _timed(lambda: table_digest(released))),
    ]


def _timed(act: Callable[[], Any]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
