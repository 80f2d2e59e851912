"""The information loss (IL) of a table's columns, as exact integers for the kernels.

Per row, an interval column costs weight * range / domain range and a tree column
weight * leaves under the common ancestor / all leaves, 0 at a leaf (docs/facts/bsgi.md, A4.4).
One unit is 1/L for the least common denominator L, so costs compare exactly. Where L would
overflow, one unit is a fixed tiny share instead: then the weights, not the comparisons, are
rounded, by less than one in 10**5. A range of more than 2**30 steps is measured in coarser steps.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.hierarchy import Hierarchy
from voile.core.table import Column, Table
from voile.core.taxonomy import Taxonomy
from voile.kernels.loss import NO_TABLE, TABLE_LIMIT, Loss, tabulate_costs

_LIMIT = 2**50  # a group of thousands of rows, times its cost, still fits 63 bits
_WIDEST = 30  # bits of a code in the kernels


def _coarser(axis: Axis) -> int:
    """How many bits of an axis' steps are dropped."""
    return max(0, (axis.high - axis.low).bit_length() - _WIDEST)


def _charge(column: Column, weight: Fraction) -> dict[int, Fraction]:
    """Cost of one step of an axis (under key 1), or of a tree node by the leaves under it."""
    domain = column.domain
    if isinstance(domain, Axis):
        return {1: weight / max(1, (domain.high - domain.low) >> _coarser(domain))}
    sizes = np.unique(domain.high - domain.low + 1).tolist()
    return {size: weight * Fraction(size if size > 1 else 0, domain.leaves) for size in sizes}


def _unit(charges: list[dict[int, Fraction]], total: Fraction, limit: int = _LIMIT) -> int:
    """How many units make 1."""
    exact = math.lcm(*(charge.denominator for column in charges for charge in column.values()))
    return exact if exact * total < limit else int(limit / max(total, Fraction(1)))


def loss_of(table: Table, largest: int = 1) -> tuple[Loss, NDArray[np.int32], int]:
    """What kernels need to charge groups of a table: the Loss, the QI codes in its order (axes,
    then trees), and how many units make a loss of 1. The cost of a group of `largest` rows will fit."""
    axes = [column for column in table.quasi if isinstance(column.domain, Axis)]
    trees = [column for column in table.quasi if isinstance(column.domain, Hierarchy)]
    heaviest = max((column.weight for column in table.quasi), default=Fraction(0)) or Fraction(1)
    weights = [column.weight / heaviest for column in axes + trees]  # only their ratios matter
    charges = [_charge(column, weight) for column, weight in zip(axes + trees, weights, strict=True)]
    unit = _unit(charges, sum(weights, Fraction(0)), min(_LIMIT, 2**62 // max(1, largest)))
    step = np.array([int(charge[1] * unit) for charge in charges[: len(axes)]], np.int64)
    domains = [column.domain for column in trees if isinstance(column.domain, Hierarchy)]
    sizes = [domain.high - domain.low + 1 for domain in domains]
    loss = Loss(step, *_trees(domains, sizes, charges[len(axes) :], unit))
    tabulate_costs(loss)
    return loss, _matrix(axes + trees), unit


def utility_loss_of(taxonomies: Sequence[Taxonomy]) -> Loss:
    """What kernels need to charge groups by the information utility of Tian and Zhang 2009, Definition 5: a node
    with s base values under it loses 1 - 1/s of a cell. A group may be the whole table."""
    charges = [{s: 1 - Fraction(1, s) for s in np.unique(taxonomy.size).tolist()} for taxonomy in taxonomies]
    unit = _unit(charges, Fraction(len(taxonomies)), min(_LIMIT, 2**60 // max(1, taxonomies[0].leaf.size)))
    sizes = [taxonomy.size for taxonomy in taxonomies]
    loss = Loss(np.empty(0, np.int64), *_trees(taxonomies, sizes, charges, unit))
    tabulate_costs(loss)
    return loss


def perimeter_of(table: Table) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """What kernels need for the perimeter of Xiao and Tao 2007, section 4.3: the cost of one code step of each
    column, domains normalised to the same length, and the QI codes. Categories are taken in the order of their
    leaves."""
    heaviest = max((column.weight for column in table.quasi), default=Fraction(0)) or Fraction(1)
    shares = [{1: column.weight / heaviest / _steps_across(column)} for column in table.quasi]
    total = sum((column.weight / heaviest for column in table.quasi), Fraction(0))
    unit = _unit(shares, total, 2**62 // max(1, table.n))
    return np.array([int(share[1] * unit) for share in shares], np.int64), _matrix(list(table.quasi))


def _steps_across(column: Column) -> int:
    domain = column.domain
    steps = (domain.high - domain.low) >> _coarser(domain) if isinstance(domain, Axis) else domain.leaves - 1
    return max(1, steps)


def _trees(
    domains: Sequence[Hierarchy | Taxonomy],
    sizes: Sequence[NDArray[np.int64]],
    charges: Sequence[dict[int, Fraction]],
    unit: int,
) -> list[NDArray[np.int64]]:
    """The tree fields of a Loss: all trees' nodes in one list, each charged by its size."""
    nodes = np.array([domain.low.size for domain in domains], np.int64)
    leaf = np.cumsum(nodes) - nodes
    leaves = np.array([domain.leaves for domain in domains], np.int64)
    entries = np.where(nodes * leaves <= TABLE_LIMIT, nodes * leaves, 0)
    table = np.where(entries > 0, np.cumsum(entries) - entries, NO_TABLE)
    low = _joined([domain.low for domain in domains])
    high = _joined([domain.high for domain in domains])
    parent = _joined([domain.parent + first for domain, first in zip(domains, leaf, strict=True)])
    cost = []
    for size, charge in zip(sizes, charges, strict=True):
        distinct, which = np.unique(size, return_inverse=True)
        cost.append(np.array([int(charge[s] * unit) for s in distinct.tolist()], np.int64)[which])
    joint = np.empty(int(entries.sum()), np.int64)
    return [leaf, leaves, table, joint, low, high, parent, _joined(cost)]


def _joined(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([np.empty(0, np.int64), *parts])


def _matrix(quasi: list[Column]) -> NDArray[np.int32]:
    """QI codes as one row-major array, counted from the low end of each axis."""
    matrix = np.empty((quasi[0].codes.size, len(quasi)), np.int32)
    for j, column in enumerate(quasi):
        domain = column.domain
        if isinstance(domain, Axis):
            matrix[:, j] = (column.codes - domain.low) >> _coarser(domain)
        else:
            matrix[:, j] = column.codes
    return matrix
