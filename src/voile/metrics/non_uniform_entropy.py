"""Non-uniform entropy: bits lost in the cells, by how frequent the values are."""

import numpy as np

from voile.core.boxes import Boxes, Side
from voile.core.metric import Metric


class NonUniformEntropy(Metric):
    """Sum over cells of log2(rows with a value in the published range / rows with the value), over the
    same with every row suppressed (Gionis and Tassa 2009; the name is ARX's).
    """

    key = "non_uniform_entropy"
    title = "non-uniform entropy"
    paper = "Gionis and Tassa 2009"
    best = "low"
    range = "0 to 1"
    meaning = "share of the bits in quasi-identifying cells that is lost"

    def measure(self, boxes: Boxes) -> float:
        """A float: logarithms; it decides nothing."""
        lost, all_ = np.sum([_bits(side, boxes) for side in boxes.sides], axis=0) if boxes.sides else (0.0, 0.0)
        return float(min(1.0, max(0.0, lost / all_))) if all_ > 0 else 0.0


def _bits(side: Side, boxes: Boxes) -> tuple[float, float]:
    """Bits lost in a column, and bits there are."""
    source = side.source
    upto = np.concatenate(([0], np.cumsum(source.rows)))
    in_range = upto[source.after] - upto[source.first]
    own = float((source.rows * np.log2(source.rows)).sum())
    everything = boxes.rows * np.log2(max(1, boxes.rows))
    lost = float((side.rows * np.log2(in_range)).sum()) + boxes.suppressed * np.log2(max(1, boxes.rows))
    return lost - own, everything - own
