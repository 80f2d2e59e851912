"""(tau,l)-diversity and um of a release, from its bytes, by code that shares nothing with the product."""

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

Lines = Sequence[Sequence[str]]  # of a hierarchy: value, node, ..., *


def utility(folder: Path, trees: Mapping[str, Lines]) -> Fraction:
    """um: the mean of 1 / (values that a cell may stand for), over all cells
    (Tian and Zhang 2009, Definition 5)."""
    frame, total = pl.read_csv(folder / "data.csv", infer_schema=False), Fraction(0)
    for name, lines in trees.items():
        values = Counter(label for line in lines for label in set(line))
        total += sum(Fraction(count, values[label]) for label, count in frame[name].value_counts().iter_rows())
    return total / (frame.height * len(trees))


def violations(folder: Path, trees: Mapping[str, Lines], tau: Fraction, ell: int) -> int:
    """How many classes of equal published cells let their k most frequent values cross the line, for some k.

    The last of the columns is sensitive. A node of it counts for its values by the weights that are stated.
    """
    frame = pl.read_csv(folder / "data.csv", infer_schema=False)
    (*quasi, sensitive), lines = trees, list(trees.values())[-1]
    weights = _weights(folder, sensitive, frame)
    under = {label: _leaves(label, lines, weights) for label in frame[sensitive].unique()}
    unit = math.lcm(*(sum(found.values()) for found in under.values()))
    classes = frame.select(pl.struct("group", *quasi).rank("dense")).to_series().to_numpy().astype(np.int64) - 1
    share = np.zeros((len(under), len(weights)), np.int64)  # of each published label, for each value
    for row, found in zip(share, under.values(), strict=True):
        for place, leaf in enumerate(weights):
            row[place] = unit * found.get(leaf, 0) // sum(found.values())
    place = {label: i for i, label in enumerate(under)}
    published = frame[sensitive].replace_strict(place).to_numpy()
    counts = np.zeros((classes.max() + 1, len(weights)), np.int64)
    np.add.at(counts, classes, share[published])
    return _crossing(counts, np.bincount(classes) * unit, tau, ell)


def _crossing(counts: np.ndarray, sizes: np.ndarray, tau: Fraction, ell: int) -> int:
    """Rows of counts with F(k) > tau + (1 - tau)(k - 1)/(l - 1) for a k below l."""
    upto = np.cumsum(-np.sort(-counts, axis=1), axis=1)
    broken = np.zeros(sizes.size, bool)
    for k in range(1, min(ell, counts.shape[1] + 1)):
        line = tau + (1 - tau) * Fraction(k - 1, ell - 1)
        broken |= upto[:, k - 1] * line.denominator > sizes * line.numerator
    return int(broken.sum())


def _weights(folder: Path, sensitive: str, frame: pl.DataFrame) -> dict[str, int]:
    """As the certificate states them; of a column that is published as it is, 1 for each value."""
    document: dict[str, Any] = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    (entry,) = (column for column in document["table"]["columns"] if column["name"] == sensitive)
    if "base_values" in entry:
        return dict(zip(entry["base_values"], entry["weights"], strict=True))
    return dict.fromkeys(frame[sensitive].unique().to_list(), 1)


def _leaves(label: str, lines: Lines, weights: dict[str, int]) -> dict[str, int]:
    """The values that a label stands for, with their weights."""
    return {line[0]: weights[line[0]] for line in lines if label in line and line[0] in weights}
