"""One run in a process of its own, so that its time and memory are its own.

Standard input is one line of JSON, the job; it stays open while the parent lives. Standard output is one line of
JSON, the outcome. Nothing else leaves: the release is dropped with the process. Where kernels had to be compiled,
the outcome is {"again": true}: what the compiler took would count as the run's memory, so it is for a new process.
"""

import contextlib
import json
import mmap
import os
import pickle
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voile import pipeline
from voile.core.attack import INCONCLUSIVE
from voile.core.release import Release
from voile.core.table import Table
from voile.errors import Infeasible, NothingDisclosed, PromiseBroken, VoileError, place_of
from voile.kernels.compiled import cache_folder
from voile.reporting.comparison_page import ATTACK, GENERALISED, SILENT, TWO_TABLES
from voile.unix import forbid_core_dumps, peak_memory

WARMING_ROWS = (400, 4000)  # more where fewer are refused
_MEASURING = "measuring"


def outcome_of(table: Table, algorithm: str, parameters: Mapping[str, str], measure: str) -> dict[str, Any]:
    """What a run achieves, keeps and costs; or why it was refused."""
    _forget_peak()
    clock = _Clock()
    try:
        release = pipeline.anonymize(table, algorithm, measure=measure, report=clock, **dict[str, Any](parameters))
    except VoileError as error:
        return {"refusal": str(error), "why": _why(error)}
    return figures_of(release) | clock.costs()


def figures_of(release: Release) -> dict[str, Any]:
    """The figures of a release. `anonymize` has checked the promise exactly, or there would be no release."""
    document = release.certificate
    table, checks = document["table"], document["checks"]
    return {
        "kept": True,
        "promise": document["promise"]["model"],
        "rung": document["adversary"]["rung"],
        "notation": _notation(table),
        "settings": document["algorithm"]["parameters"],
        "achieved": checks[document["promise"]["model"]],
        "achieved_k": checks["k_anonymity"],
        "achieved_l": checks["frequency_l_diversity"],
        "achieved_tau": checks["tau_l_diversity"],
        **document["utility"],
        **release.private_record.get("measured", {}),
        **_guessed(release.private_record.get("attacks", ())),
        "rows": table["rows"],
        "groups": table["groups"],
        "suppressed_rows": table["suppressed"],
        "counterfeits": table.get("counterfeits", 0),
    }


def _guessed(attacks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Of each attack that is graded by the truth, the share of persons it guessed right, of the worst column; and
    which of them say nothing by it."""
    worst: dict[str, Mapping[str, Any]] = {}
    for finding in sorted(attacks, key=lambda each: float(each["rate"])):
        if finding["trials"]:  # nobody is attacked where groups are too large
            worst[finding["attack"]] = finding
    silent = [key for key, finding in worst.items() if finding["state"] == INCONCLUSIVE]
    return {f"{ATTACK}{key}": finding["rate"] for key, finding in worst.items()} | {SILENT: silent}


def _notation(table: Mapping[str, Any]) -> str:
    """How this release came out: an algorithm that may generalise values need not."""
    if "published" in table:
        return TWO_TABLES
    raised = any(column.get("generalised_rows") for column in table["columns"])
    return GENERALISED if raised else "one table"


class _Clock:
    """Stops when the release is made: measuring it is not part of its cost."""

    def __init__(self) -> None:
        self._began = time.perf_counter(), time.process_time()
        self._cost: dict[str, float] = {}

    def __call__(self, stage: str, share: float) -> None:
        if stage == _MEASURING and not self._cost:
            self._stop()

    def _stop(self) -> None:
        wall, cpu = time.perf_counter() - self._began[0], time.process_time() - self._began[1]
        self._cost = {"seconds": round(wall, 4), "cpu_seconds": round(cpu, 4), "peak_mb": _peak_mb()}

    def costs(self) -> dict[str, float]:
        """Seconds, CPU seconds of all threads, and the most memory of the whole process."""
        if not self._cost:
            self._stop()
        return self._cost


def _why(error: VoileError) -> str:
    """In one word: the data, the promise, or the request."""
    if isinstance(error, PromiseBroken):
        return "broken"
    return "infeasible" if isinstance(error, Infeasible | NothingDisclosed) else "refused"


def warmed(table: Table, algorithm: str, parameters: Mapping[str, str]) -> bool:
    """Run on a few rows, so that every kernel is loaded before the clock starts; whether some had to be compiled.

    The rows are every so many of those in the order of their sensitive values: their frequencies, and so what can
    be promised, are those of the table. What such a run says is of no interest.
    """
    before, order = _kernels(), np.argsort(table.sensitive[0].codes, kind="stable")
    for rows in WARMING_ROWS:
        some = np.zeros(table.n, bool)
        some[order[np.linspace(0, table.n - 1, min(table.n, rows)).astype(np.int64)]] = True
        with contextlib.suppress(VoileError):
            pipeline.anonymize(table.of_rows(some), algorithm, **dict[str, Any](parameters))
            break
    return _kernels() > before


def _kernels() -> int:
    """How many are compiled and stored; none where nothing can be."""
    folder = cache_folder()
    return 0 if folder is None else sum(1 for _ in folder.rglob("*.nbc"))


def _forget_peak() -> None:
    """Count the most memory from here on, where the system can: compiling is not part of a run."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak_mb() -> float:
    """Of this process alone: what getrusage says may be the parent's, from before this program was loaded."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return round(int(line.split()[1]) * 1024 / 1e6, 1)
    return round(peak_memory() / 1e6, 1)


def _inherited(file: int) -> Table:
    """The table that the parent wrote into an open file. Other children have it open, too, and share its position:
    so it is mapped, not read."""
    with mmap.mmap(file, 0, access=mmap.ACCESS_READ) as content:
        table: Table = pickle.loads(content)  # our own
    return table


def _end_with_parent() -> None:
    sys.stdin.read()  # returns when the parent is gone
    os._exit(1)


def main(show: Callable[[str], object] = sys.stdout.write) -> None:
    """Read the job, run it, and tell the outcome."""
    forbid_core_dumps()
    job = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        table = _inherited(job["table"])
        given = job["algorithm"], job["parameters"]
        if warmed(table, *given) and not job["last"]:
            found: dict[str, Any] = {"again": True}
        else:
            found = outcome_of(table, *given, job["measure"])
    except MemoryError:
        found = {"refusal": "not enough memory", "why": "failed"}
    except Exception as error:  # its message may hold a cell
        found = {"refusal": f"a defect of Voile ({place_of(error)}), please report it", "why": "failed"}
    show(json.dumps(found) + "\n")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
