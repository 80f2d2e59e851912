"""`rda` on a cluster: rows are drawn to cells, and every cell is dealt by the local algorithm.

Only the promise equals the local one: which rows meet is drawn either way, but here groups do not cross cells.
"""

from dataclasses import replace
from typing import Any, cast

from voile.algorithms.streamliner.rda import Rda
from voile.core.algorithm import Algorithm
from voile.core.eligibility import feasible_l
from voile.core.parameters import AUTO
from voile.core.schema import Role
from voile.errors import ParameterError
from voile.spark.cells import local_run
from voile.spark.planned import Planned
from voile.spark.random_cells import many_cells, random_cells, values_of
from voile.spark.spread import Spread


def plan(spread: Spread, algorithm: Algorithm, most: int) -> Planned:
    """Cells of at most `most` rows."""
    if cast(Rda, algorithm).blocks:
        raise ParameterError(
            "blocks", where="--engine spark", rule="cells are drawn from the whole table", remedy="leave them out"
        )
    return dealt(spread, algorithm, most)


def dealt(spread: Spread, algorithm: Any, most: int) -> Planned:
    """Cells drawn as groups are, grouped by an algorithm that draws its groups (`rda`, `anatomy`)."""
    values = values_of(spread)
    name = next(c.name for c in spread.layout.columns if c.role == Role.SENSITIVE)
    ell = feasible_l(None if algorithm.l == AUTO else int(algorithm.l), {name: values.counts}, suppressing=None)
    cells = many_cells(values.counts, ell, most)
    settled = replace(algorithm, l=ell)
    return Planned(random_cells(spread, values, ell, cells), local_run(settled), settled)
