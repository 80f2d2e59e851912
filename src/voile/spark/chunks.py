"""`elig` and `hilbert` on a cluster: the table is cut into chunks, and each is grouped by the local algorithm.

Chunks are cut as `mondrian` cuts, as long as they are too large and no value is too frequent for l on either side:
then every chunk allows l, and the local algorithm groups all of its rows. A chunk that cannot be cut is dealt at
random, by quotas that keep l possible. Categories are cut before numbers: a group of several categories costs much
anyway, so a cut between them parts few rows that would have met.

Only the promise equals the local one: groups do not cross chunks.
"""

from dataclasses import replace
from typing import cast

from voile.algorithms.elig import Elig
from voile.algorithms.hilbert import Hilbert
from voile.algorithms.mondrian import Mondrian
from voile.core.algorithm import Algorithm
from voile.core.eligibility import feasible_l
from voile.core.parameters import AUTO
from voile.core.schema import Role
from voile.errors import ParameterError, counted
from voile.spark.blind_cut import DEALT, GROWS, numbered_cells
from voile.spark.cells import local_run
from voile.spark.code_cuts import CodeTree, mondrian_cuts
from voile.spark.planned import Planned
from voile.spark.random_cells import values_of
from voile.spark.spread import Spread

SLIVER = 16  # no cut takes off less than one part in so many of a cell: each level of cuts is a job


def plan(spread: Spread, algorithm: Algorithm, most: int) -> Planned:
    """Cells of at most `most` rows."""
    asked = cast(Elig | Hilbert, algorithm)
    if asked.ineligible == "suppress":
        raise ParameterError(
            "ineligible=suppress",
            where="--engine spark",
            rule="the fewest rows that help are chosen in the whole table, and on a cluster none is given up",
            remedy="leave it out, or publish without --engine spark",
        )
    values = values_of(spread)
    column = next(c for c in spread.layout.columns if c.role == Role.SENSITIVE)
    ell = feasible_l(None if asked.l == AUTO else int(asked.l), {column.name: values.counts}, suppressing=None)
    rule = Mondrian(l=ell).stop_rule(replace(column, codes=values.present), values.counts)
    rule = rule._replace(least=max(ell, most // SLIVER))
    tree = CodeTree(spread, values)
    stuck = tree.grow(most, mondrian_cuts(tree.frame.loss, rule, free=True, trees_first=True))
    cell_of, _ = numbered_cells(tree, {n: DEALT if n in stuck else GROWS for n in tree.leaves()}, ell, most)
    settled = replace(asked, l=ell)
    announced = (
        f"{counted(len(stuck), 'part')} of more than {most} rows could not be cut: dealt to cells at random"
    )
    return Planned(cell_of, local_run(settled), settled, announced if stuck else "")
