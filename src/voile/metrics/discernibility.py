"""DM: the discernibility metric."""

from fractions import Fraction

from voile.core.boxes import Boxes
from voile.core.metric import Metric


class Discernibility(Metric):
    """Each row is charged the size of its group, a suppressed row the size of the table."""

    key = "dm"
    title = "discernibility (DM)"
    paper = "Bayardo and Agrawal 2005"
    best = "low"
    range = "n to n^2"
    meaning = "rows that each row cannot be told from, summed"

    def measure(self, boxes: Boxes) -> Fraction:
        """Sum of squared group sizes, plus n per suppressed row."""
        squares = int((boxes.sizes * boxes.sizes).sum())  # below 2**63 up to 3 billion rows
        return Fraction(squares + boxes.suppressed * boxes.rows)
