"""`make bench`: every claim about speed, memory and quality, measured in one run.

Writes benchmarks/results.md and benchmarks/results.json.
"""

import json
import math
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks import adult, peers
from benchmarks.child import measured

HERE = Path(__file__).parent
SIZES = (30_000, 100_000, 1_000_000)
FACTS = {  # docs/facts/bsgi.md A6
    "bsgi": {2: 0.1076, 3: 0.1666, 4: 0.2120, 5: 0.2442, 6: 0.2937, 7: 0.2999},
    "elig": {2: 0.0112, 3: 0.0284, 4: 0.0550, 5: 0.0920, 6: 0.1456, 7: 0.2088},
}
RUNS = {  # name, algorithm and parameters, turns (the median counts)
    "bsgi": ("bsgi", {}, 3),
    "elig, refine = 0": ("elig", {"refine": 0}, 3),
    "elig": ("elig", {}, 1),
    "anatomy": ("anatomy", {}, 3),
}

_RUN = """
import sys, time
from pathlib import Path
import voile
from benchmarks import adult, peers
from benchmarks.floor import floor
schema, folder, more = voile.Schema.of(adult.columns()), Path({folder!r}), {more!r}
warm = folder / "warm-{label}-{n}"
voile.publish(folder / "30000.parquet", schema, {key!r}, warm, format="parquet", l=5, **more)
source, times = folder / "{n}.parquet", []
before = floor(source, folder / "floor.parquet", adult.QUASI, adult.SENSITIVE)
for turn in range({turns}):
    began = time.perf_counter()
    target = folder / f"{label}-{n}-{{turn}}"
    release, _ = voile.publish(source, schema, {key!r}, target, format="parquet", l=5, **more)
    times.append(time.perf_counter() - began)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
least = (before + floor(source, folder / "floor.parquet", adult.QUASI, adult.SENSITIVE)) / 2
seconds = sorted(times)[len(times) // 2]
result = {{
    "rows": {n},
    "floor_seconds": least,
    "seconds": seconds,
    "times_floor": seconds / least,
    "peak_gb": peak / 1e9,
    "gcp_leaves": release.certificate["utility"]["gcp_leaves"],
}}
"""


def speed(folder: Path) -> list[dict[str, Any]]:
    """End-to-end time as a multiple of the floor in the same process, peak memory and GCP."""
    return [
        {"run": label, **timed(folder, label[:4] + str(len(more)), n, key, more, turns)}
        for label, (key, more, turns) in RUNS.items()
        for n in SIZES
    ]


def timed(folder: Path, label: str, n: int, key: str, more: dict[str, object], turns: int) -> dict[str, Any]:
    """One algorithm on a table of n rows, several times, in a process of its own; releases have the label."""
    return measured(_RUN.format(folder=str(folder), n=n, key=key, more=more, turns=turns, label=label))


def growth(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Exponent of n between 100k and 1M, per run."""
    found = {}
    for label in RUNS:
        _, small, large = (row for row in rows if row["run"] == label)
        found[label] = math.log(large["seconds"] / small["seconds"]) / math.log(large["rows"] / small["rows"])
    return found


def audit(folder: Path) -> list[dict[str, Any]]:
    """Auditing a release of a million rows with all models, against one group-by of QI and sensitive column."""
    import voile
    from voile import catalog
    from voile.auditing import audit_frame

    schema = voile.Schema.of(adult.columns())
    release = pl.read_parquet(folder / f"elig1-{SIZES[-1]}-0" / "data.parquet")
    names = [*adult.QUASI, adult.SENSITIVE]
    bags = audit_frame(release, schema).bags
    by, ours, each = [], [], {key: [] for key in catalog.models()}
    for _ in range(5):
        by.append(_seconds(lambda: release.group_by(names).len()))
        ours.append(_seconds(lambda: audit_frame(release, schema)))
        for key, model in catalog.models().items():
            each[key].append(_seconds(lambda model=model: model.achieved(bags)))
    one = float(np.median(by))
    rows = [{"what": "group-by", "seconds": one, "times_group_by": 1.0}]
    timed = {"audit, all models": ours, **each}
    return rows + [
        {"what": what, "seconds": float(np.median(times)), "times_group_by": float(np.median(times)) / one}
        for what, times in timed.items()
    ]


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def quality(folder: Path) -> list[dict[str, Any]]:
    """Adult, 30,162 rows: groups and GCP beside the facts."""
    import voile

    table = voile.read(adult.complete_rows(), adult.columns())
    rows = []
    for key, facts in FACTS.items():
        for ell, expected in facts.items():
            began = time.perf_counter()
            document = voile.anonymize(table, key, l=ell).certificate
            gcp = document["utility"]["gcp_leaves"]
            rows.append(
                {
                    "algorithm": key,
                    "l": ell,
                    "groups": document["table"]["groups"],
                    "average_group": document["utility"]["aecs"],
                    "unique_distinct": document["checks"]["unique_distinct_l_diversity"],
                    "gcp_leaves": gcp,
                    "facts": expected,
                    "difference": gcp / expected - 1,
                    "seconds": time.perf_counter() - began,
                }
            )
    return rows


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.5g}" if isinstance(value, float) else str(value)


def table(rows: list[dict[str, Any]]) -> str:
    """Rows as a table of Markdown; the first row names the columns, what a row lacks is empty."""
    head = list(rows[0])
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(_cell(row.get(h)) for h in head) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def markdown(title: str, rows: list[dict[str, Any]]) -> str:
    """The same below a heading."""
    return f"## {title}\n\n{table(rows)}"


def main() -> None:
    """Measure everything and write it down."""
    if not adult.available():
        sys.exit("no data: `make data` gets it")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for n in SIZES:
            adult.resampled(n).write_parquet(folder / f"{n}.parquet")
        times = speed(folder)
        exponents = growth(times)
        audits = audit(folder)
        releases, checks = peers.compared(folder)
        found = {
            "machine": {
                "python": platform.python_version(),
                "polars": pl.__version__,
                "threads": pl.thread_pool_size(),
            },
            "speed": times,
            "growth_exponents_100k_to_1m": exponents,
            "audit_1m": audits,
            "quality": quality(folder),
            "peers": releases,
            "peer_audits": checks,
        }
    (HERE / "results.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    grown = ", ".join(f"{label}: n^{value:.3f}" for label, value in exponents.items())
    parts = [
        "# Benchmarks\n\nMade by `make bench`; every figure of one run on one machine, to be read as ratios.\n",
        markdown("l = 5, Parquet to Parquet with audit, resampled Adult", times),
        f"Growth of time from 100k to 1M rows: {grown}. (elig refines with fewer passes above 125,000 rows.)\n",
        markdown("Audit of a 1M-row release in memory: all models, and each by itself on counted bags", audits),
        markdown("Adult, 30,162 rows, seven QI, sensitive occupation", found["quality"]),
        markdown("Adult, six QI with ARX's hierarchies, beside the peers: from frame to frame", releases),
        "ARX 3.9.2, from docs/facts/peers.md, not run here: gcp_minus1 0.108 with 2.1 % suppressed at l = 3,\n"
        "0.467 with 24.7 % at l = 5 (frequency l). A peer that keeps only distinct l loses less because it\n"
        "promises less: see frequency_l; its sets of values are charged as sets, the nodes of others as nodes.\n",
        markdown("Each audit of an elig release of Adult, 30,162 rows, beside pyCANON", checks),
        "Random groups: [streamliner.md](streamliner.md). Counts from a release: [queries.md](queries.md).\n",
    ]
    text = "\n".join(parts)
    (HERE / "results.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
