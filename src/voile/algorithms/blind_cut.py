"""FREE with RDA's leaves: cut where the cut is certain, never look first (ours, docs/facts/safety.md 1.3).

A node is cut in the middle of a quasi-identifier. Whether it is, is told by the counts of its values alone: if
the most frequent one has at most 1/l of either half, both halves are l-diverse whoever is in them. To have that
slack, some rows of the most frequent values may be skimmed first, drawn at random; they are a leaf of their own.
Leaves are dealt to groups as `rda` deals a table.

Nothing inside a published group was looked at, so two of its persons could be exchanged without changing the
probability of anything: it holds even against someone who knows the values of everybody outside the group. Proof
and checklist: docs/algorithms/blind_cut.md.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from voile.algorithms.fixed_settings import settings_of_blind_cut
from voile.algorithms.streamliner.rda import largest_l_of_blocks, refuse_layers, sensitive_columns
from voile.algorithms.tree_levels import grown, rows_along_curve
from voile.core.algorithm import Algorithm, Progress, RandomisedAlgorithm, Rung
from voile.core.draws import SECRET, Draws
from voile.core.eligibility import feasible_l
from voile.core.order import dense_rank
from voile.core.parameters import AUTO, parameter
from voile.core.partition import Partition
from voile.core.table import Table
from voile.errors import ParameterError
from voile.kernels.blind_cut import grow_blindly
from voile.kernels.glass import NEVER_CUT, Rule

Codes = NDArray[np.int64]
FINEST = 10**6  # denominator of a share


@dataclass(frozen=True, kw_only=True)
class BlindCut(RandomisedAlgorithm):
    """Cuts that are certain from counts alone, and random groups of l different values inside the parts.

    Guarantee: no value has more than 1/l of a group, for every sensitive column (two at most), and nobody learns
    more by knowing the algorithm, its parameters and the values outside the victim's group.
    Not protected: the same table published twice.

    >>> BlindCut(l=3).settings()
    {'l': 3, 'tau': 'auto', 'limit': 'auto', 'least': 'auto'}
    """

    key = "blind_cut"
    title = "blind cuts"
    paper = "Voile 2026, after Liu and Wang 2012"
    promise = "frequency_l_diversity"
    rung = Rung.ALGORITHM_STRONG
    cost = "about n log n; 1M rows in less time than reading and writing them"
    meaning = "cuts that never look, random groups inside: safe from who knows the algorithm and all other groups"

    l: int | str = parameter(  # noqa: E741 the papers' name
        "rows per group, all values different; auto = the largest l the table allows",
        minimum=2,
        choices=(AUTO,),
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
    least: int | str = parameter(
        "a part of fewer than twice so many rows is not cut; auto = by l, fixed in advance",
        default=AUTO,
        minimum=1,
        choices=(AUTO,),
    )

    def __post_init__(self) -> None:
        refuse_large_shares(self, "tau", "limit")

    def resolve(self, table: Table) -> Self:
        """Fix l = "auto" as the largest l that the table, and every layer, allows; and what l settles."""
        columns = sensitive_columns(table, self.key)
        ell = resolved_by_layers(self.l, table, columns)
        auto = settings_of_blind_cut(ell)
        return replace(self, l=ell, **{name: value for name, value in auto.items() if getattr(self, name) == AUTO})

    def partition(self, table: Table, progress: Progress = lambda share: None, draws: Draws = SECRET) -> Partition:
        """Grow a tree of certain cuts, deal its leaves."""
        settled = self.resolve(table)
        rule = rule_of(settled, "tau", "limit")
        columns = list(sensitive_columns(table, self.key).values())
        value = columns[0] if len(columns) == 1 else dense_rank(columns)
        pairs = np.empty((int(value.max()) + 1, len(columns) if len(columns) > 1 else 0), np.int64)
        if len(columns) > 1:
            pairs[value] = np.column_stack(columns)
        rows, roots = rows_along_curve(table, value, draws)
        group = np.empty(table.n, np.int64)

        def grow(matrix, spare, nodes, first, numbers, children):
            return grow_blindly(rows.loss, rule, matrix, spare, pairs, nodes, first, numbers, group, children)

        grown(rows, grow, roots, draws, progress)
        return rows.partition(group)


def refuse_large_shares(algorithm: Algorithm, *names: str) -> None:
    """A share is at most 1: the proofs need it. And not too fine, so that products of counts fit 63 bits."""
    for name in names:
        share = getattr(algorithm, name)
        if share != AUTO and (share > 1 or share.denominator > FINEST):
            raise ParameterError(
                "not an accepted value",
                where=f"parameter {name}",
                rule=f"a share: at most 1, in parts of 1/{FINEST} or coarser",
            )


def rule_of(settled: Algorithm, *shares: str, exact: bool = True) -> Rule:
    """What kernels need of settings that are fixed, those that are shares by name; fractions as pairs of whole
    numbers, so that every test is exact."""
    values = {name: Fraction(getattr(settled, name)) for name in shares}
    pairs = {name: (share.numerator, share.denominator) for name, share in values.items()}
    return NEVER_CUT._replace(ell=int(settled.l), least=int(settled.least), exact=exact, **pairs)  # type: ignore


def resolved_by_layers(wanted: int | str, table: Table, columns: dict[str, Codes]) -> int:
    """The l that was wanted, or the largest that the table and its smallest layer allow; refuses what they do not.
    Looks at counts and persons only."""
    asked = None if wanted == AUTO else int(wanted)
    ell = feasible_l(asked, {name: np.bincount(codes) for name, codes in columns.items()}, suppressing=None)
    one_block = np.zeros(table.n, np.int64)
    reach = int(largest_l_of_blocks(one_block, list(columns.values()), table.persons)[0])
    if reach < (asked or 2):
        refuse_layers(table, asked or 2, reach)
    return asked or min(ell, reach)
