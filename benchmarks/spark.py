"""Releases on a cluster of two workers on this machine: time, bytes shuffled, memory of executors.

`python -m benchmarks.spark [ROWS ...]` adds these sizes to spark.json (1M and 10M if none are named) and writes
spark.md, from which docs/scale.md has its figures.
"""

import json
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

import voile
from benchmarks import synthetic
from tests.servers.spark import SparkCluster
from voile.output.staging import Staging
from voile.spark.auditing import audit_on_cluster
from voile.spark.publishing import CELL_ROWS, prepared, run
from voile.spark.session import session

HERE = Path(__file__).parent
SIZES = (1_000_000, 10_000_000)
ALGORITHMS = ("rda", "blind_cut", "mondrian")
ONLY_RDA = 20_000_000  # rows from which on the others are left out
PER_FILE = 500_000
ELL = 5


class Memory(threading.Thread):
    """The most that any one executor, and its Python workers, and that this driver, had at a time."""

    def __init__(self, cluster: SparkCluster) -> None:
        super().__init__(daemon=True)
        self.cluster, self.ended = cluster, threading.Event()
        self.executor = self.workers = self.driver = 0

    def run(self) -> None:
        own = psutil.Process()
        while not self.ended.wait(0.5):
            for executor in self.cluster.executors():
                try:
                    self.executor = max(self.executor, executor.memory_info().rss)
                    used = [p.memory_info().rss for p in executor.children(recursive=True)]
                    self.workers = max(self.workers, sum(used))
                except psutil.Error:
                    continue
            java = sum(p.memory_info().rss for p in own.children() if p.is_running())
            self.driver = max(self.driver, own.memory_info().rss + java)


@contextmanager
def watched(cluster: SparkCluster) -> Iterator[Memory]:
    memory = Memory(cluster)
    memory.start()
    yield memory
    memory.ended.set()
    memory.join()


def shuffled(spark: Any) -> int:
    """Bytes that executors have written for others so far."""
    listed = spark.sparkContext._jsc.sc().statusStore().executorList(False)
    return sum(listed.apply(i).totalShuffleWrite() for i in range(listed.size()))


def main() -> None:
    kept = HERE / "spark.json"
    results = json.loads(kept.read_text()) if kept.is_file() else []
    sizes = [int(word) for word in sys.argv[1:]] or SIZES
    schema = voile.Schema.of(synthetic.columns())
    with SparkCluster(memory="5g") as cluster:
        os.environ.update(cluster.environment)
        settings = {**cluster.settings, "spark.executor.memory": "2g", "spark.driver.memory": "2g"}
        with session(cluster.master, settings) as spark, tempfile.TemporaryDirectory(dir=".") as folder:
            _one(spark, cluster, schema, _written(100_000, Path(folder)), "blind_cut", 100_000, Path(folder))
            for rows in sizes:
                source = _written(rows, Path(folder))
                for key in ALGORITHMS if rows < ONLY_RDA else ALGORITHMS[:1]:
                    found = _one(spark, cluster, schema, source, key, rows, Path(folder))
                    results = [r for r in results if (r["key"], r["rows"]) != (key, rows)] + [found]
                    kept.write_text(json.dumps(results, indent=1) + "\n")
                    print(found, flush=True)
                shutil.rmtree(source)
    write_page(results)


def _written(rows: int, folder: Path) -> Path:
    """A folder of Parquet files."""
    target = folder / f"rows{rows}"
    target.mkdir()
    for i, start in enumerate(range(0, rows, PER_FILE)):
        synthetic.rows(min(PER_FILE, rows - start), seed=i).write_parquet(target / f"{i:05d}.parquet")
    return target


def _one(
    spark: Any, cluster: SparkCluster, schema: Any, source: Path, key: str, rows: int, folder: Path
) -> dict[str, Any]:
    stages: list[tuple[str, float]] = []
    out, before = folder / "out", shuffled(spark)
    with watched(cluster) as memory, Staging(out) as staging:
        began = time.perf_counter()
        task = prepared(schema, key, None, False, {"l": ELL})
        note = lambda stage, share: stages.append((stage, time.perf_counter()))  # noqa: E731
        _, found = run(spark, source, schema, task, staging, "parquet", CELL_ROWS, note)
        ended = time.perf_counter()
    moved = shuffled(spark) - before
    again = time.perf_counter()
    assert audit_on_cluster(spark, out, schema).ok and found.rows == rows
    audited = time.perf_counter() - again
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    shutil.rmtree(out)
    ends = [at for _, at in stages[1:]] + [ended]
    gone = {stage: round(end - at, 2) for (stage, at), end in zip(stages, ends, strict=True)}
    return {
        "key": key,
        "rows": rows,
        "seconds": round(ended - began, 1),
        "stages": gone,
        "audit_seconds": round(audited, 1),
        "shuffle_mb": round(moved / 1e6, 1),
        "executor_mb": round(memory.executor / 1e6),
        "workers_mb": round(memory.workers / 1e6),
        "driver_mb": round(memory.driver / 1e6),
        "source_mb": round(sum(p.stat().st_size for p in source.iterdir()) / 1e6, 1),
        "release_mb": round(size / 1e6, 1),
        "gcp": found.certificate["utility"]["gcp_leaves"] if found.certificate else None,
    }


def write_page(results: list[dict[str, Any]]) -> None:
    lines = [
        "# On a cluster, measured",
        "",
        "By `python -m benchmarks.spark`: one master, two workers of one core each, all on one shared machine of",
        f"two cores; l = {ELL}, cells and parts of at most {CELL_ROWS:,} rows. What is shuffled is encrypted and",
        "compressed. Memory is the most that any one executor had at a time: its JVM, and its Python workers.",
        "",
        "| algorithm | rows | all | of which reading | planning | grouping | writing | auditing | audit alone "
        "| shuffled | JVM | Python | driver |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for r in sorted(results, key=lambda r: (r["key"], r["rows"])):
        s = r["stages"]
        parts = [s["reading and coding"], s["planning"], s["grouping"], s["writing"], s["auditing"]]
        lines.append(
            f"| `{r['key']}` | {r['rows']:,} | {r['seconds']} s | "
            + " | ".join(f"{part:.0f} s" for part in parts)
            + f" | {r['audit_seconds']} s | {r['shuffle_mb']:.0f} MB | {r['executor_mb']} MB "
            f"| {r['workers_mb']} MB | {r['driver_mb']} MB |"
        )
    (HERE / "spark.md").write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
