"""GDA, guided and dependent: groups of rows with near weighted ranks (Liu and Wang 2012, Table 7).

Every quasi-identifying value has a rank, every column a weight (`weight` in the spec); a row's weighted rank is
the sum of weight times rank. Each row of the largest colour is grouped with the nearest first rows of l - 1 other
colours. Better labels than RDA where one column matters most, but choosing who is near looks at who has what: GDA
holds against a reader of the release only (docs/known-limits.md). RDA with `blocks` is safe, and usually better.
"""

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from voile.algorithms.single_column import resolved_l
from voile.core.algorithm import Algorithm, Progress, Rung
from voile.core.order import canonical_order, distinct_values
from voile.core.parameters import AUTO, parameter
from voile.core.partition import Partition
from voile.core.table import Table
from voile.errors import SpecError
from voile.kernels.guided import Line, append_to_nearest, guided_groups

Codes = NDArray[np.int64]
_LARGEST_RANK = 2**40  # times rows of a group, it still fits 63 bits


@dataclass(frozen=True, kw_only=True)
class Gda(Algorithm):
    """Groups of l rows of different values, near each other in weighted rank.

    Guarantee: no value has more than 1/l of a group. Not protected against: someone who knows the algorithm.

    >>> Gda(l=3).settings()
    {'l': 3}
    """

    key = "gda"
    title = "GDA"
    paper = "Liu and Wang 2012"
    promise = "frequency_l_diversity"
    rung = Rung.RELEASE
    deterministic = True
    cost = "n log n; 1M rows in about a second"
    meaning = "groups of near weighted rank: keeps the heaviest column well; not safe from who knows the algorithm"

    l: int | str = parameter(  # noqa: E741 the paper's name
        "rows per group, all values different; auto = the largest l the table allows",
        minimum=2,
        choices=(AUTO,),
    )

    def resolve(self, table: Table) -> Self:
        """Fix l = "auto" as floor(n / n1)."""
        return replace(self, l=resolved_l(self.l, table, self.key))

    def partition(self, table: Table, progress: Progress = lambda share: None) -> Partition:
        """Group around the rows of the largest colour, then append what is left over."""
        ell = int(self.resolve(table).l)
        colour = distinct_values(table.single_sensitive(self.key).codes)[1]
        rows, start, line = lined_up(colour, weighted_rank(table))
        places, groups = guided_groups(start, line, ell)
        progress(0.8)
        append_to_nearest(start, line, places, groups, ell)
        group = np.empty(table.n, np.int64)
        group[rows] = places
        return Partition(group)


def weighted_rank(table: Table) -> Codes:
    """Sum over the quasi-identifying columns of weight times rank, ranks from 1
    (Liu and Wang 2012, section 3.3)."""
    scale = math.lcm(*(column.weight.denominator for column in table.quasi))
    weights = [int(column.weight * scale) for column in table.quasi]
    divisor = math.gcd(*weights) or 1
    rank, most = np.zeros(table.n, np.int64), 0
    for column, weight in zip(table.quasi, weights, strict=True):
        values, index = distinct_values(column.codes)
        most += weight // divisor * values.size
        if most > _LARGEST_RANK:
            raise SpecError(
                "weights are too far apart for whole numbers",
                where=f"column {column.name}",
                rule="gda: the sum of weight times number of values is at most 2**40, weights being whole "
                "multiples of their common part",
                remedy="round the weights, for example 1 and 10000",
            )
        rank += weight // divisor * (index + 1)
    return rank


def lined_up(colour: Codes, rank: Codes) -> tuple[Codes, Codes, Line]:
    """The rows in order of colour and rank, where each colour begins, and the line of all ranks."""
    by_rank = canonical_order([rank, colour])
    line_rank, line_colour = rank[by_rank], colour[by_rank]
    by_colour = canonical_order([line_colour])  # stable: positions of a colour ascend
    start = np.concatenate(([0], np.cumsum(np.bincount(colour))))
    run = np.searchsorted(line_rank, line_rank)
    return by_rank[by_colour], start, Line(line_rank, line_colour, run, by_colour)
