"""`python -m benchmarks.tau_l_speed`: `sweep` and `sweep_e` as a multiple of the floor, up to a million rows of
Adult with six and seven quasi-identifiers. Writes tau_l_speed.md and tau_l_speed.json."""

import json
import math
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks import adult
from benchmarks.child import measured
from benchmarks.run import markdown

HERE = Path(__file__).parent
SIZES = [  # rows, the share of cells that are drawn anew, and turns (the median counts)
    (100_000, adult.REDRAWN, 5),
    (300_000, adult.REDRAWN, 3),
    (1_000_000, adult.REDRAWN, 3),
    (1_000_000, 1.0, 1),  # columns independent of one another: the most different rows
]
QUASI = {6: adult.SIX, 7: adult.SEVEN}
TARGETS = {6: 4, 7: 12}  # times the floor, a million rows, (.3,6)
REQUIREMENTS = [("0.3", 6), ("0.5", 3)]
ALGORITHMS = ("sweep", "sweep_e")

_RUN = """
import time
from pathlib import Path
import numpy as np
import voile
from benchmarks import adult, tau_l_speed
from benchmarks.floor import floor
from benchmarks.series_speed import peak_memory
from voile import catalog
quasi, folder = tau_l_speed.QUASI[{q}], Path({folder!r})
schema, given = voile.Schema.of(adult.tree_columns(quasi=quasi)), dict(tau={tau!r}, l={ell})
source, target = folder / "{q}-{n}-{share}.parquet", "{key}-{q}-{n}-{tau}-{ell}-{share}"
ours, least, grouping = [], [], []  # wall and CPU seconds

def timed(work, into):
    began = time.perf_counter(), time.process_time()
    done = work()
    into.append((time.perf_counter() - began[0], time.process_time() - began[1]))
    return done

def publish(table, turn):
    return voile.publish(table, schema, {key!r}, folder / f"{{target}}-{{turn}}", format="parquet", **given)

publish(folder / "{q}-warm.parquet", "warm")
for turn in range({turns}):
    release, _ = timed(lambda: publish(source, turn), ours)
    peak = peak if turn else peak_memory()
    timed(lambda: floor(source, folder / "floor.parquet", quasi, adult.SENSITIVE), least)
table = voile.read(source, schema)
chosen = catalog.algorithm({key!r}).configure(given).resolve(table)
timed(lambda: chosen.partition(table), grouping)
(wall, cpu), (low, low_cpu) = np.median(ours, axis=0), np.median(least, axis=0) / 5  # a floor is five runs
result = {{
    "rows": {n}, "floor_seconds": low, "seconds": wall, "times_floor": wall / low, "cpu_seconds": cpu,
    "cpu_times_floor": cpu / low_cpu, "grouping_seconds": grouping[0][0], "peak_gb": peak / 1e9,
    "groups": release.certificate["table"]["groups"], "um": release.certificate["utility"]["um"],
}}
"""


def write_tables(folder: Path) -> list[dict[str, Any]]:
    """The tables; and how many different rows of quasi-identifiers each has."""
    found = []
    for q, quasi in QUASI.items():
        adult.redrawn(20_000, quasi, seed=2).write_parquet(folder / f"{q}-warm.parquet")
        for n, share, _ in SIZES:
            frame = adult.redrawn(n, quasi, share)
            frame.write_parquet(folder / f"{q}-{n}-{share}.parquet")
            different = frame.select(quasi).n_unique()
            found.append({"quasi-identifiers": q, "rows": n, "drawn anew": share, "different": different})
    return found


def speed(folder: Path) -> list[dict[str, Any]]:
    """Parquet to Parquet with audit, as a multiple of the floor in the same process."""
    rows = []
    for key in ALGORITHMS:
        for q in QUASI:
            for tau, ell in REQUIREMENTS:
                for n, share, turns in SIZES:
                    run = {"algorithm": key, "quasi-identifiers": q, "tau, l": f"{tau}, {ell}"}
                    run["drawn anew"] = f"{share:.0%}"
                    asked = {"folder": str(folder), "key": key, "q": q, "tau": tau, "ell": ell}
                    code = _RUN.format(**asked, n=n, share=share, turns=turns)
                    rows.append({**run, **measured(code)})
                    print(rows[-1], flush=True)
    return rows


def growth(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Exponents of n between neighbouring sizes: of the whole, and of the grouping alone."""
    found = []
    for small, large in pairwise(rows):
        if small["rows"] < large["rows"]:
            run = {name: large[name] for name in ("algorithm", "quasi-identifiers", "tau, l")}
            exponents = {
                name: math.log(large[name] / small[name]) / math.log(large["rows"] / small["rows"])
                for name in ("seconds", "grouping_seconds")
            }
            found.append({**run, "from": small["rows"], "to": large["rows"], **exponents})
    return found


def main() -> None:
    """Measure, and write it down."""
    if not adult.available():
        sys.exit("no data: `make data` gets it")
    with tempfile.TemporaryDirectory() as name:
        different = write_tables(Path(name))
        times = speed(Path(name))
    found = {"tables": different, "speed": times, "growth": growth(times)}
    (HERE / "tau_l_speed.json").write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    targets = ", ".join(f"{q} quasi-identifiers: at most {most} x floor" for q, most in TARGETS.items())
    parts = [
        "# The speed of (tau,l)-diversity\n\nMade by `python -m benchmarks.tau_l_speed`; one run, to be read as "
        "ratios. The floor is measured after every\nturn; medians. CPU seconds are of all threads: where other "
        f"programs run, they are the steadier figure.\nTo be reached with a million rows at (.3, 6): {targets}.\n",
        markdown("Parquet to Parquet with audit", times),
        markdown("Exponent of n at a fixed number of level vectors (1 is linear)", found["growth"]),
        markdown("The tables", different),
        "A bootstrap of the 45,222 complete rows of Adult with ARX's hierarchies: six quasi-identifiers have 720\n"
        "vectors of levels, seven, with workclass, 2,160. Of each column a share of the cells is drawn anew from\n"
        f"the column. With {adult.REDRAWN:.0%} rare rows appear, and many rows are alike, as in a large table of\n"
        "people; with 100% the columns are independent of one another: rows as different as they can be.\n",
    ]
    text = "\n".join(parts)
    (HERE / "tau_l_speed.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
