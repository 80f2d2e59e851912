"""QWE: mean error of count queries with a floor (Liu and Wang 2012)."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from voile.core.boxes import Boxes
from voile.core.metric import Metric
from voile.core.parameters import parameter
from voile.metrics.query_workload import ALL, chosen_sides, drawn, estimates, range_length, require_share, truths


@dataclass(frozen=True, kw_only=True)
class QweMean(Metric):
    """Mean of |actual - estimated| / max(actual, delta rows) over random queries.

    A query is a random range of each chosen quasi-identifying column and one value of the first
    sensitive column. A range of k columns has |A| theta^(1/k) of the column's |A| values.
    """

    key = "qwe_mean"
    title = "query workload error, mean"
    paper = "Liu and Wang 2012"
    best = "low"
    range = "0 to 1/delta"
    meaning = "how wrong counts of one sensitive value in ranges are, on average; small ones against delta"
    private = True

    queries: int = parameter("how many queries", minimum=1, default=1000)
    seed: int = parameter("which random queries", minimum=0, default=1)
    on: str = parameter("columns with a condition", text="column names joined by +", choices=(ALL,), default=ALL)
    theta: Fraction = parameter("share of the boxes' space that a query covers", places=0, default=Fraction(1, 10))
    delta: Fraction = parameter("least actual count, as a share of all rows", places=0, default=Fraction(1, 200))

    def __post_init__(self) -> None:
        require_share(self.theta)

    def measure(self, boxes: Boxes) -> float:
        """A float: shares are; it decides nothing."""
        sides = chosen_sides(boxes, self.on)
        if boxes.rows == 0:
            return 0.0
        workload = drawn(
            self.seed,
            self.queries,
            sides,
            lambda values: range_length(values, self.theta, len(sides)),
            boxes.sensitive[0],
            lambda values: 1,
        )
        actual = truths(workload)
        least = np.maximum(actual, float(self.delta * boxes.rows))
        return float(np.mean(np.abs(actual - estimates(boxes, workload)) / least))
