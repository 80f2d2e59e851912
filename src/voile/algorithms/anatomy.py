"""Anatomy: quasi-identifiers as they are in one table, sensitive values by group in another (Xiao and Tao 2006).

Groups are dealt as RDA deals them: planned from the counts of the values alone, their members drawn, nobody's
quasi-identifiers looked at. So two persons of one group could be exchanged without changing the probability of the
grouping, and each value is a member's with the chance of its share (docs/facts/streamliner.md A4).
"""

from dataclasses import dataclass, replace
from typing import Self

from voile.algorithms.single_column import resolved_l
from voile.algorithms.streamliner.rda import dealt_groups
from voile.core.algorithm import Progress, RandomisedAlgorithm, Rung
from voile.core.draws import SECRET, Draws
from voile.core.order import distinct_values
from voile.core.parameters import AUTO, parameter
from voile.core.partition import Partition
from voile.core.table import Table


@dataclass(frozen=True, kw_only=True)
class Anatomy(RandomisedAlgorithm):
    """Groups of l rows of different values, who with whom drawn at random; only values are hidden in them.

    Guarantee: no value has more than 1/l of a group, and nobody learns more by knowing the algorithm, its
    parameters and the values outside the victim's group. Not protected: that somebody is in the table, and the
    quasi-identifying values; what can be learned of how values depend on them; the same table published twice.

    >>> Anatomy(l=3).settings()
    {'l': 3}
    """

    key = "anatomy"
    title = "Anatomy"
    paper = "Xiao and Tao 2006"
    promise = "frequency_l_diversity"
    rung = Rung.ALGORITHM_STRONG
    separates = True
    mergeable = False  # no merging brings a crowd together whose quasi-identifiers are published as they are
    cost = "n; 10M rows in seconds"
    meaning = "two tables: quasi-identifiers published exactly, values by random group of l different ones"

    l: int | str = parameter(  # noqa: E741 the paper's name
        "rows per group, all values different; auto = the largest l the table allows",
        minimum=2,
        choices=(AUTO,),
    )

    def resolve(self, table: Table) -> Self:
        """Fix l = "auto" as floor(n / n1)."""
        return replace(self, l=resolved_l(self.l, table, self.key))

    def limits(self, series: bool = False) -> list[str]:
        """What publishing quasi-identifiers as they are leaves open."""
        return [
            "that somebody is in the table, and with which quasi-identifiers: they are published as they are",
            "a reader who learns from all groups which values go with which quasi-identifiers (deFinetti attack)",
        ]

    def partition(self, table: Table, progress: Progress = lambda share: None, draws: Draws = SECRET) -> Partition:
        """Plan the groups from the counts of the values, deal the rows at random."""
        ell = int(self.resolve(table).l)
        values = distinct_values(table.single_sensitive(self.key).codes)[1]
        group, _ = dealt_groups([values], ell, draws)
        return Partition(group, separate=True)
