"""KL: how far the columns a reader reconstructs are from the true ones."""

import numpy as np

from voile.core.boxes import Boxes, Side
from voile.core.metric import Metric


class KullbackLeibler(Metric):
    """Mean over QI columns of the divergence, in nats, of the column from its reconstruction.

    The reader spreads each published cell evenly over the source's values inside its range or node,
    a suppressed row over all of them (Kifer and Gehrke 2006, one column at a time).
    """

    key = "kl"
    title = "Kullback-Leibler divergence"
    paper = "Kifer and Gehrke 2006"
    best = "low"
    range = "0 to ln n"
    meaning = "information lost about each column's distribution, in nats"

    def measure(self, boxes: Boxes) -> float:
        """A float: logarithms; it decides nothing."""
        if boxes.rows == 0 or not boxes.sides:
            return 0.0
        return sum(_divergence(side, boxes) for side in boxes.sides) / len(boxes.sides)


def _divergence(side: Side, boxes: Boxes) -> float:
    source = side.source
    spread = side.rows / (source.after - source.first)  # rows that each value of a cell receives
    steps = np.zeros(source.rows.size + 1)
    steps += np.bincount(source.first, spread, steps.size) - np.bincount(source.after, spread, steps.size)
    rebuilt = np.cumsum(steps)[:-1] + boxes.suppressed / source.rows.size
    return max(0.0, float((source.rows * np.log(source.rows / rebuilt)).sum()) / boxes.rows)
