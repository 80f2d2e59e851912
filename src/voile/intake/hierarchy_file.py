"""ARX hierarchy CSV: no header, one line per leaf, coarser to the right, `;` or `,`."""

import csv
from pathlib import Path

import polars as pl

from voile.core.hierarchy import Hierarchy
from voile.core.schema import ColumnSpec
from voile.errors import HierarchyError
from voile.intake.normalise import normalised


def read_hierarchy(spec: ColumnSpec) -> Hierarchy | None:
    """The hierarchy a column declares, labels normalised like its cells; None if it has none."""
    if spec.hierarchy is None or isinstance(spec.hierarchy, Hierarchy):
        return spec.hierarchy
    path = Path(spec.hierarchy)
    where = f"column {spec.name}, hierarchy {path.name}"
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
    lines = [line for line in csv.reader(text.splitlines(), delimiter=delimiter) if line]
    return Hierarchy.from_lines(
        [_clean(line, number, where) for number, line in enumerate(lines, 1)],
        where=where,
        check_labels=spec.check_labels,
    )


def _clean(line: list[str], number: int, where: str) -> list[str]:
    labels = normalised(pl.Series(line, dtype=pl.String)).to_list()
    if None in labels:
        raise HierarchyError(
            "an empty label", where=f"{where}, line {number}", remedy="repeat the label of the level below"
        )
    return labels
