"""Before and after: what the source holds in its columns, and what a reader of the release expects there.

For the steward alone: the source's side is the truth.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.hierarchy import EVERYTHING, Hierarchy
from voile.core.schema import Role
from voile.core.table import Column, Table
from voile.querying.label_ends import rank_ends, set_members
from voile.reporting.columns_shown import FIRST_NAMES, Bins, ColumnShown

Counts = NDArray[np.float64]


def before_and_after(table: Table, shown: list[ColumnShown]) -> list[dict[str, Any]]:
    """Of each quasi-identifying column, bins or names with the rows before and after; numbers to keep and draw."""
    columns = {column.name: column for column in table.columns if column.role == Role.QUASI_IDENTIFYING}
    found = []
    for own in shown:
        column = columns.get(own.spec.name)
        if column is None:
            continue
        bins = own.bins
        if isinstance(column.domain, Axis) and bins is not None:
            found.append({"column": column.name} | _in_bins(column, column.domain, own, bins))
        else:
            found.append({"column": column.name} | _by_name(column, own))
    return found


def _in_bins(column: Column, axis: Axis, shown: ColumnShown, bins: Bins) -> dict[str, Any]:
    """Codes are in steps of the axis, which may be finer than those of the labels, or coarser."""
    edges = [-(-edge * 10**axis.scale // 10**bins.scale) for edge in bins.edges.tolist()]
    codes = np.clip(column.codes, edges[0], edges[-1] - 1)
    before = np.bincount(np.searchsorted(np.array(edges), codes, "right") - 1, minlength=len(edges) - 1)
    return {
        "bins": bins.ends(),
        "days": bins.days,
        "before": before.tolist(),
        "after": [round(float(x), 2) for x in shown.spread(bins)],
    }


def _by_name(column: Column, shown: ColumnShown) -> dict[str, Any]:
    if isinstance(column.domain, Axis):
        names = column.domain.names
        before, after = np.bincount(column.codes, minlength=len(names)), _of_ranks(column.domain, shown)
    else:
        names = column.domain.labels[: column.domain.leaves]
        before, after = np.bincount(column.codes, minlength=len(names)), _of_leaves(column.domain, shown)
    order = sorted(range(len(names)), key=lambda i: (-int(before[i]), names[i]))
    kept, rest = (order, []) if len(order) <= FIRST_NAMES + 1 else (order[:FIRST_NAMES], order[FIRST_NAMES:])
    lines = [(names[i], int(before[i]), float(after[i])) for i in kept]
    if rest:
        lines.append((f"{len(rest)} others", int(before[rest].sum()), float(after[rest].sum())))
    return {
        "names": [name for name, _, _ in lines],
        "before": [rows for _, rows, _ in lines],
        "after": [round(rows, 2) for _, _, rows in lines],
    }


def _of_ranks(axis: Axis, shown: ColumnShown) -> Counts:
    low, high = rank_ends(shown.labels, {name: rank for rank, name in enumerate(axis.names)})
    read = low.is_not_null().to_numpy()
    return _spread(low.to_numpy()[read], high.to_numpy()[read], shown.rows[read], len(axis.names))


def _of_leaves(tree: Hierarchy, shown: ColumnShown) -> Counts:
    """A node counts for all leaves under it, a set for its members, * for all there are."""
    number = {label: node for node, label in enumerate(tree.labels)} | {EVERYTHING: len(tree.labels) - 1}
    labels = shown.labels.to_list()
    nodes = np.array([number.get(label, -1) for label in labels], np.int64)
    known = nodes >= 0
    after = _spread(tree.low[nodes[known]], tree.high[nodes[known]], shown.rows[known], tree.leaves)
    for i in np.flatnonzero(~known).tolist():
        places = [number[name] for name in set_members(labels[i]) or () if name in number]
        if places:
            np.add.at(after, places, shown.rows[i] / len(places))
    return after


def _spread(low: NDArray[Any], high: NDArray[Any], rows: NDArray[np.int64], size: int) -> Counts:
    """Rows at each place, those of a range spread evenly from low to high."""
    share, change = rows / (high - low + 1), np.zeros(size + 1)
    np.add.at(change, low, share)
    np.add.at(change, high + 1, -share)
    return np.asarray(np.cumsum(change)[:-1])
