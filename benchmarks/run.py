"""`make bench`: every claim about speed, memory and quality, measured in one run.

Writes benchmarks/results.md and benchmarks/results.json.
"""

import json
import math
import platform
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks import adult
from benchmarks.child import measured

HERE = Path(__file__).parent
SIZES = (30_000, 100_000, 1_000_000)
FACTS = {2: 0.1076, 3: 0.1666, 4: 0.2120, 5: 0.2442, 6: 0.2937, 7: 0.2999}  # facts/bsgi.md A6

_RUN = """
import sys, time
from pathlib import Path
import voile
from benchmarks import adult
from benchmarks.floor import floor
schema, folder = voile.Schema.of(adult.columns()), Path({folder!r})
voile.publish(folder / "30000.parquet", schema, "bsgi", folder / "warm-{n}", format="parquet", l=5)
peak_before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
source, times = folder / "{n}.parquet", []
for turn in range({turns}):
    began = time.perf_counter()
    release, _ = voile.publish(source, schema, "bsgi", folder / f"out-{n}-{{turn}}", format="parquet", l=5)
    times.append(time.perf_counter() - began)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
result = {{
    "rows": {n},
    "floor_seconds": floor(source, folder / "floor.parquet"),
    "seconds": sorted(times)[len(times) // 2],
    "peak_gb": peak / 1e9,
    "gcp_leaves": release.certificate["utility"]["gcp_leaves"],
}}
"""


def bsgi(folder: Path) -> list[dict[str, float]]:
    """End-to-end time as a multiple of the floor in the same process, peak memory and GCP."""
    rows = []
    for n in SIZES:
        row = measured(_RUN.format(folder=str(folder), n=n, turns=3))
        row["times_floor"] = row["seconds"] / row["floor_seconds"]
        rows.append(row)
    return rows


def growth(rows: list[dict[str, float]]) -> float:
    """Exponent of n between 100k and 1M."""
    small, large = rows[-2], rows[-1]
    return math.log(large["seconds"] / small["seconds"]) / math.log(large["rows"] / small["rows"])


def audit(folder: Path) -> dict[str, float]:
    """Auditing a release of a million rows, against one group-by of QI and sensitive column."""
    import voile
    from voile.auditing import audit_frame

    schema = voile.Schema.of(adult.columns())
    release = pl.read_parquet(folder / f"out-{SIZES[-1]}-0" / "data.parquet")
    names = [*adult.QUASI, adult.SENSITIVE]
    audit_frame(release, schema)
    by, ours = [], []
    for _ in range(5):
        began = time.perf_counter()
        release.group_by(names).len()
        by.append(time.perf_counter() - began)
        began = time.perf_counter()
        audit_frame(release, schema)
        ours.append(time.perf_counter() - began)
    one, mine = float(np.median(by)), float(np.median(ours))
    return {"group_by_seconds": one, "audit_seconds": mine, "times_group_by": mine / one}


def quality(folder: Path) -> list[dict[str, float]]:
    """Adult, 30,162 rows: Table 5 and GCP beside the facts."""
    import voile

    source = folder / "adult.parquet"
    adult.complete_rows().write_parquet(source)
    table = voile.read(source, voile.Schema.of(adult.columns()))
    rows = []
    for ell, facts in FACTS.items():
        document = voile.anonymize(table, "bsgi", l=ell).certificate
        gcp = document["utility"]["gcp_leaves"]
        rows.append(
            {
                "l": ell,
                "average_group": document["utility"]["aecs"],
                "unique_distinct": document["checks"]["unique_distinct_l_diversity"],
                "gcp_leaves": gcp,
                "facts": facts,
                "difference": gcp / facts - 1,
            }
        )
    return rows


def _markdown(title: str, rows: list[dict[str, float]]) -> str:
    head = list(rows[0])
    lines = [f"## {title}", "", "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += [
        "| " + " | ".join(f"{row[h]:.5g}" if isinstance(row[h], float) else str(row[h]) for h in head) + " |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure everything and write it down."""
    if not adult.available():
        sys.exit("no data: set VOILE_DATA to a folder with adult/adult.data")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for n in SIZES:
            adult.resampled(n).write_parquet(folder / f"{n}.parquet")
        speed = bsgi(folder)
        found = {
            "machine": {
                "python": platform.python_version(),
                "polars": pl.__version__,
                "threads": pl.thread_pool_size(),
            },
            "speed": speed,
            "growth_exponent_100k_to_1m": growth(speed),
            "audit_1m": audit(folder),
            "quality": quality(folder),
        }
    (HERE / "results.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    parts = [
        "# Benchmarks\n\nMade by `make bench`; every figure of one run on one machine, to be read as ratios.\n",
        _markdown("bsgi, l = 5, Parquet to Parquet with audit, resampled Adult", speed),
        f"Time grows as n^{found['growth_exponent_100k_to_1m']:.3f} from 100k to 1M rows.\n",
        _markdown("Audit of a 1M-row release (k, distinct, frequency and unique l)", [found["audit_1m"]]),
        _markdown("bsgi on Adult, 30,162 rows, seven QI, sensitive occupation", found["quality"]),
    ]
    text = "\n".join(parts)
    (HERE / "results.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
