"""The information loss (IL) of a table's columns, as exact integers for the kernels.

Per row, an interval column costs weight * range / domain range and a tree column
weight * leaves under the common ancestor / all leaves, 0 at a leaf (facts/bsgi.md, A4.4).
One unit is 1/L for the least common denominator L, so costs compare exactly. Where L would
overflow, one unit is a fixed tiny share instead: then the weights, not the comparisons, are
rounded (by less than one in 10**9).
"""

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.hierarchy import Hierarchy
from voile.core.table import Column, Table
from voile.kernels.loss import NO_TABLE, TABLE_LIMIT, Loss, tabulate_costs

_LIMIT = 2**61


def _charge(column: Column) -> dict[int, Fraction]:
    """Cost of one step of an axis (under key 1), or of a tree node by the leaves under it."""
    domain = column.domain
    if isinstance(domain, Axis):
        return {1: column.weight / max(1, domain.high - domain.low)}
    sizes = np.unique(domain.high - domain.low + 1).tolist()
    return {size: column.weight * Fraction(size if size > 1 else 0, domain.leaves) for size in sizes}


def _unit(charges: list[dict[int, Fraction]], total: Fraction) -> int:
    """How many units make 1."""
    exact = math.lcm(*(charge.denominator for column in charges for charge in column.values()))
    return exact if exact * total < _LIMIT else int(_LIMIT / max(total, Fraction(1)))


def loss_of(table: Table) -> tuple[Loss, NDArray[np.integer], int]:
    """What kernels need to charge groups of a table: the Loss, the QI codes in its order (axes,
    then trees), and how many units make a loss of 1."""
    axes = [column for column in table.quasi if isinstance(column.domain, Axis)]
    trees = [column for column in table.quasi if isinstance(column.domain, Hierarchy)]
    charges = [_charge(column) for column in axes + trees]
    unit = _unit(charges, sum((column.weight for column in table.quasi), Fraction(0)))
    step = np.array([int(charge[1] * unit) for charge in charges[: len(axes)]], np.int64)
    loss = Loss(step, *_trees(trees, charges[len(axes) :], unit))
    tabulate_costs(loss)
    return loss, _matrix(axes + trees), unit


def _trees(columns: list[Column], charges: list[dict[int, Fraction]], unit: int) -> list[NDArray[np.int64]]:
    """The tree fields of a Loss: all trees' nodes in one list."""
    domains = [column.domain for column in columns if isinstance(column.domain, Hierarchy)]
    nodes = np.array([domain.low.size for domain in domains], np.int64)
    leaf = np.cumsum(nodes) - nodes
    leaves = np.array([domain.leaves for domain in domains], np.int64)
    entries = np.where(nodes * leaves <= TABLE_LIMIT, nodes * leaves, 0)
    table = np.where(entries > 0, np.cumsum(entries) - entries, NO_TABLE)
    low = _joined([domain.low for domain in domains])
    high = _joined([domain.high for domain in domains])
    parent = _joined([domain.parent + first for domain, first in zip(domains, leaf, strict=True)])
    cost = []
    for domain, charge in zip(domains, charges, strict=True):
        sizes, which = np.unique(domain.high - domain.low + 1, return_inverse=True)
        cost.append(np.array([int(charge[size] * unit) for size in sizes.tolist()], np.int64)[which])
    joint = np.empty(int(entries.sum()), np.int64)
    return [leaf, leaves, table, joint, low, high, parent, _joined(cost)]


def _joined(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([np.empty(0, np.int64), *parts])


def _matrix(quasi: list[Column]) -> NDArray[np.integer]:
    """QI codes as one row-major array, counted from the low end of each axis; 4 bytes if they fit."""
    spans = [c.domain.high - c.domain.low if isinstance(c.domain, Axis) else c.domain.leaves for c in quasi]
    n = quasi[0].codes.size
    matrix = np.empty((n, len(quasi)), np.int32 if max(n, *spans) < 2**30 else np.int64)
    for j, column in enumerate(quasi):
        matrix[:, j] = column.codes - (column.domain.low if isinstance(column.domain, Axis) else 0)
    return matrix
