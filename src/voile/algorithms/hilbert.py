"""1-D l-diversity on the Hilbert curve (Ghinita et al. 2007; docs/facts/bsgi.md A7).

Rows stand on a curve through all quasi-identifiers, on which neighbours are near. Each group takes a row of every
*critical* value, one with as many rows left as there are groups, and of the others those whose first free row is
earliest on the curve. It never gets stuck, for the same reason as ELIG, whose swaps can refine what it finds.
"""

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray

from voile.algorithms.elig import LARGEST_SWAPPED, refined, seat_left_over
from voile.algorithms.single_column import resolved_l
from voile.core.algorithm import Algorithm, Progress, Rung
from voile.core.eligibility import most_groups
from voile.core.information_loss import loss_of
from voile.core.order import canonical_order, distinct_values, order_of
from voile.core.parameters import AUTO, parameter
from voile.core.partition import SUPPRESSED, Partition
from voile.core.table import Table
from voile.kernels.colours import rows_by_colour
from voile.kernels.hilbert import WORD_BITS, group_along, hilbert_keys
from voile.kernels.marks import count_marks
from voile.kernels.threads import Threads
from voile.kernels.z_order import z_order

# An axis takes one part in so many of the side of the cube: numbers cost by how far they are apart, categories as
# soon as they differ. On Adult that is a third less loss than sides of equal length.
AXIS_SHARE = 4
LEAST_BITS = 5  # of each column, so that an axis has eight cells; with more, groups lose no less


@dataclass(frozen=True, kw_only=True)
class Hilbert(Algorithm):
    """Groups of l different values along a Hilbert curve: fast, and near what elig finds once refined.

    Guarantee: unique distinct l-diversity, so every value's share is at most 1/l.
    Not protected against: someone who knows the algorithm (docs/known-limits.md).

    >>> Hilbert(l=2).settings()
    {'l': 2, 'ineligible': 'refuse', 'refine': 0}
    """

    key = "hilbert"
    title = "1-D l-diversity on the Hilbert curve"
    paper = "Ghinita et al. 2007"
    promise = "unique_distinct_l_diversity"
    rung = Rung.RELEASE
    deterministic = True
    cost = "about n; 1M rows in less time than reading and writing them"
    meaning = "groups of l different values that are near on a Hilbert curve: the fastest of the precise ones"

    l: int | str = parameter(  # noqa: E741 the literature's name
        "rows per group, all values different; auto = the largest l the table allows",
        minimum=2,
        choices=(AUTO,),
    )
    ineligible: str = parameter(
        "when a value is too frequent for l: refuse, or suppress the fewest rows that help",
        default="refuse",
        choices=("refuse", "suppress"),
    )
    refine: int = parameter(
        "passes of elig's swaps, which lower the loss and take time; none for l above 4096", default=0, minimum=0
    )

    def resolve(self, table: Table) -> Self:
        """Fix l = "auto" as floor(n / n1)."""
        return replace(self, l=resolved_l(self.l, table, self.key, self.ineligible == "suppress"))

    def partition(self, table: Table, progress: Progress = lambda share: None) -> Partition:
        """Order rows along the curve, group, seat what is left over, refine."""
        ell = int(self.resolve(table).l)
        loss, values, _ = loss_of(table)
        value = distinct_values(table.single_sensitive(self.key).codes)[1].astype(np.int32)
        order = curve_order(values, loss.step.size)
        along, groups = grouped(value[order], ell)
        group = np.empty_like(along)
        group[order] = along
        progress(1 / (1 + self.refine))
        marks = value[:, None]
        if (along == SUPPRESSED).any():
            group = seat_left_over(loss, values, marks, group, groups, ell)
        if self.refine and ell <= LARGEST_SWAPPED:
            neighbours = z_order(values, spans(values))
            group = refined(loss, values, marks, neighbours, group, self.refine, progress)
        return Partition(group)


def spans(values: NDArray[np.int32]) -> NDArray[np.int64]:
    """How many codes each column has."""
    return np.array([codes.max(initial=0) + 1 for codes in values.T], np.int64)


def curve_order(values: NDArray[np.int32], axes: int) -> NDArray[np.int64]:
    """Row numbers along the curve; rows in one place by their number. The first columns are so many axes. Columns
    of one value are left out: they would only bend the curve.

    >>> curve_order(np.array([[0, 0], [0, 1], [1, 1], [1, 0]], np.int32), 0).tolist()
    [0, 1, 2, 3]
    """
    n, across = values.shape[0], spans(values)
    across[:axes] *= AXIS_SHARE
    varied = np.array([codes.min() < codes.max() for codes in values.T])
    if not varied.any():
        return np.arange(n)
    if not varied.all():
        values, across = np.ascontiguousarray(values[:, varied]), across[varied]
    bits = bits_of(values.shape[1])
    keys = np.empty((n, -(-bits * values.shape[1] // WORD_BITS)), np.int64)
    with Threads(n) as threads:
        ends = [n * i // threads.number for i in range(threads.number + 1)]
        parts = [slice(*pair) for pair in pairwise(ends)]
        list(threads.map(lambda part: hilbert_keys(values[part], across, bits, keys[part]), parts))
    return order_of(keys[:, 0]) if keys.shape[1] == 1 else canonical_order(list(keys.T))


def bits_of(columns: int) -> int:
    """How finely each of so many columns is cut: as finely as one number has room for, but not so coarsely that an
    axis, in its part of the side, would have but a cell or two.

    >>> bits_of(1), bits_of(7), bits_of(40)
    (31, 9, 5)
    """
    return max(LEAST_BITS, min(WORD_BITS // columns, 31))


def grouped(value: NDArray[np.int32], ell: int) -> tuple[NDArray[np.int64], int]:
    """Group of each row, SUPPRESSED for the left over ones, and how many groups there are; rows stand along the
    curve.

    >>> grouped(np.array([0, 0, 1, 1, 2, 0], np.int32), 2)[0].tolist()
    [0, 1, 0, 1, 2, 2]
    """
    sizes = np.bincount(value)
    groups = most_groups(sizes, ell)
    queue, head = rows_by_colour(value, sizes.size)
    group = np.full(value.size, SUPPRESSED, np.int64)
    group_along(count_marks(value[:, None]), value, queue, head, ell, groups, group)
    return group, groups
