"""Releases and audits of Voile and its peers: Adult, six QI with ARX's hierarchies, sensitive occupation."""

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

import voile
from benchmarks import adult
from benchmarks.child import measured
from benchmarks.peers.environment import CPU_SECONDS, peer_run
from benchmarks.peers.judging import cell_losses, judged, trees
from voile import catalog
from voile.core.bags import Bags
from voile.core.order import dense_rank

ELLS = (3, 5)
SUPPRESS = 5  # per cent of rows that anjana may suppress, as in docs/facts/peers.md; the others suppress nothing
SOME = "incognito, up to 5 %"  # may suppress as much as anjana may
OURS = {  # by promise
    "frequency": ("elig", "hilbert", "mondrian", "bsgi", "rda", "incognito", SOME),
    "distinct": ("mondrian", "incognito", SOME),
    "k_anonymity": ("mondrian", "incognito", SOME),
}
THEIRS = {
    "frequency": ("anjana",),
    "distinct": ("anjana", "anonypy", "anonypyx"),
    "k_anonymity": ("anjana", "anonypy", "anonypyx", "crowds"),
}
NUMBERS = {"frequency": ELLS, "distinct": ELLS, "k_anonymity": (5,)}
Row = dict[str, Any]

# from frame to frame, like the peers; the first turn compiles
_OURS = """
import time
import voile
from benchmarks import adult
frame, spec = adult.complete_rows(*adult.SIX, adult.SENSITIVE), adult.six_columns()
for turn in range(2):
    used, began = time.process_time(), time.perf_counter()
    release = voile.anonymize(voile.read(frame, spec), {key!r}, **{more!r})
    took = {{"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - used}}
checks, utility = release.certificate["checks"], release.certificate["utility"]
result = {{
    **took,
    "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9,
    "suppressed": utility["suppressed"],
    "k": checks["k_anonymity"],
    "distinct_l": checks["distinct_l_diversity"],
    "frequency_l": checks["frequency_l_diversity"],
    "gcp_minus1": utility["gcp_minus1"],
    "gcp_as_nodes": utility["gcp_minus1"],
}}
"""


def compared(folder: Path) -> tuple[list[Row], list[Row]]:
    """Releases of everybody, promise by promise; and audits. What the folder has from an interrupted run is taken
    from there."""
    frame = adult.complete_rows(*adult.SIX, adult.SENSITIVE)
    write_task(folder, frame)
    losses, rows = cell_losses(), []
    for promise, numbers in NUMBERS.items():
        for number in numbers:
            rows += [ours(folder, promise, name, number) for name in OURS[promise]]
            rows += [theirs(folder, promise, peer, number, frame.height, losses) for peer in THEIRS[promise]]
    release = voile.anonymize(voile.read(frame, adult.six_columns()), "elig", l=ELLS[0]).frame
    release.write_csv(folder / "release.csv")
    return rows, audits(release, peer_run(folder, "pycanon", "audit"))


def write_task(folder: Path, frame: pl.DataFrame) -> None:
    """What every peer gets."""
    frame.write_csv(folder / "rows.csv")
    task = {
        "quasi": adult.SIX,
        "sensitive": adult.SENSITIVE,
        "numbers": ["age"],
        "words": [name for name in frame.columns if name != "age"],
        "suppress": SUPPRESS,
        "cpu_seconds": CPU_SECONDS,
        "hierarchies": {name: str(_written(folder / f"{name}.csv", lines)) for name, lines in trees().items()},
    }
    (folder / "task.json").write_text(json.dumps(task))


def _written(path: Path, lines: Iterable[Iterable[str]]) -> Path:
    """A hierarchy in a file."""
    path.write_text("\n".join(map(";".join, lines)) + "\n", encoding="utf-8")
    return path


def ours(folder: Path, promise: str, name: str, number: int) -> Row:
    """A run of Voile in a process of its own, kernels warm; at once, if the folder has it."""
    more: dict[str, object] = {"k" if promise == "k_anonymity" else "l": number}
    if promise != "frequency":
        more["property"] = promise
    if name == SOME:
        more["suppress"] = f"{SUPPRESS}/100"
    kept = folder / f"voile-{name}-{promise}-{number}.json"
    if kept.is_file():
        found = {**json.loads(kept.read_text(encoding="utf-8")), "apart": True}
    else:
        found = measured(_OURS.format(key=name.split(",")[0], more=more))
        kept.write_text(json.dumps(found), encoding="utf-8")
    return {"promise": promise, "l": number, "tool": f"voile {name}", "version": voile.__version__, **found}


def theirs(
    folder: Path, promise: str, peer: str, number: int, rows: int, losses: dict[str, dict[str, float]]
) -> Row:
    """A run of a peer, judged by what it published."""
    found = {"promise": promise, "l": number, "tool": peer, **peer_run(folder, peer, promise, number)}
    if "error" in found:
        return found
    published = pl.read_csv(folder / f"{peer}-{promise}-{number}.csv", infer_schema=False)
    return found | judged(peer, published, rows, losses)


def audits(release: pl.DataFrame, theirs: Row) -> list[Row]:
    """Each model on one release, ours with grouping and counting included, beside pyCANON's; CPU seconds. Both
    group by the six columns and the number of the group."""
    rows = []
    for key, model in catalog.models().items():
        for _ in range(2):  # the first compiles
            used = time.process_time()
            codes = [release[name].cast(pl.Categorical).to_physical().to_numpy() for name in adult.SIX]
            group = dense_rank([release["group"].to_numpy(), *codes])
            values = release[adult.SENSITIVE].cast(pl.Categorical).to_physical().to_numpy()
            model.achieved(Bags.of(group, [values]))
            seconds = time.process_time() - used
        peer = theirs.get("audits", {}).get(key, {}).get("cpu_seconds")
        rows.append({"model": key, "seconds": seconds, "pycanon": peer, "times": peer / seconds if peer else None})
    return rows
