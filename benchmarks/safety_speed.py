"""`python -m benchmarks.safety_speed`: `blind_cut` and `glass` as multiples of the floor, at a million and at ten
million rows of resampled Adult; and whether grouping grows like n log n. Writes safety_speed.md and
safety_speed.json."""

import json
import math
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import adult
from benchmarks.child import measured
from benchmarks.run import markdown

HERE = Path(__file__).parent
ELL = 4
MILLION, TEN_MILLION = 1_000_000, 10_000_000
MEMORY = 8.0  # GB at ten million rows, at most
WARM = 30_000


class Run(NamedTuple):
    """What is timed: rows, turns (the median counts), and how many times the floor it may take."""

    label: str
    key: str
    more: dict[str, object]
    rows: int
    turns: int
    most: float


SPEED = [
    Run("blind_cut", "blind_cut", {}, MILLION, 5, 4),
    Run("glass, fast", "glass", {"match": "fast"}, MILLION, 5, 4),
    Run("glass", "glass", {}, MILLION, 3, 30),
    Run("blind_cut", "blind_cut", {}, TEN_MILLION, 1, 6),
    Run("glass, fast", "glass", {"match": "fast"}, TEN_MILLION, 1, 6),
]
SIZES = (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
GROWTH: dict[str, tuple[str, dict[str, object], tuple[int, ...]]] = {  # grouping alone
    "blind_cut": ("blind_cut", {}, SIZES),
    "glass, fast": ("glass", {"match": "fast"}, SIZES),
    "glass": ("glass", {}, SIZES[:3]),
}
TURNS = 3

_SPEED = """
import time
from pathlib import Path
import numpy as np
import voile
from benchmarks import adult
from benchmarks.floor import once
from benchmarks.series_speed import peak_memory
folder, source = Path({folder!r}), Path({folder!r}) / "{n}.parquet"
schema, given = voile.Schema.of(adult.columns()), dict(format="parquet", l={ell}, **{more!r})
ours, least = [], []  # wall and CPU seconds

def timed(work, into):
    began = time.perf_counter(), time.process_time()
    done = work()
    into.append((time.perf_counter() - began[0], time.process_time() - began[1]))
    return done

def publish(table, turn):
    return voile.publish(table, schema, {key!r}, folder / f"{target}-{{turn}}", **given)

publish(folder / "{warm}.parquet", "warm")
for turn in range({turns}):
    release, _ = timed(lambda: publish(source, turn), ours)
    peak = peak if turn else peak_memory()
    for _ in range(5):
        timed(lambda: once(source, folder / "floor.parquet", adult.QUASI, adult.SENSITIVE), least)
(wall, cpu), (low, low_cpu) = np.median(ours, axis=0), np.median(least, axis=0)
result = {{
    "rows": {n}, "floor_seconds": low, "seconds": wall, "times_floor": wall / low, "cpu_seconds": cpu,
    "cpu_times_floor": cpu / low_cpu, "peak_gb": peak / 1e9,
    "gcp_leaves": release.certificate["utility"]["gcp_leaves"],
}}
"""

_GROUPING = """
import time
from pathlib import Path
import voile
from benchmarks import adult
from voile import catalog
folder, times = Path({folder!r}), []
for n, turns in (({warm}, 1), ({n}, {turns})):
    table = voile.read(folder / f"{{n}}.parquet", adult.columns())
    algorithm = catalog.algorithm({key!r}).configure({{"l": {ell}, **{more!r}}}).resolve(table)
    for turn in range(turns):
        began = time.perf_counter(), time.process_time()
        algorithm.partition(table)
        times.append((time.perf_counter() - began[0], time.process_time() - began[1]))
wall, cpu = map(sorted, zip(*times[1:]))
result = {{"rows": {n}, "seconds": wall[len(wall) // 2], "cpu_seconds": cpu[len(cpu) // 2]}}
"""


def write_tables(folder: Path) -> None:
    """All sizes that are asked for, as Parquet."""
    wanted = {run.rows for run in SPEED} | {n for _, _, sizes in GROWTH.values() for n in sizes} | {WARM}
    for n in sorted(wanted):
        adult.resampled(n).write_parquet(folder / f"{n}.parquet")


def speed(folder: Path) -> list[dict[str, Any]]:
    """Parquet to Parquet with audit, as a multiple of the floor in the same process."""
    rows = []
    for i, run in enumerate(SPEED):
        asked = {"folder": str(folder), "target": f"run{i}", "key": run.key, "more": run.more, "turns": run.turns}
        found = measured(_SPEED.format(**asked, n=run.rows, ell=ELL, warm=WARM))
        kept = found["times_floor"] <= run.most and (run.rows < TEN_MILLION or found["peak_gb"] <= MEMORY)
        rows.append({"run": run.label, **found, "target": run.most, "kept": "yes" if kept else "**no**"})
        print(rows[-1], flush=True)
    return rows


def growth(folder: Path) -> list[dict[str, Any]]:
    """Seconds of grouping alone; and over n log n, as a multiple of that at the smallest size."""
    rows = []
    for label, (key, more, sizes) in GROWTH.items():
        for n in sizes:
            asked = {"folder": str(folder), "key": key, "more": more, "ell": ELL, "warm": WARM}
            rows.append(
                {"run": label, **measured(_GROUPING.format(**asked, n=n, turns=TURNS if n < MILLION else 1))}
            )
            print(rows[-1], flush=True)
    return over_n_log_n(rows)


def over_n_log_n(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same with nanoseconds per n log2 n, by wall and by CPU, and the former over that of the run's first row.

    >>> [row["to_first"] for row in over_n_log_n([{"run": "a", "rows": 4, "seconds": 1, "cpu_seconds": 1}])]
    [1.0]
    """
    found: list[dict[str, Any]] = []
    first: dict[str, float] = {}
    for row in rows:
        work = row["rows"] * math.log2(row["rows"]) / 1e9
        wall = row["seconds"] / work
        first.setdefault(row["run"], wall)
        found.append(
            {**row, "ns": wall, "cpu_ns": row["cpu_seconds"] / work, "to_first": wall / first[row["run"]]}
        )
    return found


def text_of(found: dict[str, Any]) -> str:
    """safety_speed.md."""
    parts = [
        "# The speed of algorithms that are safe from who knows them\n\n"
        "Made by `python -m benchmarks.safety_speed`; one run, to be read as ratios. The floor is measured after\n"
        "every turn, in the same process; medians. CPU seconds are of all threads: where other programs run,\n"
        "they are the steadier figure.\n",
        markdown(f"l = {ELL}, Parquet to Parquet with audit, resampled Adult, seven QI", found["speed"]),
        f"Targets are multiples of the floor; and at most {MEMORY:.0f} GB at ten million rows.\n",
        markdown("Grouping alone: nanoseconds per n log2 n", found["growth"]),
        "`to_first` is 1 where grouping grows like n log n. Loss, and counts: [safety.md](safety.md).\n",
    ]
    return "\n".join(parts)


def main() -> None:
    """Measure, and write it down."""
    if not adult.available():
        sys.exit("no data: `make data` gets it")
    with tempfile.TemporaryDirectory() as name:
        write_tables(Path(name))
        found = {"speed": speed(Path(name)), "growth": growth(Path(name))}
    (HERE / "safety_speed.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    text = text_of(found)
    (HERE / "safety_speed.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
