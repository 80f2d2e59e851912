"""A column's hierarchy: check it, draw its tree, say how it fits the table, and complete it if asked to."""

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from voile.core.hierarchy import Hierarchy
from voile.core.hierarchy_recipe import Recipe
from voile.core.schema import ColumnSpec, Schema, Type
from voile.errors import VoileError
from voile.intake.hierarchy_coverage import Coverage, completed, coverage
from voile.intake.hierarchy_file import read_lines
from voile.intake.table_reader import read_frame
from voile.output.writers import write_hierarchy_file
from voile.web.child import Report

MOST_NODES = 400  # of a preview
MOST_CHILDREN = 25  # of one node in it
LONGEST_TEXT = 2**20  # that is edited in a page; longer files are edited elsewhere
_LINE = re.compile(r"line (\d+)")


def run(arguments: dict[str, Any], report: Report) -> dict[str, Any]:
    """`column` with its `options`; `hierarchy` among them is a recipe or an absolute path. `out`: where to write
    the hierarchy with the values that it lacks. A refusal comes with the text that was refused, to correct it."""
    report("reading", 0)
    try:
        return _looked(arguments, report)
    except VoileError as error:
        return {"refused": error.document(), **_refused_text(arguments["options"].get("hierarchy"), error)}


def _looked(arguments: dict[str, Any], report: Report) -> dict[str, Any]:
    name = str(arguments["column"])
    schema = Schema.of({name: arguments["options"]}, arguments["file"])
    (spec,) = schema.columns
    frame = read_frame(arguments["path"], schema)
    report("checking", 0.5)
    found = coverage(spec, frame[name], schema.file.missing)
    lines = _lines(spec, found.tree)
    out = arguments.get("out")
    if out and found.lacking:
        write_hierarchy_file(completed(lines, found.lacking), Path(out))
        return _looked({**arguments, "options": {**arguments["options"], "hierarchy": out}, "out": ""}, report)
    text = _text(lines)
    return {
        "values": found.values,
        "rows": int(found.counts.sum()) + found.lacking_rows,
        "missing": found.missing,
        "leaves": found.tree.leaves,
        "levels": len(found.tree.levels()),
        "nodes": len(found.tree.labels),
        "lacking": len(found.lacking),
        "lacking_rows": found.lacking_rows,
        "unused": found.unused,
        "tree": preview(found.tree, found.counts),
        "lines": len(lines),
        "text": text if len(text) <= LONGEST_TEXT else None,
        "about": _about(spec, found),
    }


def _lines(spec: ColumnSpec, tree: Hierarchy) -> list[list[str]]:
    """What an editor begins with: a file as it is written, a built tree as it was built, else the values alone."""
    if spec.hierarchy is None or isinstance(spec.hierarchy, Recipe):
        return tree.lines()
    return read_lines(Path(spec.hierarchy), f"column {spec.name}, hierarchy")


def _text(lines: Sequence[Sequence[str]]) -> str:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=";", lineterminator="\n").writerows(lines)
    return text.getvalue()


def preview(tree: Hierarchy, counts: Any) -> dict[str, Any]:
    """The tree from its root, cut where it is large: upper levels first, and of each cut what is not shown.

    >>> tree = Hierarchy.from_lines([["flu", "lung", "*"], ["asthma", "lung", "*"], ["gout", "gout", "*"]])
    >>> root = preview(tree, np.array([5, 0, 2]))
    >>> root["label"], root["rows"], [child["label"] for child in root["children"]]
    ('*', 7, ['lung', 'gout'])
    """
    if not tree.labels:
        return {}
    before = np.concatenate(([0], np.cumsum(counts)))
    order = np.argsort(tree.parent, kind="stable")
    parents = tree.parent[order]

    def drawn(node: int) -> dict[str, Any]:
        rows = int(before[tree.high[node] + 1] - before[tree.low[node]])
        return {"label": tree.labels[node], "rows": rows, "leaves": tree.size(node), "children": [], "more": 0}

    root = len(tree.labels) - 1
    whole = drawn(root)
    waiting, left = [(root, whole)], MOST_NODES
    for node, shown in waiting:  # grows while it is walked: level by level
        begin, end = np.searchsorted(parents, [node, node + 1])
        children = order[begin:end]
        children = children[np.argsort(tree.low[children], kind="stable")]
        taken = children[: min(MOST_CHILDREN, left)].tolist()
        left -= len(taken)
        shown["more"] = int(children.size) - len(taken)
        shown["children"] = [drawn(child) for child in taken]
        waiting += [(c, d) for c, d in zip(taken, shown["children"], strict=True) if c >= tree.leaves]
    return whole


def _about(spec: ColumnSpec, found: Coverage) -> dict[str, Any]:
    """What helps to propose a recipe: the span of numbers, the length of codes."""
    leaves = [label for label, rows in zip(found.tree.labels, found.counts.tolist(), strict=False) if rows]
    if spec.type in (Type.INTEGER, Type.DECIMAL):
        numbers = [float(label) for label in leaves if re.fullmatch(r"-?[0-9.]+", label)]
        return {"low": min(numbers), "high": max(numbers)} if numbers else {}
    return {"longest": max(map(len, leaves), default=0), "shortest": min(map(len, leaves), default=0)}


def _refused_text(hierarchy: object, error: VoileError) -> dict[str, Any]:
    """The text that was refused, and of it the lines that the refusal is about."""
    if not isinstance(hierarchy, str):
        return {}
    try:
        text = Path(hierarchy).read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return {}
    if len(text) > LONGEST_TEXT or "\0" in text:
        return {}
    numbers = sorted({int(number) for number in _LINE.findall(f"{error.where} {error.what}")})
    lines = text.splitlines()
    return {"text": text, "at": [[n, lines[n - 1]] for n in numbers if 0 < n <= len(lines)]}
