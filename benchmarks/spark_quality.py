"""What cells cost: information loss of the Spark path beside the local algorithm, means of 20 runs of each.

`python -m benchmarks.spark_quality` writes spark_quality.md. Driver and executors run in one process here
(tests/spark/in_memory.py), rows in two parts: what is grouped is the same as on a cluster.
"""

import statistics
import sys
from pathlib import Path
from typing import Any

from benchmarks import acs, adult
from tests.spark.in_memory import InMemory
from voile import Schema, catalog
from voile.core.boxes import Boxes
from voile.core.partition import Partition
from voile.core.table import Table
from voile.intake.table_reader import table_of
from voile.metrics.gcp_leaves import GcpLeaves
from voile.spark import plans

HERE = Path(__file__).parent
RUNS = 20
CASES = (
    ("Adult", "blind_cut", (2, 4), 3, RUNS),
    ("Adult", "glass", (2, 4, 5), 3, RUNS),
    ("Adult", "elig", (3, 5), 3, 1),
    ("Adult", "hilbert", (3, 5), 3, 1),
    ("Adult", "mondrian", (3, 5), 3, 1),
    ("ACS", "blind_cut", (5,), 3, RUNS),
    ("ACS", "glass", (5,), 3, RUNS),
    ("ACS", "elig", (5,), 3, 1),
    ("ACS", "mondrian", (5,), 3, 1),
)


def main() -> None:
    tables = {
        "Adult": table_of(adult.complete_rows(), Schema.of(adult.columns())),
        "ACS": table_of(acs.recoded().select(*acs.QUASI, "occupation"), Schema.of(acs.columns())),
    }
    lines = [
        "# What cells cost",
        "",
        "By `python -m benchmarks.spark_quality`: loss (gcp_leaves) of releases in cells of at most a third of",
        "the rows, beside the local one's; means, and the standard error of the ratio where runs are several.",
        "",
        "| table | algorithm | l | runs | cells | on a cluster | local | ratio |",
        "|---|---|---|---|---|---|---|---|",
    ]
    wanted = sys.argv[1:]
    for name, key, ells, share, runs in CASES:
        if wanted and key not in wanted and name not in wanted:
            continue
        for ell in ells:
            lines.append(_line(name, tables[name], key, ell, share, runs))
            print(lines[-1], flush=True)
    (HERE / "spark_quality.md").write_text("\n".join([*lines, ""]), encoding="utf-8")


def _line(name: str, table: Table, key: str, ell: int, share: int, runs: int) -> str:
    chosen = catalog.algorithm(key).configure({"l": ell})
    there, here, cells = [], [], 0
    for _ in range(runs):
        spread = InMemory(table, 2)
        group, cell = spread.grouped(plans.plan_of(chosen).make(spread, chosen, table.n // share))
        cells = len(set(cell.tolist()))
        there.append(_loss(table, Partition(group)))
        here.append(_loss(table, chosen.partition(table)))
    mine, local = statistics.mean(there), statistics.mean(here)
    spread_of = ""
    if runs > 1:
        error = (statistics.variance(there) / runs + statistics.variance(here) / runs) ** 0.5 / local
        spread_of = f" ±{error:.3f}"
    what = f"| {name} | `{key}` | {ell} | {runs} | {cells} |"
    return f"{what} {mine:.4f} | {local:.4f} | {mine / local:.3f}{spread_of} |"


def _loss(table: Table, partition: Any) -> float:
    return float(GcpLeaves().measure(Boxes.around(table, partition)))


if __name__ == "__main__":
    main()
