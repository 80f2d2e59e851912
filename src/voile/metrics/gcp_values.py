"""GCP without notation: counts the values a group holds, not how a cell is written."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.boxes import Boxes, Side
from voile.core.metric import Metric
from voile.core.order import distinct_values
from voile.kernels.boxes import count_distinct, enclose_groups, rows_by_group
from voile.metrics.certainty_penalty import exact_sum


class GcpValues(Metric):
    """Mean over cells of (values in the group - 1) / (values in the table - 1), or of the range of the
    group's own numbers / domain range: the same for a node, a set, an interval and a snapped interval.
    """

    key = "gcp_values"
    title = "global certainty penalty, by values held"
    paper = "Xu et al. 2006"
    best = "low"
    range = "0 to 1"
    meaning = "how mixed the groups are, however their cells are written"

    def measure(self, boxes: Boxes) -> Fraction:
        """Exact mean over all cells; a suppressed row counts 1 in every cell."""
        cells = boxes.rows * len(boxes.sides)
        if cells == 0:
            return Fraction(0)
        order = rows_by_group(boxes.group, boxes.sizes)
        total = sum((_penalty(side, boxes, order) for side in boxes.sides), Fraction(0))
        return (total + boxes.suppressed * len(boxes.sides)) / cells


def _penalty(side: Side, boxes: Boxes, order: NDArray[np.int64]) -> Fraction:
    """Sum over the published rows of one column."""
    codes, domain = side.column.codes, side.column.domain
    if isinstance(domain, Axis):
        low, high = enclose_groups(codes, boxes.group, boxes.sizes.size)
        return Fraction(exact_sum(high - low, boxes.sizes), max(1, domain.high - domain.low))
    values, index = distinct_values(codes)
    held = count_distinct(index, order, boxes.group, boxes.sizes.size, values.size)
    return Fraction(exact_sum(held - 1, boxes.sizes), max(1, values.size - 1))
