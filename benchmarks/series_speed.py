"""`python -m benchmarks.series_speed`: `Series.publish` as a multiple of the floor, and the ledger of ten million
persons. Writes series_speed.md and series_speed.json."""

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks import synthetic
from benchmarks.child import measured
from benchmarks.run import markdown

HERE = Path(__file__).parent
SPEED = [(200_000, 5), (1_000_000, 3), (10_000_000, 1)]  # rows, turns (the median counts)
R, M = 5_000, 10

_BEFORE = """
import time
from pathlib import Path
import numpy as np
import voile
from benchmarks import series_speed, synthetic
from benchmarks.floor import floor
folder, source = Path({folder!r}), Path({folder!r}) / "{n}.parquet"
schema = voile.Schema.of(series_speed.columns())
ours, least = [], []  # wall and CPU seconds

def timed(work, into):
    began = time.perf_counter(), time.process_time()
    work()
    into.append((time.perf_counter() - began[0], time.process_time() - began[1]))

def publish(series, table, target):
    series.publish(voile.read(table, schema), folder / target, format="parquet", m=series_speed.M)

def begun(name):
    return voile.Series.create(folder / f"{{name}}.ledger", key=folder / f"{{name}}.key")

def floors():
    floor(source, folder / "floor.parquet", synthetic.QUASI, synthetic.SENSITIVE)

warm = begun("warm-{label}")
publish(warm, folder / "warm.parquet", "warm-{label}-1")
publish(warm, folder / "warm.parquet", "warm-{label}-2")
"""

_FIRST = """
for turn in range({turns}):
    series = begun(f"{label}-{{turn}}")
    timed(lambda: publish(series, source, f"{label}-{{turn}}"), ours)
    peak = peak if turn else series_speed.peak_memory()
    timed(floors, least)
"""

_LATER = """
series = begun("{label}")
publish(series, source, "{label}-first")
for turn in range({turns}):
    timed(lambda: publish(series, folder / f"{n}-later-{{turn}}.parquet", f"{label}-{{turn}}"), ours)
    peak = peak if turn else series_speed.peak_memory()
    timed(floors, least)
"""

_AFTER = """
(wall, cpu), (low, low_cpu) = np.median(ours, axis=0), np.median(least, axis=0) / 5  # a floor is five runs
result = {{
    "rows": {n}, "floor_seconds": low, "seconds": wall, "times_floor": wall / low,
    "cpu_seconds": cpu, "cpu_times_floor": cpu / low_cpu, "peak_gb": peak / 1e9,
}}
"""

_LEDGER = """
import time
from pathlib import Path
import polars as pl
from voile.ledger import Ledger
folder, path = Path({folder!r}), Path({folder!r}) / "first-{n}-0.ledger"
bytes_of = sum(part.stat().st_size for part in folder.glob(path.name + "*"))
times = {{}}

def timed(name, work):
    began = time.perf_counter()
    done = work()
    times[name] = time.perf_counter() - began
    return done

ledger = timed("open", lambda: Ledger.open(path, folder / "first-{n}-0.key"))
some = pl.Series(range(0, {n}, {n} // 200_000)).cast(pl.String)
every = pl.Series(range({n})).cast(pl.String)
ledger.recall(ledger.pseudonyms(some[:10]))
for name, texts in (("recall of 200,000", some), ("recall of all", every)):
    people = timed("pseudonyms, " + name, lambda: ledger.pseudonyms(texts))
    found = timed(name, lambda: ledger.recall(people))
    assert (found > 0).all()
timed("close", ledger.close)
result = {{"persons": {n}, "bytes_per_person": bytes_of / {n}, "seconds": times}}
"""

_PSEUDONYMS = """
import time
import polars as pl
from voile.ledger.pseudonyms import pseudonyms
names = pl.Series(range(1_000_000)).cast(pl.String)
result = {}
for what, keys in (("one key", [bytes(32)]), ("two keys: after a rotation", [bytes(32), bytes(range(32))])):
    began = time.process_time()
    pseudonyms(names, keys)
    result[what] = time.process_time() - began
"""


def peak_memory() -> int:
    """Bytes that this process held at most. (ru_maxrss would count what its parent held when it was started.)"""
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


def columns() -> dict[str, dict[str, object]]:
    """The synthetic table, with the person as a number."""
    return {"person": {"role": "subject", "type": "integer"}, **synthetic.columns()}


def write_tables(folder: Path) -> None:
    """A first table of each size; of the smallest also later ones, each with R persons gone and R new."""
    _write(synthetic.rows(20_000), np.arange(20_000), folder / "warm.parquet")
    for n, turns in SPEED:
        later = turns if n == SPEED[0][0] else 0
        frame, rng, present = synthetic.rows(n + later * R), np.random.default_rng(1), np.arange(n)
        _write(frame[:n], present, folder / f"{n}.parquet")
        for turn in range(later):
            fresh = np.arange(n + turn * R, n + (turn + 1) * R)
            present = np.concatenate([np.delete(present, rng.choice(n, R, replace=False)), fresh])
            _write(frame[present], present, folder / f"{n}-later-{turn}.parquet")


def _write(frame: pl.DataFrame, persons: np.ndarray, path: Path) -> None:
    frame.with_columns(pl.Series("person", persons)).write_parquet(path)


def speed(folder: Path) -> list[dict[str, Any]]:
    """Parquet to Parquet with ledger and audit, as a multiple of the floor in the same process."""
    rows = []
    kinds = [("first", *SPEED[0], _FIRST), (f"later, r = {R:,}", *SPEED[0], _LATER)]
    for name, n, turns, middle in kinds + [("first", *size, _FIRST) for size in SPEED[1:]]:
        label = f"{name[:5]}-{n}"
        code = (_BEFORE + middle + _AFTER).format(folder=str(folder), n=n, turns=turns, label=label)
        rows.append({"release": name, **measured(code)})
        print(rows[-1], flush=True)
    return rows


def ledger(folder: Path) -> dict[str, Any]:
    """The memory of the largest release: bytes on disk, and seconds to open it and to recall persons."""
    return measured(_LEDGER.format(folder=str(folder), n=SPEED[-1][0]))


def pseudonyms_table(found: dict[str, float]) -> str:
    """CPU seconds of a million pseudonyms."""
    rows = [{"under": what, "cpu_seconds": value} for what, value in found.items()]
    return markdown("Pseudonyms of 1,000,000 persons", rows)


def main() -> None:
    """Measure, and write it down."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tables(folder)
        found: dict[str, Any] = {"speed": speed(folder), "ledger": ledger(folder)}
    found["pseudonyms"] = measured(_PSEUDONYMS)
    (HERE / "series_speed.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    book = found["ledger"]
    seconds = [{"what": name, "seconds": value} for name, value in book["seconds"].items()]
    parts = [
        "# The speed of a series\n\nMade by `python -m benchmarks.series_speed`; one run, to be read as ratios.\n"
        "The floor is measured after every turn; medians. CPU seconds are of all threads: where other programs\n"
        "run, they are the steadier figure.\n",
        markdown(f"m = {M}, Parquet to Parquet with ledger and audit, the papers' domains", found["speed"]),
        markdown(f"The ledger of {book['persons']:,} persons", seconds),
        f"On disk it has {book['bytes_per_person']:.1f} bytes a person.\n",
        pseudonyms_table(found["pseudonyms"]),
    ]
    text = "\n".join(parts)
    (HERE / "series_speed.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
