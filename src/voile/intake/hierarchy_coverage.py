"""How a hierarchy fits a column: what it lacks, and what of it never occurs. For the steward's eyes alone."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.hierarchy import EVERYTHING, Hierarchy
from voile.core.schema import ColumnSpec, Missing
from voile.errors import HierarchyError
from voile.intake.columns import UNCOVERED, Coded, coded, days, factorised
from voile.intake.hierarchy_file import read_hierarchy
from voile.intake.normalise import one_spelling, written_once


@dataclass(frozen=True, repr=False, eq=False)
class Coverage:
    """A column's tree, the rows of each of its leaves, and the values that have none."""

    tree: Hierarchy
    counts: NDArray[np.int64]  # rows of each leaf
    missing: int  # rows without a value, where these are no value of their own
    lacking: tuple[str, ...]  # values of the table that are no leaf
    lacking_rows: int

    @property
    def values(self) -> int:
        """Distinct values of the table."""
        return int((self.counts > 0).sum()) + len(self.lacking)

    @property
    def unused(self) -> int:
        """Leaves that do not occur in the table."""
        return int((self.counts == 0).sum())


def coverage(spec: ColumnSpec, series: pl.Series, markers: Sequence[str]) -> Coverage:
    """Read a column with its hierarchy; one without has the flat tree over its values."""
    written = read_hierarchy(spec)
    part = coded(spec, series, markers, written)
    missing = np.zeros_like(part.missing) if spec.missing == Missing.CATEGORY else part.missing
    unknown = (part.codes == UNCOVERED) & ~missing
    lacking = _labels(spec, series, markers, unknown)
    known = part.without(missing | unknown).grown(spec)
    tree, codes = _tree_of(known)
    if written is not None and unknown.any() and not codes.size:
        raise HierarchyError(
            "none of the table's values is in it",
            where=f"column {spec.name}, hierarchy",
            rule="every value has a line",
            remedy="is it the hierarchy of another column, or did codes lose their leading zeros?",
        )
    counts = np.bincount(codes, minlength=tree.leaves).astype(np.int64)
    return Coverage(tree, counts, int(missing.sum()), lacking, int(unknown.sum()))


def completed(lines: Sequence[Sequence[str]], lacking: Sequence[str]) -> list[list[str]]:
    """The lines of a hierarchy, and one for each further value, directly under `*`.

    >>> completed([["flu", "lung", "*"]], ["gout"])
    [['flu', 'lung', '*'], ['gout', 'gout', '*']]
    >>> completed([["flu", "any illness"]], ["gout"])
    [['flu', 'any illness', '*'], ['gout', 'gout', '*']]
    """
    closed = all(line[-1] == EVERYTHING for line in lines)
    whole = [[*line] if closed else [*line, EVERYTHING] for line in lines]
    width = len(whole[0])
    return whole + [[value] * (width - 1) + [EVERYTHING] for value in lacking]


def _tree_of(part: Coded) -> tuple[Hierarchy, NDArray[np.int64]]:
    domain = part.domain
    if isinstance(domain, Hierarchy):
        return domain, part.codes
    assert isinstance(domain, Axis)
    values, leaf = np.unique(part.codes[~part.missing], return_inverse=True)
    return Hierarchy.flat([domain.label(code) for code in values.tolist()]), leaf


def _labels(
    spec: ColumnSpec, series: pl.Series, markers: Sequence[str], unknown: NDArray[np.bool_]
) -> tuple[str, ...]:
    """The distinct values of some rows, as a hierarchy would have to spell them."""
    if not unknown.any():
        return ()
    cells = factorised(spec, days(series, f"column {spec.name}"), markers)
    found = cells.distinct.gather(np.unique(cells.index[unknown])).drop_nulls().unique()
    spelled = one_spelling(found) if spec.casefold else written_once(spec, found)
    return tuple(spelled.unique().sort().to_list())
