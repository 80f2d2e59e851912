"""The sensitive values of a published table as codes: values, nodes of a hierarchy, or whatever is told apart."""

import contextlib
import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.bags import Domain
from voile.core.base_values import BaseValues
from voile.core.hierarchy import EVERYTHING, Hierarchy
from voile.core.hierarchy_recipe import Recipe
from voile.core.order import distinct_values
from voile.core.schema import ColumnSpec, Missing, Schema, Type
from voile.errors import HierarchyError, InputError
from voile.intake.columns import MISSING_LABEL, coded, factorised
from voile.intake.hierarchy_file import read_hierarchy

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)")


def base_values_in(certificate: Mapping[str, Any] | None) -> dict[str, dict[str, int]]:
    """The weight of each base value of the generalised sensitive columns, as a certificate states them."""
    found: dict[str, dict[str, int]] = {}
    with contextlib.suppress(KeyError, TypeError, AttributeError, ValueError):
        for entry in (certificate or {}).get("table", {}).get("columns", []):
            if "base_values" in entry:
                weights = [int(weight) for weight in entry["weights"]]
                found[str(entry["name"])] = dict(zip(map(str, entry["base_values"]), weights, strict=True))
    return found


def _nodes(
    series: pl.Series, spec: ColumnSpec, tree: Hierarchy | None, stated: Mapping[str, int] | None
) -> tuple[NDArray[np.int64], BaseValues] | None:
    """Published values as nodes of the column's tree, with the weights that are stated, or 1 for every leaf; None
    where some value is no node of it."""
    if stated and isinstance(spec.hierarchy, Recipe):
        plain = replace(spec, hierarchy=None, missing=Missing.CATEGORY, grid=None, min_width=None)
        grown = coded(plain, pl.Series(list(stated), dtype=pl.String), (), None).grown(spec)
        tree = grown.domain if isinstance(grown.domain, Hierarchy) else None
    elif stated and tree is None:
        tree = Hierarchy.flat(list(stated))
    if tree is None:
        return None
    place = {label: node for node, label in enumerate(tree.labels)} | {EVERYTHING: len(tree.labels) - 1}
    cells = factorised(replace(spec, type=Type.CATEGORY), series.cast(pl.String), ())
    nodes = np.array([place.get(cell, -1) for cell in cells.distinct.to_list()])[cells.index]
    weight = np.array([(stated or {}).get(leaf, 0 if stated else 1) for leaf in tree.labels[: tree.leaves]])
    values = BaseValues(tree, weight)
    if nodes.min(initial=0) < 0 or (values.total[nodes] == 0).any() or (weight < 0).any():
        return None
    return nodes, values


def sensitive_codes(
    series: pl.Series, spec: ColumnSpec, schema: Schema, stated: Mapping[str, int] | None = None
) -> tuple[NDArray[np.int64], Domain | BaseValues]:
    """Values as the spec means them: spellings merged, 1 and 1.0 one number, missing one value.

    Codes follow the order or the tree of the column where every published value has its place there; nodes of
    the tree count by the base values under them; else codes only tell values apart.
    """
    tree = read_hierarchy(spec)
    if tree is not None and spec.missing == Missing.CATEGORY and MISSING_LABEL not in tree.labels:
        tree = tree.with_leaf(MISSING_LABEL)
    recipe = isinstance(spec.hierarchy, Recipe)  # a tree that grows from the values
    plain = replace(spec, hierarchy=None, missing=Missing.DROP_ROW, grid=None, min_width=None)
    if recipe or tree is not None or spec.type != Type.CATEGORY:
        with contextlib.suppress(HierarchyError, InputError):  # a generalised value, or one not known there
            whole = spec.type == Type.INTEGER and not series.dtype.is_integer()  # 5.0 is a whole number
            typed = replace(plain, type=Type.DECIMAL) if whole else plain
            part = coded(typed, series, schema.file.missing, tree)
            part.refuse_uncovered(part.missing)
            part = part.grown(spec) if recipe and not part.missing.any() else part
            if not part.missing.any():
                return part.codes, part.domain
    if stated or tree is not None:
        generalised = _nodes(series, spec, tree, stated)
        if generalised is not None:
            return generalised
    text, markers = series.cast(pl.String), schema.file.missing
    if spec.type == Type.CATEGORY:
        part = coded(plain, text, markers, None)
        return distinct_values(np.where(part.missing, -1, part.codes))[1], None
    cells = factorised(plain, text, markers)
    number: dict[object, int] = {}
    codes = [number.setdefault(meant(cell), len(number)) for cell in cells.distinct.to_list()]
    return np.array(codes, np.int64)[cells.index], None


def meant(cell: str | None) -> object:
    """A number where the cell is one; other cells (generalised ones) as they are."""
    return Fraction(cell) if cell is not None and _NUMBER.fullmatch(cell) else cell
