"""GCP, counting the leaves beyond the first: the form of docs/facts/peers.md."""

from fractions import Fraction

from voile.core.boxes import Boxes
from voile.core.certainty_penalty import certainty_penalty, share_beyond_first
from voile.core.metric import Metric


class GcpMinus1(Metric):
    """Mean NCP over rows and QI columns: range / domain range; (leaves - 1) / (all leaves - 1)."""

    key = "gcp_minus1"
    title = "global certainty penalty, (leaves - 1) / (all - 1)"
    paper = "Iyengar 2002"
    best = "low"
    range = "0 to 1"
    meaning = "as gcp_leaves, comparable with ARX's granularity"

    def measure(self, boxes: Boxes) -> Fraction:
        """Exact mean over all cells; a suppressed row counts 1 in every cell."""
        return certainty_penalty(boxes, share_beyond_first)
