"""GLASS: cut where a test that reveals nothing allows it, near rows together (ours, docs/facts/safety.md 1.2).

The rows of a node are dealt at random to balanced buckets, in which every value occurs equally often. A cut is
made if both parts would be l-diverse whichever way the values inside the buckets were turned around. So the
answer is the same for all who could have had each other's value: that a cut was made, or not, tells nothing.
Buckets of a node that is not cut become groups of near rows of different values, again without regard to which
value is which.

Proof and checklist: docs/algorithms/glass.md.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from voile.algorithms.blind_cut import refuse_large_shares, resolved_by_layers, rule_of
from voile.algorithms.fixed_settings import settings_of_glass
from voile.algorithms.match import matched
from voile.algorithms.tree_levels import grown, rows_along_curve
from voile.core.algorithm import Progress, RandomisedAlgorithm, Rung
from voile.core.draws import SECRET, Draws
from voile.core.order import distinct_values
from voile.core.parameters import AUTO, parameter
from voile.core.partition import Partition
from voile.core.table import Table
from voile.errors import SpecError
from voile.kernels.glass import Rule, Seats
from voile.kernels.glass import grow as grow_level

Codes = NDArray[np.int64]
FINE, FAST = "fine", "fast"
MIDDLE, CODES = "middle", "codes"


@dataclass(frozen=True, kw_only=True)
class Glass(RandomisedAlgorithm):
    """Cuts by a test that reveals nothing, and groups of near rows of l different values inside the parts.

    Guarantee: no value has more than 1/l of a group, and nobody learns more by knowing the algorithm and its
    parameters.
    Not protected: someone who also knows the value of a person in the same part; the same table published twice.

    >>> Glass(l=3).settings()
    {'l': 3, 'match': 'fine', 'tau': 'auto', 'limit': 'auto', 'sure': 'auto', 'least': 'auto', 'cuts': 'auto'}
    """

    key = "glass"
    title = "GLASS"
    paper = "Voile 2026, after Xiao and Tao 2007"
    promise = "frequency_l_diversity"
    rung = Rung.ALGORITHM_MARGINAL
    cost = "about n log n; 1M rows in seconds; match = fast: in less time than reading and writing them"
    meaning = "cuts that tell nothing, near rows together: safe from who knows the algorithm, at little loss"

    l: int | str = parameter(  # noqa: E741 the papers' name
        "different values per group; auto = the largest l the table allows", minimum=2, choices=(AUTO,)
    )
    match: str = parameter(
        "fine = nearest rows, then swaps; fast = rows zipped along a curve", default=FINE, choices=(FINE, FAST)
    )
    tau: Fraction | str = parameter(  # noqa: RUF009
        "rows are skimmed until no value has more than tau/l of the rest; auto = by l, fixed in advance",
        default=AUTO,
        places=0,
        choices=(AUTO,),
    )
    limit: Fraction | str = parameter(  # noqa: RUF009
        "the largest share of a part that may be skimmed for one cut; auto = by l, fixed in advance",
        default=AUTO,
        minimum=0,
        places=0,
        choices=(AUTO,),
    )
    sure: Fraction | str = parameter(  # noqa: RUF009
        "the largest share that may be skimmed to make a cut certain; auto = by l, fixed in advance",
        default=AUTO,
        minimum=0,
        places=0,
        choices=(AUTO,),
    )
    least: int | str = parameter(
        "a part of fewer than twice so many rows is not cut; auto = by l, fixed in advance",
        default=AUTO,
        minimum=1,
        choices=(AUTO,),
    )
    cuts: str = parameter(
        "parts are cut exactly in the middle, or between two codes; auto = by l, fixed in advance",
        default=AUTO,
        choices=(AUTO, MIDDLE, CODES),
    )

    def __post_init__(self) -> None:
        refuse_large_shares(self, "tau", "limit", "sure")

    def resolve(self, table: Table) -> Self:
        """Fix l = "auto" as the largest l that the table, and every layer, allows; and what l settles."""
        column = only_sensitive_column(table, self.key)
        ell = resolved_by_layers(self.l, table, column)
        auto = settings_of_glass(ell)
        return replace(self, l=ell, **{name: value for name, value in auto.items() if getattr(self, name) == AUTO})

    def limits(self, series: bool = False) -> list[str]:
        """What makes the tier marginal."""
        return ["someone who knows the sensitive value of another person in the victim's part of the table"]

    def partition(self, table: Table, progress: Progress = lambda share: None, draws: Draws = SECRET) -> Partition:
        """Grow a tree of tested cuts, match the buckets of its leaves."""
        settled = self.resolve(table)
        rule = rule_of(settled, "tau", "limit", "sure", exact=settled.cuts == MIDDLE)
        return bucketed(table, rule, self.key, self.match, progress, draws)


def bucketed(table: Table, rule: Rule, key: str, match: str, progress: Progress, draws: Draws) -> Partition:
    """The partition of a tree of tested cuts by a rule."""
    (value,) = only_sensitive_column(table, key).values()
    rows, roots = rows_along_curve(table, value, draws)
    values = rows.values() if match == FINE else None
    seats = Seats(np.empty(table.n, np.int64), np.empty(table.n, np.int32), np.empty(table.n, np.int64))

    def grow(matrix, spare, nodes, first, numbers, children):
        return grow_level(rows.loss, rule, matrix, spare, rows.different, nodes, first, numbers, seats, children)

    share = 1.0 if match == FAST else 0.2
    grown(rows, grow, roots, draws, lambda done: progress(done * share))
    if values is None:
        return rows.partition(seats.group)
    matching = matched(
        rows.loss, values, seats.bucket, seats.place, lambda done: progress(share + done * (1 - share))
    )
    return rows.partition(matching)


def only_sensitive_column(table: Table, key: str) -> dict[str, Codes]:
    """The sensitive column, numbered from 0."""
    if len(table.sensitive) != 1:
        raise SpecError(
            f"{len(table.sensitive)} sensitive columns",
            where="spec",
            rule=f"{key} protects exactly one: buckets that differ in two leave no choice of who is near",
            remedy="use the algorithm blind_cut, which protects two, or elig, which protects each of them "
            "(against a reader of the release), or declare the others identifying (dropped) or quasi-identifying",
        )
    return {column.name: distinct_values(column.codes)[1] for column in table.sensitive}
