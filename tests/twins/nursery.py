"""Nursery: every combination of its eight attributes once, and as many of each decision as in the real table.

Nobody whose health speaks against it is admitted, as there; the other decisions follow how much a case asks for.
"""

import itertools
from pathlib import Path

import numpy as np

from benchmarks.conversions import CLASSES, NURSERY

ROWS = {"recommend": 2, "very_recom": 328, "priority": 4266, "spec_prior": 4044, "not_recom": 4320}


def write(folder: Path) -> None:
    """nursery/nursery.data."""
    cases = list(itertools.product(*NURSERY.values()))
    ranks = np.array(list(itertools.product(*(range(len(values)) for values in NURSERY.values()))))
    weights = np.array([3, 2, 1, 1, 1, 1, 1, 8])  # parents, their work and health count most
    score = ranks @ weights + 1000 * (ranks[:, -1] == 2)
    decisions = np.empty(len(cases), object)
    decisions[np.argsort(score, kind="stable")] = np.repeat(CLASSES, [ROWS[name] for name in CLASSES])
    lines = (",".join((*case, decision)) for case, decision in zip(cases, decisions, strict=True))
    (folder / "nursery").mkdir(parents=True)
    (folder / "nursery" / "nursery.data").write_text("".join(f"{line}\r\n" for line in lines), newline="")
