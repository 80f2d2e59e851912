"""Share of rows that are not published."""

from fractions import Fraction

from voile.core.boxes import Boxes
from voile.core.metric import Metric


class SuppressedShare(Metric):
    """Suppressed rows over all rows of the source, 0 to 1 as in ARX."""

    key = "suppressed"
    title = "suppressed share"
    paper = "Prasser and Kohlmayer 2015"
    best = "low"
    range = "0 to 1"
    meaning = "share of rows that are not published"

    def measure(self, boxes: Boxes) -> Fraction:
        """Suppressed over all."""
        return Fraction(boxes.suppressed, boxes.rows) if boxes.rows else Fraction(0)
