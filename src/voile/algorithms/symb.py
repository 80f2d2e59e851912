"""SYMB: balanced buckets of the whole table, near rows together, nothing cut (ours, docs/facts/safety.md 4.1).

The rows are dealt at random to balanced buckets that are planned from the counts of the values; each bucket
becomes groups of near rows of different values, without regard to which value is which. What `glass` comes to
where no cut passes. Proof and checklist: docs/algorithms/symb.md.
"""

from dataclasses import dataclass, replace
from typing import Self

from voile.algorithms.blind_cut import resolved_by_layers
from voile.algorithms.glass import FAST, FINE, bucketed, only_sensitive_column
from voile.core.algorithm import Progress, RandomisedAlgorithm, Rung
from voile.core.draws import SECRET, Draws
from voile.core.parameters import AUTO, parameter
from voile.core.partition import Partition
from voile.core.table import Table
from voile.kernels.glass import NEVER_CUT


@dataclass(frozen=True, kw_only=True)
class Symb(RandomisedAlgorithm):
    """Groups of near rows of l different values, of balanced buckets that are drawn from the whole table.

    Guarantee: no value has more than 1/l of a group, and nobody learns more by knowing the algorithm.
    Not protected: someone who also knows the value of a person of the same bucket; the same table published twice.

    >>> Symb(l=3).settings()
    {'l': 3, 'match': 'fine'}
    """

    key = "symb"
    title = "symmetric buckets"
    paper = "Voile 2026, after Xiao and Tao 2007"
    promise = "frequency_l_diversity"
    rung = Rung.ALGORITHM_MARGINAL
    cost = "about n log n; 1M rows in seconds; match = fast: in less time than reading and writing them"
    meaning = "random buckets of equally many rows of each value, near rows together: glass without cuts"

    l: int | str = parameter(  # noqa: E741 the papers' name
        "different values per group; auto = the largest l the table allows", minimum=2, choices=(AUTO,)
    )
    match: str = parameter(
        "fine = nearest rows, then swaps; fast = rows zipped along a curve", default=FINE, choices=(FINE, FAST)
    )

    def resolve(self, table: Table) -> Self:
        """Fix l = "auto" as the largest l that the table, and every layer, allows."""
        return replace(self, l=resolved_by_layers(self.l, table, only_sensitive_column(table, self.key)))

    def limits(self, series: bool = False) -> list[str]:
        """What makes the tier marginal."""
        return ["someone who knows the sensitive value of another person of the table"]

    def partition(self, table: Table, progress: Progress = lambda share: None, draws: Draws = SECRET) -> Partition:
        """Deal all rows to buckets, match them."""
        rule = NEVER_CUT._replace(ell=int(self.resolve(table).l))
        return bucketed(table, rule, self.key, self.match, progress, draws)
