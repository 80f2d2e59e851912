"""The sensitive values of a published table as codes: values, nodes of a hierarchy, or whatever is told apart."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.bags import Domain
from voile.core.base_values import MOST_WEIGHT, NODES, BaseValues
from voile.core.hierarchy import EVERYTHING, Hierarchy
from voile.core.hierarchy_recipe import Recipe
from voile.core.schema import ColumnSpec, Missing, Role, Schema, Type
from voile.errors import HierarchyError, InputError, SpecError
from voile.intake.columns import MISSING_LABEL, coded, factorised
from voile.intake.hidden import hidden
from voile.intake.hierarchy_file import read_hierarchy
from voile.intake.normalise import one_spelling

_RUN_BY_SPREADSHEETS = r"^'*[=+\-@\t\r]"  # what output/writers.py puts a quote in front of


def unquoted(cells: pl.Series) -> pl.Series:
    """Cells of our CSV without the quote that keeps a spreadsheet from running them.

    >>> unquoted(pl.Series(["'=1+1", "-5", "''@a", "'tis", None])).to_list()
    ['=1+1', '-5', "'@a", "'tis", None]
    """
    if cells.dtype != pl.String or not cells.str.starts_with("'").any():
        return cells
    rest = cells.str.slice(1)
    guarded = cells.str.starts_with("'") & rest.str.normalize("NFKC").str.contains(_RUN_BY_SPREADSHEETS)
    return rest.zip_with(guarded.fill_null(False), cells)


def base_values_in(certificate: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """The weight of each base value of the generalised sensitive column, as a certificate states them; raises
    KeyError, TypeError, AttributeError or ValueError if that is not sound."""
    found: dict[str, dict[str, int]] = {}
    columns = certificate["table"]["columns"]
    told = [(entry["name"], entry["role"], entry["published"]) for entry in columns]
    if not all(isinstance(word, str) for words in told for word in words) or not any(
        role == Role.SENSITIVE for _, role, _ in told
    ):
        raise ValueError
    for entry in columns:
        if not {"base_values", "weights"} & set(entry) and entry["published"] != NODES:
            continue
        labels, weights = entry["base_values"], entry["weights"]
        sound = (
            (entry["role"], entry["published"]) == (Role.SENSITIVE, NODES)
            and isinstance(labels, list)
            and isinstance(weights, list)
            and all(isinstance(label, str) for label in labels)
            and len(labels) == len(weights) == len(set(labels)) > 0
            and all(type(weight) is int and weight > 0 for weight in weights)
            and sum(weights) <= MOST_WEIGHT
        )
        if not sound or found:  # one sensitive column is generalised, not two
            raise ValueError
        found[entry["name"]] = dict(zip(labels, weights, strict=True))
    return found


def weights_as_said(certificate: Mapping[str, Any], stated: Mapping[str, Mapping[str, int]]) -> bool:
    """Whether stated base values have the weights that the certificate's algorithm is said to use: its own only if
    the spec's prior was asked for, else all 1.

    >>> weights_as_said({"algorithm": {"parameters": {"weights": "present"}}}, {"disease": {"flu": 1, "gout": 5}})
    False
    """
    algorithm = certificate.get("algorithm")
    parameters = algorithm.get("parameters") if isinstance(algorithm, dict) else None
    prior = isinstance(parameters, dict) and parameters.get("weights") == "prior"
    return prior or all(weight == 1 for weights in stated.values() for weight in weights.values())


def tree_of(
    spec: ColumnSpec, stated: Mapping[str, int] | None = None, *, missing: bool = False
) -> Hierarchy | None:
    """The tree that a sensitive column's published values are nodes of: that of the spec's file, one grown from
    the stated base values as the spec says, or a flat one over them; None where it cannot be known. It has a leaf
    for missing values only if one is stated or, as `missing` tells, published: so does that of the intake.

    >>> tree_of(ColumnSpec("disease", Role.SENSITIVE), {"flu": 1, "gout": 1}).labels
    ('flu', 'gout', '*')
    """
    tree = read_hierarchy(spec)
    if tree is not None:
        own = spec.missing == Missing.CATEGORY and (missing or MISSING_LABEL in (stated or ()))
        return tree.with_leaf(MISSING_LABEL) if own and MISSING_LABEL not in tree.labels else tree
    if not stated or EVERYTHING in stated:
        return None
    if not isinstance(spec.hierarchy, Recipe):
        return Hierarchy.flat(list(stated)) if spec.type == Type.CATEGORY else None
    markers = (MISSING_LABEL,) if spec.missing == Missing.CATEGORY else ()
    with contextlib.suppress(HierarchyError, InputError, SpecError):  # base values of some other column
        domain = coded(spec, pl.Series(list(stated), dtype=pl.String), markers, None).grown(spec).domain
        return domain if isinstance(domain, Hierarchy) else None
    return None


def base_values_of(tree: Hierarchy, stated: Mapping[str, int] | None) -> BaseValues | None:
    """The leaves of a tree with their weights: 1, or as stated; None where what is stated is no leaf.

    >>> base_values_of(Hierarchy.flat(["flu", "gout"]), {"gout": 3}).weight.tolist()
    [0, 3]
    """
    leaves = tree.labels[: tree.leaves]
    if stated is not None and not set(stated) <= set(leaves):
        return None
    return BaseValues(tree, np.array([1 if stated is None else stated.get(leaf, 0) for leaf in leaves], np.int64))


def _nodes(series: pl.Series, spec: ColumnSpec, values: BaseValues) -> NDArray[np.int64] | None:
    """Published values as nodes; None where one is no node of the tree, or nothing possible is under it."""
    labels = values.tree.labels
    place: dict[str | None, int] = {label: node for node, label in enumerate(labels)}
    place[EVERYTHING] = len(labels) - 1
    place[None] = place.get(MISSING_LABEL, -1)
    cells = factorised(replace(spec, type=Type.CATEGORY), series.cast(pl.String), ())
    other = cells.distinct.drop_nulls().unique()
    other = other.filter(~other.is_in(list(labels)))
    merged = cells.distinct.replace(other, one_spelling(other, labels)) if spec.casefold else cells.distinct
    nodes = np.array([place.get(cell, -1) for cell in merged.to_list()])[cells.index]
    return nodes if (nodes >= 0).all() and (values.total[nodes] > 0).all() else None


def stated_nodes(
    series: pl.Series, spec: ColumnSpec, stated: Mapping[str, int]
) -> tuple[NDArray[np.int64], BaseValues]:
    """The values of our own release as nodes, counted by the base values that its certificate states.

    Refuses what does not fit together: figures counted in another way would not be those promised.
    """
    tree = tree_of(spec, stated)
    values = None if tree is None else base_values_of(tree, stated)
    nodes = None if values is None else _nodes(series, spec, values)
    if values is None or nodes is None:
        raise InputError(
            "the base values of the certificate, the hierarchy of the spec and the published values do not fit",
            where=f"column {spec.name}",
            rule="base values are leaves of the hierarchy, and every published value is one, or a node above one",
            remedy="use the spec the release was made with, and its folder as it was published",
        )
    return nodes, values


def sensitive_codes(
    series: pl.Series, spec: ColumnSpec, schema: Schema
) -> tuple[NDArray[np.int64], Domain | BaseValues]:
    """Values as the spec means them: spellings merged, 1 and 1.0 one number.

    Codes follow the order or the tree of the column where every published cell has its place there. Else cells are
    told apart, and each counts for every value that it may be: a node, a set, a missing value (intake/hidden.py).
    """
    tree = tree_of(spec, missing=_some_missing(series, spec, schema.file.missing))
    recipe = isinstance(spec.hierarchy, Recipe)  # a tree that grows from the values
    plain = replace(spec, hierarchy=None, grid=None, min_width=None)
    if recipe or tree is not None or spec.type != Type.CATEGORY:
        with contextlib.suppress(HierarchyError, InputError):  # a generalised value, or one not known there
            whole = spec.type == Type.INTEGER and not series.dtype.is_integer()  # 5.0 is a whole number
            typed = replace(plain, type=Type.DECIMAL) if whole else plain
            part = coded(typed, series, schema.file.missing, tree)
            part.refuse_uncovered(part.missing)
            part = part.grown(spec) if recipe and not part.missing.any() else part
            if not part.missing.any():
                return part.codes, part.domain
    return hidden(_as_text(series, spec), plain, schema.file.missing, tree)


def _as_text(series: pl.Series, spec: ColumnSpec) -> pl.Series:
    if series.dtype.is_nested() or series.dtype in (pl.Binary, pl.Object):
        raise InputError(
            "cells of an unsupported type",
            where=f"column {spec.name}",
            rule="text, number, date or true/false",
            remedy="convert the column first",
        )
    return series.cast(pl.String)


def _some_missing(series: pl.Series, spec: ColumnSpec, markers: Sequence[str]) -> bool:
    if spec.missing != Missing.CATEGORY:
        return False
    cells = factorised(replace(spec, type=Type.CATEGORY), _as_text(series, spec), markers)
    absent = cells.distinct.is_null() | (cells.distinct == MISSING_LABEL).fill_null(True)
    return cells.rows_with(absent) > 0
