"""What a peer's release achieves and loses, by Voile's audit and one formula for the loss."""

import re
from typing import Any

import polars as pl

import voile
from benchmarks import adult, adult_trees
from voile.auditing import audit_frame

SETS = ("anonypy", "anonypyx")  # who publish sets of values, and a count per combination
Losses = dict[str, dict[str, float]]


def trees() -> dict[str, adult_trees.Lines]:
    """ARX's hierarchies of the six QI."""
    return {name: adult_trees.lines(name) for name in adult.SIX}


def cell_losses() -> Losses:
    """gcp_minus1 of every label a peer may publish: a value, a node of the hierarchy, or `*`."""
    losses: Losses = {}
    for name, lines in trees().items():
        found = {"*": 1.0}
        for level in range(len(lines[0])):
            for label in {line[level] for line in lines}:
                leaves = [line[0] for line in lines if line[level] == label]
                if name == "age":  # only the ages there are: 17 to 90
                    ages = [min(max(int(leaf), 17), 90) for leaf in leaves]
                    found.setdefault(label, (max(ages) - min(ages)) / 73)
                else:
                    found.setdefault(label, (len(leaves) - 1) / (len(lines) - 1))
        losses[name] = found
    return losses


def node_of_sets() -> dict[str, list[dict[str, str]]]:
    """For each column but age, the label of each value on each level, finest first."""
    found = {}
    for name, lines in trees().items():
        if name != "age":
            found[name] = [{line[0]: line[level] for line in lines} for level in range(len(lines[0]))]
    return found


def around(cell: str, levels: list[dict[str, str]]) -> str:
    """The lowest node above all values of a set.

    >>> around("['a,b']", [{"a": "a", "b": "b", "c": "c"}, {"a": "x", "b": "x", "c": "y"}])
    'x'
    """
    values = bare(cell).split(",")
    return next(level[values[0]] for level in levels if len({level[value] for value in values}) == 1)


def bare(cell: str) -> str:
    """A cell without AnonyPy's brackets."""
    return cell.removeprefix("['").removesuffix("']").removeprefix("[").removesuffix("]")


def set_loss(name: str, cell: str, leaves: int) -> float:
    """Of 22-33 or a,b, as AnonyPyx writes them (AnonyPy: ['22-33'], ['a,b']): a set costs its values, not a node
    above them.

    >>> set_loss("age", "['22-33']", 74), set_loss("race", "White,Black", 5)
    (0.1506849315068493, 0.25)
    """
    text = bare(cell)
    if name == "age":
        ends = [int(end) for end in re.findall("[0-9]+", text)]
        return (ends[-1] - ends[0]) / 73
    return (len(set(text.split(","))) - 1) / (leaves - 1)


def judged(peer: str, frame: pl.DataFrame, rows: int, losses: Losses) -> dict[str, Any]:
    """A row that is not published counts 1 in every cell."""
    if peer in SETS and "count" in frame.columns:
        frame = frame.select(pl.all().repeat_by(pl.col("count").cast(pl.Int64)).explode())
    spec: dict[str, object] = {**dict.fromkeys(adult.SIX, "qi"), adult.SENSITIVE: "sensitive"}
    found = audit_frame(frame.select(*spec), voile.Schema.of(spec))
    total = as_nodes = float(len(adult.SIX) * (rows - frame.height))
    nodes = node_of_sets()
    for column in adult.SIX:
        known = losses[column]
        leaves = sum(loss == 0 for loss in known.values())
        for label, count in frame[column].value_counts().rows():
            loss = set_loss(column, label, leaves) if peer in SETS else known[label]
            total += count * loss
            wider = peer in SETS and column in nodes
            as_nodes += count * (known[around(label, nodes[column])] if wider else loss)
    return {
        "suppressed": 1 - frame.height / rows,
        "k": found.achieved["k_anonymity"].shown(),
        "distinct_l": found.achieved["distinct_l_diversity"].shown(),
        "frequency_l": found.achieved["frequency_l_diversity"].shown(),
        "gcp_minus1": total / rows / len(adult.SIX),
        "gcp_as_nodes": as_nodes / rows / len(adult.SIX),
    }
