"""Before and after: what the source holds in its columns, and what a reader of the release expects there.

For the steward alone: the source's side is the truth.
"""

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.hierarchy import EVERYTHING, Hierarchy
from voile.core.schema import Role
from voile.core.table import Column, Table
from voile.intake.label_ends import rank_ends, set_members
from voile.reporting.columns_shown import Bins, ColumnShown, most_frequent

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
        elif not isinstance(column.domain, Axis) or column.domain.names:
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
    first = most_frequent(before)
    return {
        "names": [names[i] for i in first],
        "values": len(names),
        "before": before[first].tolist(),
        "after": [round(float(after[i]), 2) for i in first],
    }


def _of_ranks(axis: Axis, shown: ColumnShown) -> Counts:
    low, high = rank_ends(shown.labels, {name: rank for rank, name in enumerate(axis.names)})
    read = low.is_not_null().to_numpy()
    return _spread(low.to_numpy()[read], high.to_numpy()[read], shown.rows[read], len(axis.names))


def _of_leaves(tree: Hierarchy, shown: ColumnShown) -> Counts:
    """A node counts for all leaves under it, a set for its members, * for all there are."""
    number = {label: node for node, label in enumerate(tree.labels)} | {EVERYTHING: len(tree.labels) - 1}
    several = (shown.labels.str.starts_with("{") | shown.labels.str.starts_with('"')).to_numpy()
    nodes = np.array([number.get(label, -1) for label in shown.labels.filter(pl.Series(~several))], np.int64)
    known, rows = nodes >= 0, shown.rows[~several]
    after = _spread(tree.low[nodes[known]], tree.high[nodes[known]], rows[known], tree.leaves)
    sets = pl.DataFrame({"label": shown.labels, "rows": shown.rows}).filter(pl.Series(several))
    for name, share in _members(sets).iter_rows():
        if name in number:
            after[number[name]] += share
    return after


def _members(sets: pl.DataFrame) -> pl.DataFrame:
    """The members of sets with their shares of the rows; there may be many, so plain ones are split at once."""
    plain = ~pl.col("label").str.contains('"', literal=True)
    simple = sets.filter(plain).select(
        pl.col("label").str.strip_prefix("{").str.strip_suffix("}").str.split(", ").alias("member"), "rows"
    )
    quoted = sets.filter(~plain)
    words = [set_members(label) or [] for label in quoted["label"].to_list()]
    others = pl.DataFrame({"member": pl.Series(words, dtype=pl.List(pl.String)), "rows": quoted["rows"]})
    every = pl.concat([simple, others]).with_columns(share=pl.col("rows") / pl.col("member").list.len())
    return every.explode("member").group_by("member").agg(pl.col("share").sum()).sort("member")


def _spread(low: NDArray[Any], high: NDArray[Any], rows: NDArray[np.int64], size: int) -> Counts:
    """Rows at each place, those of a range spread evenly from low to high."""
    share, change = rows / (high - low + 1), np.zeros(size + 1)
    np.add.at(change, low, share)
    np.add.at(change, high + 1, -share)
    return np.asarray(np.cumsum(change)[:-1])
