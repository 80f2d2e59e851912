"""Median relative error of count queries (Xiao and Tao 2007)."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from voile.core.boxes import Boxes
from voile.core.metric import Metric
from voile.core.parameters import parameter
from voile.metrics.query_workload import ALL, chosen_sides, relative_errors, require_share


@dataclass(frozen=True, kw_only=True)
class QweMedian(Metric):
    """Median of |actual - estimated| / actual over random queries.

    A query is a random range of each of the d quasi-identifying columns and of the first sensitive
    one, |A| theta^(1/(d+1)) of the column's |A| values each. Queries that count nothing have no relative
    error and are left out.
    """

    key = "qwe_median"
    title = "query workload error, median"
    paper = "Xiao and Tao 2007"
    best = "low"
    range = "0 upwards"
    meaning = "how wrong half of all counts in ranges of every column are, relative to the true count"
    private = True

    queries: int = parameter("how many queries", minimum=1, default=10_000)
    seed: int = parameter("which random queries", minimum=0, default=1)
    on: str = parameter("columns with a condition", text="column names joined by +", choices=(ALL,), default=ALL)
    theta: Fraction = parameter("expected selectivity", places=0, default=Fraction(1, 10))

    def __post_init__(self) -> None:
        require_share(self.theta)

    def measure(self, boxes: Boxes) -> float:
        """A float: shares are; it decides nothing. 0 if no query counts anything."""
        errors = relative_errors(boxes, chosen_sides(boxes, self.on), self.theta, self.queries, self.seed)
        return float(np.median(errors)) if errors.size else 0.0
