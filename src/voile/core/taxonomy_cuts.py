"""Taxonomy cuts: each quasi-identifying column is generalised to nodes of its taxonomy that need not be of one
level. A sequence of cuts is decided from the quasi-identifiers alone."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.core.generalizations import Generalizations, distinct_functions
from voile.core.grouping_loss import Utility, grouping_loss
from voile.core.order import dense_rank, distinct_values
from voile.core.table import Column, Table
from voile.core.taxonomy import Taxonomy
from voile.errors import ParameterError, counted

Codes = NDArray[np.int64]
MOST_MERGES = 400  # every step looks at all that are left


class Merge(NamedTuple):
    """Values first .. last of a column (those that occur, in order of the taxonomy) become one."""

    column: int
    first: int
    last: int


def cut_chain(table: Table, utility: Utility) -> Generalizations:
    """`cuts`: from all leaves to all roots. At each step one node takes the place of its children: the one that
    loses least; of equal ones that of the earlier column, then of the earlier values. A function that groups the
    rows like the one before is dropped.

    >>> from voile.core.hierarchy import Hierarchy
    >>> from voile.core.schema import Role
    >>> tree = Hierarchy.from_lines([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"], ["d", "y", "*"]])
    >>> letter = Column("letter", Role.QUASI_IDENTIFYING, tree, np.array([0, 0, 1, 2, 3]))
    >>> [groups.tolist() for groups in cut_chain(Table([letter]), "dm").functions]
    [[0, 0, 1, 2, 3], [0, 0, 1, 2, 2], [0, 0, 0, 1, 1], [0, 0, 0, 0, 0]]
    """
    places = [distinct_values(Taxonomy.of(column).leaf)[1] for column in table.quasi]
    merges = [merge for j, column in enumerate(table.quasi) for merge in _merges(column, j)]
    if len(merges) > MOST_MERGES:
        raise ParameterError(
            f"{counted(len(merges), 'node')} above the values of the quasi-identifying columns",
            where="parameter sequence",
            rule=f"cuts go through at most {MOST_MERGES}",
            remedy="use sequence=levels, or hierarchies with fewer nodes",
        )
    cut = [np.arange(int(place.max(initial=-1)) + 1) for place in places]  # the first value that each stands with
    chain = [(_groups(places, cut), _title(table, cut))]
    while merges:
        ready = [merge for merge in merges if not any(_inside(other, merge) for other in merges)]
        steps = []
        for merge in ready:
            groups = _groups(places, _merged(cut, merge))
            steps.append((grouping_loss(table, groups, utility), merge, groups))
        _, chosen, groups = min(steps, key=lambda step: step[:2])
        merges.remove(chosen)
        cut = _merged(cut, chosen)
        chain.append((groups, _title(table, cut)))
    return distinct_functions(chain)


def _merges(column: Column, j: int) -> Iterator[Merge]:
    """The nodes above at least two values that occur, each set of values once."""
    taxonomy = Taxonomy.of(column)
    present = distinct_values(taxonomy.leaf)[0]
    first = np.searchsorted(present, taxonomy.low)
    last = np.searchsorted(present, taxonomy.high, "right") - 1
    for ends in sorted(set(zip(first.tolist(), last.tolist(), strict=True))):
        if ends[0] < ends[1]:
            yield Merge(j, *ends)


def _inside(one: Merge, other: Merge) -> bool:
    """Whether one merge must come before the other."""
    inner = one.column == other.column and other.first <= one.first and one.last <= other.last
    return inner and one != other


def _merged(cut: list[Codes], merge: Merge) -> list[Codes]:
    values = cut[merge.column].copy()
    values[merge.first : merge.last + 1] = merge.first
    return [*cut[: merge.column], values, *cut[merge.column + 1 :]]


def _groups(places: list[Codes], cut: list[Codes]) -> Codes:
    return dense_rank([values[place] for place, values in zip(places, cut, strict=True)])


def _title(table: Table, cut: list[Codes]) -> str:
    """How many nodes are left of each column."""
    named = zip(table.quasi, cut, strict=True)
    return ", ".join(f"{column.name} in {counted(np.unique(values).size, 'node')}" for column, values in named)
