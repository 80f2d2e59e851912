"""GCP without notation: counts the values a group holds, not how a cell is written."""

from fractions import Fraction

from voile.core.axis import Axis
from voile.core.boxes import Boxes, Side
from voile.core.certainty_penalty import exact_sum
from voile.core.metric import Metric


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
        total = sum((_penalty(side) for side in boxes.sides), Fraction(0))
        return (total + boxes.suppressed * len(boxes.sides)) / cells


def _penalty(side: Side) -> Fraction:
    """Sum over the published rows of one column."""
    domain = side.column.domain
    if isinstance(domain, Axis):
        return Fraction(exact_sum(side.widths, side.rows), max(1, domain.high - domain.low))
    return Fraction(exact_sum(side.held.distinct() - 1, side.rows), max(1, side.source.rows.size - 1))
