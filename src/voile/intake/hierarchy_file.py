"""ARX hierarchy CSV: no header, one line per leaf, coarser to the right, `;` or `,`."""

import csv
import io
from pathlib import Path

import polars as pl

from voile.core.hierarchy import Hierarchy
from voile.core.hierarchy_recipe import Recipe
from voile.core.schema import ColumnSpec
from voile.errors import HierarchyError
from voile.intake.normalise import normalised


def read_hierarchy(spec: ColumnSpec) -> Hierarchy | None:
    """The hierarchy a column names, labels normalised like its cells; None if it has none, or one
    that is made from its values."""
    if isinstance(spec.hierarchy, Hierarchy):
        return spec.hierarchy
    if spec.hierarchy is None or isinstance(spec.hierarchy, Recipe):
        return None
    where = f"column {spec.name}, hierarchy {Path(spec.hierarchy).name}"
    return Hierarchy.from_lines(
        read_lines(Path(spec.hierarchy), where), where=where, check_labels=spec.check_labels
    )


def read_lines(path: Path, where: str) -> list[list[str]]:
    """The lines of a hierarchy file as they stand there, labels normalised; they need not be a tree."""
    text, problem = "", ""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError:
        problem = "cannot be read"
    except UnicodeDecodeError:
        problem = "is not UTF-8"
    if problem:
        raise HierarchyError(problem, where=where, remedy="the path is relative to the spec")
    if "\0" in text:
        raise HierarchyError("a NUL byte", where=where, remedy="save it as UTF-8")
    delimiter = ";" if ";" in text.partition("\n")[0] else ","
    lines = _lines(text, delimiter)
    if lines is None:
        raise HierarchyError("cannot be read", where=where, rule="CSV", remedy="check its quotes")
    return _normal(lines, where)


def _lines(text: str, delimiter: str) -> list[list[str]] | None:
    """The lines of the file, without blank ones at its end."""
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error:  # its message may quote a label
        return None
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _normal(lines: list[list[str]], where: str) -> list[list[str]]:
    """All labels normalised at once."""
    flat = [label for line in lines for label in line]
    clean = iter(normalised(pl.Series(flat, dtype=pl.String)).to_list())
    result = [[next(clean) for _ in line] for line in lines]
    for number, line in enumerate(result, 1):
        if not line or None in line:
            raise HierarchyError(
                "an empty line or label",
                where=f"{where}, line {number}",
                remedy="delete the line, or repeat the label of the level below",
            )
    return result
