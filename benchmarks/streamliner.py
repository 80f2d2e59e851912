"""`python -m benchmarks.streamliner`: rda and gda on the papers' domains, speed up to ten million rows and
discernibility beside the optimum. Writes streamliner.md and streamliner.json."""

import json
import math
import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl

import voile
from benchmarks import acs, adult, synthetic
from benchmarks.child import measured
from benchmarks.run import markdown
from voile.core.table import Table

HERE = Path(__file__).parent
ELLS = (6, 7, 8, 9, 10)
SPEED = [  # algorithm, rows, turns; the last is one run, of which the memory counts
    ("rda", 100_000, 5),
    ("rda", 1_000_000, 5),
    ("gda", 100_000, 5),
    ("gda", 1_000_000, 5),
    ("rda", 10_000_000, 1),
]

_RUN = """
import time
from pathlib import Path
import voile
from benchmarks import synthetic
from benchmarks.floor import floor
columns, folder = synthetic.columns(), Path({folder!r})
schema = voile.Schema.of({{**columns, **dict.fromkeys({dropped!r}, "identifying")}})
quasi = [name for name in synthetic.QUASI if name not in {dropped!r}]
voile.publish(folder / "100000.parquet", schema, {key!r}, folder / "warm-{label}", format="parquet", l={ell})
source, times, floors = folder / "{n}.parquet", [], []
for turn in range({turns}):
    began = time.perf_counter()
    release, _ = voile.publish(source, schema, {key!r}, folder / f"{label}-{{turn}}", format="parquet", l={ell})
    times.append(time.perf_counter() - began)
    if turn == 0:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        floors.append(floor(source, folder / "floor.parquet", quasi, synthetic.SENSITIVE))
floors.append(floor(source, folder / "floor.parquet", quasi, synthetic.SENSITIVE))
least, seconds = sum(floors) / 2, sorted(times)[len(times) // 2]
result = {{
    "rows": {n},
    "l": {ell},
    "quasi_identifiers": len(quasi),
    "floor_seconds": least,
    "seconds": seconds,
    "times_floor": seconds / least,
    "peak_gb": peak / 1e9,
}}
"""


def write_tables(folder: Path) -> None:
    """The synthetic tables, as Parquet."""
    for n in sorted({rows for _, rows, _ in SPEED}):
        synthetic.rows(n).write_parquet(folder / f"{n}.parquet")


def _timed(
    folder: Path, key: str, n: int, turns: int, ell: int = 8, dropped: tuple[str, ...] = ()
) -> dict[str, Any]:
    label = f"{key}-{n}-{ell}-{len(dropped)}"
    code = _RUN.format(folder=str(folder), key=key, n=n, turns=turns, ell=ell, dropped=dropped, label=label)
    return {"algorithm": key, **measured(code)}


def speed(folder: Path) -> list[dict[str, Any]]:
    """Parquet to Parquet with audit, as a multiple of the floor in the same process."""
    return [_timed(folder, *run) for run in SPEED]


def growth(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Exponents of n between neighbouring sizes."""
    found = {}
    for key in ("rda", "gda"):
        mine = [row for row in rows if row["algorithm"] == key]
        for small, large in pairwise(mine):
            exponent = math.log(large["seconds"] / small["seconds"]) / math.log(large["rows"] / small["rows"])
            found[f"{key}, {small['rows']:,} to {large['rows']:,}"] = exponent
    return found


def by_l_and_columns(folder: Path) -> list[dict[str, Any]]:
    """A million rows: the time hardly grows with l, or with the number of quasi-identifiers."""
    rows = [_timed(folder, key, 1_000_000, 3, ell) for key in ("rda", "gda") for ell in (2, 6, 10)]
    fewer = ("education", "birthplace")
    return rows + [_timed(folder, key, 1_000_000, 3, 8, fewer) for key in ("rda", "gda")]


def optimal_dm(n: int, ell: int) -> int:
    """The least discernibility: floor(n / l) groups, the rest spread over them."""
    groups, rest = n // ell, n % ell
    return (groups - rest) * ell**2 + rest * (ell + 1) ** 2


def discernibility() -> list[dict[str, Any]]:
    """DM of rda and gda over the optimum."""
    tables: list[tuple[str, Callable[[], Table], tuple[int, ...]]] = [
        ("Adult", lambda: voile.read(adult.complete_rows(), adult.columns()), (6, 7)),
        ("ACS", _acs, ELLS),
        ("synthetic, 600,000 rows", lambda: voile.read(synthetic.rows(600_000), synthetic.columns()), ELLS),
    ]
    rows = []
    for name, read, ells in tables:
        table = read()
        for ell in ells:
            entry: dict[str, Any] = {"table": name, "rows": table.n, "l": ell, "optimum": optimal_dm(table.n, ell)}
            for key in ("rda", "gda"):
                dm = voile.anonymize(table, key, l=ell).certificate["utility"]["dm"]
                entry[f"{key} / optimum"] = dm / entry["optimum"]
            rows.append(entry)
    return rows


def _acs() -> Table:
    spec = acs.columns(weighted=True)
    frame: pl.DataFrame = acs.recoded().select(list(spec))
    return voile.read(frame, spec)


def main() -> None:
    """Measure everything and write it down."""
    if not (adult.available() and acs.available()):
        sys.exit("no data: put adult/ and acs2018/ where docs/testing.md says")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tables(folder)
        times = speed(folder)
        exponents, others, dm = growth(times), by_l_and_columns(folder), discernibility()
    found = {"speed": times, "growth": exponents, "by_l_and_columns": others, "discernibility": dm}
    (HERE / "streamliner.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    grown = ", ".join(f"{label}: n^{value:.3f}" for label, value in exponents.items())
    parts = [
        "# Random groups\n\nMade by `python -m benchmarks.streamliner`; one run, to be read as ratios.\n",
        markdown("l = 8, Parquet to Parquet with audit, the papers' domains (synthetic)", times),
        f"Growth of time: {grown}.\n",
        markdown("The same at 1M rows by l, and with two quasi-identifiers", others),
        markdown("Discernibility over the least possible", dm),
        "How wrong counts from a release are: [queries.md](queries.md).\n",
    ]
    text = "\n".join(parts)
    (HERE / "streamliner.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
