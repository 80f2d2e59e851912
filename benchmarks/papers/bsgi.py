"""`python -m benchmarks.papers.bsgi [small|full]`: Figures 4 to 6 and Table 5 of Ye et al. 2008."""

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import Any

import numpy as np

import voile
from benchmarks import adult
from benchmarks.papers.bsgi_claims import exhibits
from benchmarks.papers.page import Paper, Rows, Say, command
from voile import catalog
from voile.core.boxes import Boxes
from voile.core.partition import Partition
from voile.core.table import Table
from voile.measuring import parse_measures

__all__ = ["PAPER", "SIZES", "exhibits", "measured"]
PAPER = Paper(
    key="bsgi",
    cited="Ye et al. 2008",
    title="BSGI, unique distinct l-diversity",
    setting="""Adult, 30,162 complete rows, the paper's seven quasi-identifiers. The paper names WorkClass as
sensitive; its own bound of l = 7 and its most frequent value fit Occupation alone ([facts](../facts/bsgi.md), A2),
which is used here. The information loss IL is our `gcp_leaves` with equal weights (the paper gives no weights).
Groups of every algorithm are measured alike, by the smallest boxes around them; the hierarchies that Incognito
climbs are ours (the paper does not give its own): intervals of doubling width, and the tree of marital status of
the facts.
Mondrian comes in four forms, with cuts in the middle as published and with free ones: the paper's keeps
distinct l only (Table 5 shows it), a far weaker promise than 1/l.""",
)
STEPS: dict[str, list[int]] = {
    "age": [5, 10, 20, 40],
    "fnlwgt": [50_000, 100_000, 200_000, 400_000],
    "education-num": [2, 4, 8],
    "hours-per-week": [5, 10, 20, 40],
}
RUNS: dict[str, tuple[str, dict[str, object]]] = {  # what each keeps stands in its name
    "bsgi, 1/l": ("bsgi", {}),
    "elig, 1/l": ("elig", {}),
    "hilbert, 1/l": ("hilbert", {}),
    "mondrian, 1/l": ("mondrian", {"property": "frequency", "cuts": "median"}),
    "mondrian, free cuts, 1/l": ("mondrian", {"property": "frequency", "cuts": "free"}),
    "mondrian, distinct": ("mondrian", {"property": "distinct", "cuts": "median"}),
    "mondrian relaxed, distinct": ("mondrian", {"property": "distinct", "cuts": "median", "mode": "relaxed"}),
    "incognito, distinct": ("incognito", {"property": "distinct"}),
    "incognito, 1/l": ("incognito", {"property": "frequency"}),
}


@dataclass(frozen=True)
class Sizes:
    """Rows (None: all), values of l, and turns of each run, of which the median time counts (the paper: three)."""

    rows: int | None
    ells: tuple[int, ...]
    turns: int


SIZES = {
    "tiny": Sizes(600, (2, 3), 1),
    "small": Sizes(None, (2, 3, 4, 5, 6, 7), 3),
    "full": Sizes(None, (2, 3, 4, 5, 6, 7), 9),
}


def measured(sizes: Sizes, say: Say) -> dict[str, Any]:
    """An entry per run and l."""
    if not adult.available():
        sys.exit("no data: `make data` gets it")
    frame = adult.complete_rows()
    frame = frame if sizes.rows is None else frame.sample(sizes.rows, seed=1)
    table, levels = voile.read(frame, adult.columns()), voile.read(frame, level_columns())
    found: Rows = []
    for name, (key, more) in RUNS.items():
        own = levels if key == "incognito" else table
        found += [
            {"run": name, "l": ell, **measures(table, own, key, {"l": ell, **more}, sizes.turns)}
            for ell in sizes.ells
        ]
        say(name)
    return {"entries": found, "ells": sizes.ells}


def level_columns() -> dict[str, dict[str, object]]:
    """The same columns with hierarchies for the numbers, as full-domain generalization needs them."""
    spec: dict[str, dict[str, object]] = {name: dict(options) for name, options in adult.columns().items()}
    for name, widths in STEPS.items():
        spec[name]["hierarchy"] = {"intervals": widths}
    return spec


def measures(table: Table, own: Table, key: str, given: Mapping[str, object], turns: int) -> dict[str, Any]:
    """CPU seconds of grouping (compiled before), loss, sizes, and what a group tells at worst.

    `own` is the table as the algorithm gets it; loss is that of `table`, the same rows, for all alike.
    """
    algorithm = catalog.algorithm(key).configure(dict(given)).resolve(own)
    partition, times = algorithm.partition(own), []
    for _ in range(turns):
        began = time.process_time()
        partition = algorithm.partition(own)
        times.append(time.process_time() - began)
    boxes = Boxes.around(table, Partition(partition.group))
    metrics = parse_measures("gcp_leaves, dm, aecs")
    tops, sizes = _tops(table, partition.group), np.bincount(partition.group)
    above = sizes[tops * int(given["l"]) > sizes].sum()  # type: ignore[call-overload]
    return {
        "seconds": median(times),
        **{name: float(metric.measure(boxes)) for name, metric in metrics.items()},
        "groups": int(sizes.size),
        "above": float(Fraction(int(above), table.n)),
        "top": max(Fraction(int(t), int(n)) for t, n in zip(tops, sizes, strict=True)).__float__(),
    }


def _tops(table: Table, group: np.ndarray) -> np.ndarray:
    """How often each group has its most frequent value."""
    values = table.sensitive[0].codes
    counts = np.zeros((int(group.max()) + 1, int(values.max()) + 1), np.int64)
    np.add.at(counts, (group, values), 1)
    return counts.max(axis=1)


if __name__ == "__main__":
    command(sys.modules[__name__])  # type: ignore[arg-type]
