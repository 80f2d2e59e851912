"""Generalizations that a steward gives as a plan (JSON): a level per column, or groups by their published cells.

    {"functions": [{"age": 1, "zip": 2}, [{"age": "[20, 39]"}, {"age": "[40, 99]", "zip": ["8001", "8002"]}]]}

A function is a mapping from columns to levels (0 = as it is; a column that is not named is 0), or a list of
groups, each a mapping from columns to what is published of them: an interval, a node's label, a value, a list of
these, or *; a column that is not named is *. Errors name positions, never what stands there.
"""

import itertools
import json
import re
import unicodedata
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.full_domain import FullDomain
from voile.core.generalizations import Generalizations, not_a_partition
from voile.core.grouping_loss import Utility, grouping_loss
from voile.core.hierarchy import EVERYTHING
from voile.core.order import dense_rank
from voile.core.table import Column, Table
from voile.errors import ParameterError, counted

Groups = NDArray[np.int64]
SHAPE = '{"functions": [{"age": 1, "zip": 2}, [{"age": "[20, 39]"}, {"age": "[40, 99]"}]]}'
_INTERVAL = re.compile(r"\[\s*([^\[\],]+?)\s*,\s*([^\[\],]+?)\s*\]")


def given_functions(table: Table, plan: str, utility: Utility | None) -> Generalizations:
    """The functions of a plan; refused unless they lose more and more by the utility (None: as given).

    >>> from voile.core.schema import Role, Type
    >>> age = Column("age", Role.QUASI_IDENTIFYING, Axis(Type.INTEGER, 20, 29), np.array([20, 21, 27, 29]))
    >>> plan = '{"functions": [[{"age": "[20, 24]"}, {"age": "[25, 29]"}], {"age": 2}]}'
    >>> [groups.tolist() for groups in given_functions(Table([age]), plan, "dm").functions]
    [[0, 0, 1, 1], [0, 0, 0, 0]]
    """
    listed = _listed(plan)
    domain = FullDomain(table)
    functions, titles = [], []
    for i, function in enumerate(listed, 1):
        if isinstance(function, dict):
            levels = _levels(domain, function, i)
            functions.append(domain.groups(levels))
            titles.append(domain.title(levels))
        else:
            functions.append(_groups(table, function, i))
            titles.append(f"given, {counted(int(functions[-1].max(initial=-1)) + 1, 'group')}")
    if utility is not None:
        _refuse_unsorted([grouping_loss(table, groups, utility) for groups in functions], utility)
    return Generalizations(tuple(functions), tuple(titles))


def _refuse(what: str, where: str, rule: str, remedy: str) -> ParameterError:
    return ParameterError(what, where=where, rule=rule, remedy=remedy)


