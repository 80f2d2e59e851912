"""Codes as labels: `[20, 29]`, a hierarchy node, `{a, b}`, `*`, or the value itself."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.boxes import Side
from voile.core.hierarchy import Hierarchy
from voile.core.order import dense_rank
from voile.core.schema import Type
from voile.core.table import Column
from voile.rendering.value_sets import ValueSets


def axis_labels(axis: Axis, codes: NDArray[np.int64]) -> pl.Series:
    """Published text of codes on an axis."""
    if axis.type == Type.ORDINAL:
        return pl.Series(axis.names, dtype=pl.String).gather(codes)
    if axis.type == Type.DATE:
        return pl.Series(codes).cast(pl.Int32).cast(pl.Date).cast(pl.String)
    if axis.scale == 0:
        return pl.Series(codes).cast(pl.String)
    distinct, index = np.unique(codes, return_inverse=True)
    return pl.Series([axis.label(code) for code in distinct.tolist()], dtype=pl.String).gather(index)


def value_labels(column: Column, codes: NDArray[np.int64]) -> pl.Series:
    """A column that is not generalised: text, or numbers and dates as such."""
    domain = column.domain
    if isinstance(domain, Hierarchy):
        return pl.Series(domain.labels, dtype=pl.String).gather(codes).alias(column.name)
    if domain.type == Type.INTEGER:  # a code is the number itself
        return pl.Series(column.name, codes, dtype=pl.Int64)
    if domain.type == Type.DATE:
        return pl.Series(column.name, codes).cast(pl.Int32).cast(pl.Date)
    text = axis_labels(domain, codes).alias(column.name)
    return text.cast(pl.Decimal(38, domain.scale)) if domain.type == Type.DECIMAL else text


def box_labels(side: Side) -> tuple[pl.Series, ValueSets | None]:
    """The label of each group in one quasi-identifying column, and the sets among them."""
    domain = side.column.domain
    if isinstance(domain, Axis):
        return _interval_labels(domain, side.low, side.high), None
    names = pl.Series(domain.labels, dtype=pl.String)
    labels = (_unlike_sets(names) if domain.is_flat else names).gather(np.asarray(side.node))
    sets = ValueSets.of(domain, side.held, side.listed) if domain.is_flat else None
    return (labels, None) if sets is None else (sets.labels(labels), sets)


def _unlike_sets(names: pl.Series) -> pl.Series:
    """A value that begins like a set, or like one of these in quotes, is quoted as it would be inside a set."""
    quoted = '"' + names.str.replace_all('"', '""', literal=True) + '"'
    return quoted.zip_with(names.str.contains(r'^"*\{'), names)


def _interval_labels(axis: Axis, low: NDArray[np.int64], high: NDArray[np.int64]) -> pl.Series:
    """Each different interval is written once."""
    which = dense_rank([low, high])
    some = np.empty(int(which.max(initial=-1)) + 1, np.int64)
    some[which] = np.arange(which.size)
    ends = pl.DataFrame({"low": axis_labels(axis, low[some]), "high": axis_labels(axis, high[some])})
    interval = pl.format("[{}, {}]", "low", "high")
    label = pl.when(pl.col("low") == pl.col("high")).then("low").otherwise(interval)
    return ends.select(label.alias("label"))["label"].gather(which)
