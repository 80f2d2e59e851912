"""Weighted information loss: GCP with the steward's weights."""

from fractions import Fraction

from voile.core.boxes import Boxes
from voile.core.certainty_penalty import certainty_penalty, leaf_share
from voile.core.metric import Metric


class WeightedIL(Metric):
    """As gcp_leaves, a column counting as much as its `weight` in the spec: what algorithms minimise."""

    key = "weighted_il"
    title = "weighted information loss"
    paper = "Ye et al. 2008"
    best = "low"
    range = "0 to 1"
    meaning = "as gcp_leaves, with the weights of the spec"

    def measure(self, boxes: Boxes) -> Fraction:
        """Exact; 0 where every weight is 0."""
        return certainty_penalty(boxes, leaf_share, [side.column.weight for side in boxes.sides])