def _listed(plan: str) -> list[object]:
    """The functions as JSON says them."""
    where, rule = "parameter sequence", "levels, cuts, lattice, or a plan in JSON"
    try:
        document = json.loads(plan, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        document = None
    if document is None:
        remedy = f"put @ before the name of a file; a plan is written like {SHAPE}, no name twice"
        raise _refuse("neither a known word nor JSON", where, rule, remedy)
    functions = document.get("functions") if isinstance(document, dict) else document
    if not isinstance(functions, list) or not all(isinstance(one, dict | list) for one in functions):
        raise _refuse("not a list of functions", where, rule, f"write it like {SHAPE}")
    if isinstance(document, dict) and len(document) > 1:
        remedy = "give utility, k and the like as parameters of their own"
        raise _refuse("more than functions in the plan", where, "a plan has functions alone", remedy)
    if not functions:
        raise _refuse("an empty list of functions", where, rule, "list at least one function")
    return functions


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A mapping in which no name stands twice: of two, JSON would silently take the last."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


def _column(table: Table, named: object, where: str) -> int:
    names = [column.name for column in table.quasi]
    if named not in names:
        raise _refuse(
            "an unknown column",
            where,
            f"the quasi-identifying columns of the spec are {', '.join(names)}",
            "write its name as in the spec",
        )
    return names.index(str(named))


def _levels(domain: FullDomain, function: dict[str, object], i: int) -> list[int]:
    where = f"function {i} of the sequence"
    levels = [0] * len(domain.highest)
    for position, (named, level) in enumerate(function.items(), 1):
        j = _column(domain.table, named, f"{where}, entry {position}")
        if type(level) is not int or not 0 <= level <= domain.highest[j]:
            raise _refuse(
                "not a level of the column",
                f"{where}, column {domain.table.quasi[j].name}",
                f"its levels are whole numbers from 0 (as it is) to {domain.highest[j]} (*)",
                "use one of these; what an interval or a node's label covers is written as a list of groups",
            )
        levels[j] = level
    return levels


def _groups(table: Table, function: object, i: int) -> Groups:
    """The group of each row, by what the groups publish."""
    where = f"function {i} of the sequence"
    if not isinstance(function, list) or not all(isinstance(group, dict) for group in function):
        raise _refuse(
            "not a list of groups", where, "a group is a mapping from columns to cells", f"write it like {SHAPE}"
        )
    found = np.full(table.n, -1, np.int64)
    for number, group in enumerate(function):
        inside = np.ones(table.n, bool)
        for position, (named, cell) in enumerate(group.items(), 1):
            column = table.quasi[_column(table, named, f"{where}, group {number + 1}, entry {position}")]
            inside &= _covered(column, cell, f"{where}, group {number + 1}, column {column.name}")
        if (found[inside] >= 0).any():
            raise not_a_partition(i, f"group {number + 1} overlaps an earlier one")
        found[inside] = number
    if (found < 0).any():
        raise not_a_partition(i, f"{counted(int((found < 0).sum()), 'row')} in no group")
    return dense_rank([found])


def _covered(column: Column, cell: object, where: str) -> NDArray[np.bool_]:
    """Which rows a cell covers."""
    inside = np.zeros(column.codes.size, bool)
    for part in cell if isinstance(cell, list) else [cell]:
        if not isinstance(part, str | int | float) or isinstance(part, bool):
            raise _refuse(
                "not a cell", where, "an interval, a label, a value, or a list of these", "write texts or numbers"
            )
        text = unicodedata.normalize("NFC", str(part)).strip()
        ends = _on_axis(column.domain, text) if isinstance(column.domain, Axis) else _in_tree(column, text)
        if ends is None:
            raise _unknown(column, where)
        inside |= (column.codes >= ends[0]) & (column.codes <= ends[1])
    return inside


def _unknown(column: Column, where: str) -> ParameterError:
    if isinstance(column.domain, Axis):
        rule = f"a value of type {column.domain.type}, or [low, high] with low at most high, or *"
        return _refuse("neither a value nor an interval", where, rule, "correct the cell")
    return _refuse(
        "not in the hierarchy",
        where,
        "a value of the column, a label of its hierarchy, or *",
        "write it as in the hierarchy: voile hierarchy shows it",
    )


def _in_tree(column: Column, text: str) -> tuple[int, int] | None:
    """The leaves under a label."""
    tree = column.tree()
    if text == EVERYTHING:
        return 0, tree.leaves - 1
    node = next((node for node, label in enumerate(tree.labels) if label == text), None)
    return None if node is None else (int(tree.low[node]), int(tree.high[node]))


def _on_axis(axis: Axis, text: str) -> tuple[int, int] | None:
    """The codes from the low to the high end of an interval; an end between two codes does not reach the next."""
    if text == EVERYTHING:
        return axis.low, axis.high
    match = _INTERVAL.fullmatch(text)
    low, high = match.groups() if match else (text, text)
    try:
        ends = axis.place(low), axis.place(high)
        exact = axis.label(ends[1]) == high or _same_number(axis.label(ends[1]), high)
    except (ValueError, OverflowError, IndexError):
        return None
    reached = (ends[0], ends[1] if exact else ends[1] - 1)
    return reached if reached[0] <= reached[1] else None


def _same_number(one: str, other: str) -> bool:
    try:
        return Fraction(one) == Fraction(other)
    except (ValueError, ZeroDivisionError):
        return False


def _refuse_unsorted(losses: list[Fraction], utility: Utility) -> None:
    for i, (before, after) in enumerate(itertools.pairwise(losses), 2):
        if after < before:
            raise ParameterError(
                f"it loses less than function {i - 1}",
                where=f"function {i} of the sequence",
                rule=f"functions are sorted by what they lose ({utility}), the least first",
                remedy="sort them, choose the other utility, or keep this order with utility=as_given",
            )
