"""What a release shows of its columns: how many rows carry each label, and numbers in bins.

Everything here is a function of the published cells.
"""

import itertools
import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.hierarchy import EVERYTHING
from voile.core.schema import COUNT, NUMERIC, ColumnSpec, Role, Schema, Type
from voile.intake.columns import MISSING_LABEL
from voile.intake.label_ends import day_ends, number_ends

BINS = 12  # about
FIRST_NAMES = 10  # in a chart
Counts = NDArray[np.float64]


@dataclass(frozen=True, repr=False, eq=False)
class Bins:
    """Equal bins of a number or day: edges[i] <= code < edges[i + 1], codes in steps of 10**-scale."""

    edges: NDArray[np.int64]
    scale: int
    days: bool

    def ends(self) -> list[tuple[float, float]]:
        """Both ends of each bin, as numbers to draw."""
        values = [edge / 10**self.scale for edge in self.edges.tolist()]
        return list(itertools.pairwise(values))


@dataclass(frozen=True, repr=False, eq=False)
class ColumnShown:
    """A published column: its distinct labels in text order, and the rows that carry each."""

    spec: ColumnSpec
    labels: pl.Series
    rows: NDArray[np.int64]

    @property
    def everything(self) -> int:
        """Rows that show nothing but *."""
        return int(self.rows[(self.labels == EVERYTHING).to_numpy()].sum())

    @cached_property
    def ends(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int] | None:
        """Of labels that are numbers or days, or ranges of them: low, high, rows, and their scale."""
        if self.spec.type not in NUMERIC or self.spec.hierarchy is not None:
            return None
        found = (*day_ends(self.labels), 0) if self.spec.type == Type.DATE else number_ends(self.labels)
        if found is None:
            return None
        low, high, scale = found
        read = (low.is_not_null() & high.is_not_null()).to_numpy()
        if not read.any() or self.rows[~read].sum() > self.rows[read].sum():
            return None
        return (
            low.to_numpy()[read].astype(np.int64),
            high.to_numpy()[read].astype(np.int64),
            self.rows[read],
            scale,
        )

    @cached_property
    def bins(self) -> Bins | None:
        """About a dozen bins of a round width from the lowest end to the highest; None of words."""
        if self.ends is None:
            return None
        low, high, _, scale = self.ends
        first, last = int(low.min()), int(high.max())
        width = round_width(last + 1 - first)
        edges = np.arange(first // width * width, last + width + 1, width, dtype=np.int64)
        edges = edges[: int(np.searchsorted(edges, last + 1)) + 1]
        return Bins(edges, scale, self.spec.type == Type.DATE)

    def spread(self, bins: Bins) -> Counts:
        """Rows in each bin, if those of a range are spread evenly in it.

        Exact values are in one bin as a whole.
        """
        assert self.ends is not None
        low, high, rows, _ = self.ends
        width = (high + 1 - low).astype(np.float64)
        upto = [float((rows * np.clip((edge - low) / width, 0, 1)).sum()) for edge in bins.edges.tolist()]
        return np.diff(upto)

    def first_names(self) -> list[tuple[str, int]]:
        """The most frequent labels with their rows."""
        return [(self.labels[i], int(self.rows[i])) for i in most_frequent(self.rows)]


def columns_shown(frame: pl.DataFrame, schema: Schema, sensitive: pl.DataFrame | None = None) -> list[ColumnShown]:
    """The columns of a release, quasi-identifying ones first. Never one that identifies, even if it is there. Of a
    release in two tables, `sensitive` is the second."""
    shown = []
    for role in (Role.QUASI_IDENTIFYING, Role.SENSITIVE, Role.INSENSITIVE):
        for spec in schema.with_role(role):
            runs = None
            if spec.name in frame.columns:
                runs = _text(frame[spec.name]).rle().struct.unnest()  # rows of a group stand together
            elif sensitive is not None and {spec.name, COUNT} <= set(sensitive.columns):
                lines = {
                    "value": _text(sensitive[spec.name]),
                    "len": sensitive[COUNT].cast(pl.Int64, strict=False),
                }
                runs = pl.DataFrame(lines)
            if runs is not None:
                counted = runs.group_by("value").agg(pl.col("len").sum()).sort("value")
                shown.append(ColumnShown(spec, counted["value"], counted["len"].to_numpy().astype(np.int64)))
    return shown


def _text(cells: pl.Series) -> pl.Series:
    return cells.cast(pl.String).fill_null(MISSING_LABEL)


def most_frequent(rows: NDArray[np.int64]) -> list[int]:
    """Where the most rows are, at most FIRST_NAMES places.

    >>> most_frequent(np.array([1, 5, 1]))
    [1, 0, 2]
    """
    found: list[int] = np.argsort(-rows, kind="stable")[:FIRST_NAMES].tolist()
    return found


def round_width(size: int) -> int:
    """1, 2 or 5 times a power of ten, so that about BINS of them cover a range.

    >>> [round_width(size) for size in (1, 12, 74, 1000)]
    [1, 1, 10, 100]
    """
    least = max(1, math.ceil(size / BINS))
    power = 10 ** (len(str(least)) - 1)
    return int(next(power * step for step in (1, 2, 5, 10) if power * step >= least))
