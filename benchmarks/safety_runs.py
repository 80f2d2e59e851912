"""Many runs of algorithms on tables, in as many processes as there are cores; each run draws anew, in secret."""

import os
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np

from benchmarks.safety_facts import GCP
from benchmarks.safety_tables import TABLES, TUNED, table_of
from voile import catalog
from voile.core.boxes import Boxes
from voile.measuring import measured, parse_measures
from voile.requirements import promise_of


class Rival(NamedTuple):
    """An algorithm with parameters; `safe` is the tier that holds against who knows it."""

    key: str
    more: dict[str, object]
    safe: str = "no"


RIVALS = {
    "glass": Rival("glass", {}, "marginal"),
    "glass, fast": Rival("glass", {"match": "fast"}, "marginal"),
    "symb": Rival("symb", {}, "marginal"),
    "blind_cut": Rival("blind_cut", {}, "strong"),
    "rda": Rival("rda", {}, "strong"),
    "elig": Rival("elig", {}),
    "bsgi": Rival("bsgi", {}),
    "mondrian": Rival("mondrian", {}),
    "mondrian, medians": Rival("mondrian", {"cuts": "median"}),
}
ELSEWHERE = ("glass", "symb", "blind_cut", "rda", "elig")  # on tables of which the facts have nothing
MOST, LEAST = 20, 5  # runs of what draws
LARGE = 100_000  # rows from which on a steady mean of LEAST runs suffices
STEADY = 1 / 400  # a mean is steady when its standard error is no larger a part of it
GCPS = ("gcp_leaves", "gcp_minus1")


def queries(condition: str) -> str:
    """The measure of docs/facts/safety.md 4.2: 400 counts of one sensitive value, against .5 % of all rows at
    least."""
    return f"qwe_mean[queries=400, on={condition}]"


def plan(names: list[str]) -> list[tuple[str, str, int]]:
    """Table, run and l of everything that is measured; what takes longest comes first."""
    jobs = [
        (name, label, ell)
        for name in names
        for label in (RIVALS if name in TUNED else ELSEWHERE)
        for ell in TABLES[name].ells
    ]
    return sorted(jobs, key=lambda job: (job[0] != "acs", RIVALS[job[1]].key not in ("glass", "symb"), job[0]))


def all_runs(names: list[str], most: int = MOST, processes: int | None = None) -> list[dict[str, Any]]:
    """One entry per table, run and l, in the order of tables and runs."""
    jobs, workers = plan(names), processes or os.cpu_count()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        found = list(pool.map(_job, [(*job, most) for job in jobs]))
    order = list(RIVALS)
    return sorted(found, key=lambda entry: (names.index(entry["table"]), order.index(entry["run"]), entry["l"]))


def _job(job: tuple[str, str, int, int]) -> dict[str, Any]:
    name, label, ell, most = job
    entry = repeated(name, label, ell, most)
    print(f"{name}, {label}, l = {ell}: {entry['gcp_leaves']:.4f} in {entry['runs']} runs", flush=True)
    return entry


def repeated(name: str, label: str, ell: int, most: int = MOST) -> dict[str, Any]:
    """Means of all that is measured over several runs of one algorithm, and the standard error of each."""
    rival, table = RIVALS[label], table_of(name)
    algorithm = catalog.algorithm(rival.key).configure({"l": ell, **rival.more}).resolve(table)
    measures = parse_measures(", ".join([*GCPS, *map(queries, TABLES[name].queried)]), table)
    runs: list[dict[str, float]] = []
    began = time.process_time()
    while not runs or not (algorithm.deterministic or len(runs) >= most or (table.n > LARGE and _steady(runs))):
        partition = algorithm.partition(table)
        if not promise_of(algorithm).check(table.bags(partition.everyone, partition)).ok:
            raise AssertionError(f"{name}, {label}, l = {ell}: the promise is broken")
        runs.append(measured(measures, Boxes.around(table, partition)) | {"suppressed": partition.suppressed})
    seconds = (time.process_time() - began) / len(runs)
    columns = {measure: np.array([run[measure] for run in runs]) for measure in runs[0]}
    return {
        "table": name,
        "run": label,
        "safe": rival.safe,
        "l": ell,
        "runs": len(runs),
        **{measure: float(column.mean()) for measure, column in columns.items()},
        "standard_errors": {measure: standard_error(column) for measure, column in columns.items()},
        "facts": _facts(name, label, ell),
        "cpu_seconds": seconds,
    }


def standard_error(values: np.ndarray) -> float:
    """Of their mean; 0 of a single one.

    >>> standard_error(np.array([1.0, 3.0]))
    1.0
    """
    return float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else 0.0


def _steady(runs: list[dict[str, float]]) -> bool:
    values = np.array([run["gcp_leaves"] for run in runs])
    return values.size >= LEAST and standard_error(values) <= STEADY * values.mean()


def _facts(name: str, label: str, ell: int) -> float | None:
    row = GCP.get((name, label))
    return row[TABLES[name].ells.index(ell)] if row else None
