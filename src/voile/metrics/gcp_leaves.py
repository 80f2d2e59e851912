"""GCP, counting all leaves under a node: the form of docs/facts/bsgi.md."""

from fractions import Fraction

from voile.core.boxes import Boxes
from voile.core.certainty_penalty import certainty_penalty, leaf_share
from voile.core.metric import Metric


class GcpLeaves(Metric):
    """Mean NCP over rows and QI columns: range / domain range; leaves / all leaves, 0 at a leaf."""

    key = "gcp_leaves"
    title = "global certainty penalty, leaves / all"
    paper = "Ghinita et al. 2007"
    best = "low"
    range = "0 to 1"
    meaning = "average uncertainty of a published cell: 0 is exact, 1 is anything"

    def measure(self, boxes: Boxes) -> Fraction:
        """Exact mean over all cells; a suppressed row counts 1 in every cell."""
        return certainty_penalty(boxes, leaf_share)
