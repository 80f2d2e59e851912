"""RIA, random and independent: l - 1 candidates for every row, then what hangs together
(Liu and Wang 2012, Table 5).

The simplest way to the paper's l-candidates. Every row of every colour draws l - 1 rows of different other
colours, a row not twice for one colour; rows that share candidates become one group. For l of 3 and more that
is nearly always one group of everybody: RIA shows the theory, RDA is for use.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from voile.algorithms.single_column import resolved_l
from voile.core.algorithm import Progress, RandomisedAlgorithm, Rung
from voile.core.draws import SECRET, Draws
from voile.core.order import canonical_order, distinct_values
from voile.core.parameters import AUTO, parameter
from voile.core.partition import Partition
from voile.core.table import Table
from voile.kernels.colours import rows_by_colour
from voile.kernels.independent import merge_candidates, merged_groups, row_bounds, use_bounds, used_colours

Codes = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Ria(RandomisedAlgorithm):
    """Groups of rows that hang together by candidates drawn at random.

    Guarantee: no value has more than 1/l of a group, also for a reader who knows the algorithm and the values
    outside the victim's group. Not protected: the same table published twice.

    >>> Ria(l=2).settings()
    {'l': 2}
    """

    key = "ria"
    title = "RIA"
    paper = "Liu and Wang 2012"
    promise = "frequency_l_diversity"
    rung = Rung.ALGORITHM_STRONG
    cost = "l * n; for study: above l = 2 it makes one giant group"
    meaning = "rows joined by independent random candidates: the theory of Liu and Wang 2012 in its simplest form"

    l: int | str = parameter(  # noqa: E741 the paper's name
        "different values each row is hidden among; auto = the largest l the table allows",
        minimum=2,
        choices=(AUTO,),
    )

    def resolve(self, table: Table) -> Self:
        """Fix l = "auto" as floor(n / n1)."""
        return replace(self, l=resolved_l(self.l, table, self.key))

    def partition(self, table: Table, progress: Progress = lambda share: None, draws: Draws = SECRET) -> Partition:
        """Draw candidates for all colours, merge what hangs together."""
        ell = int(self.resolve(table).l)
        rows, start = colours_by_size(table.single_sensitive(self.key).codes)
        root = np.arange(table.n)
        draw_candidates(start, ell, np.arange(start.size - 1), draws, root)
        merged, group = merged_groups(root), np.empty(table.n, np.int64)
        number = draws.shuffled(np.array([0, int(merged.max()) + 1]))  # numbers in order of rows would tell whose
        group[rows] = number[merged]
        return Partition(group)


def colours_by_size(codes: Codes) -> tuple[Codes, Codes]:
    """The rows of the largest colour first, ties by value; and where each colour begins."""
    value = distinct_values(codes)[1]
    sizes = np.bincount(value)
    rank = np.empty(sizes.size, np.int64)
    rank[canonical_order([-sizes, np.arange(sizes.size)])] = np.arange(sizes.size)
    rows, start = rows_by_colour(rank[value], sizes.size)
    return rows, start


def draw_candidates(start: Codes, ell: int, served: Codes, draws: Draws, root: Codes) -> None:
    """Draw the candidates of some colours, and join them in the forest `root`. Colours are independent, so
    serving them one by one or all at once has the same distribution."""
    colour = used_colours(start, ell, served, draws.below(use_bounds(start, ell, served)))
    drawn = draws.below(row_bounds(start, ell, served, colour))
    merge_candidates(start, ell, served, colour, drawn, root)
