"""AECS: the average size of an equivalence class."""

from fractions import Fraction

from voile.core.boxes import Boxes
from voile.core.metric import Metric


class AverageGroupSize(Metric):
    """Published rows per group; divided by k it is C_avg of LeFevre et al. 2006."""

    key = "aecs"
    title = "average group size (AECS)"
    paper = "LeFevre et al. 2006"
    best = "low"
    range = "1 to n"
    meaning = "published rows per group"

    def measure(self, boxes: Boxes) -> Fraction:
        """Rows over groups."""
        return Fraction(int(boxes.sizes.sum()), boxes.sizes.size) if boxes.sizes.size else Fraction(0)
