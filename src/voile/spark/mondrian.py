"""`mondrian` on a cluster: large parts are cut by counts, smaller ones by the local algorithm.

Its partition equals the local one: strict cuts are a function of the counts of codes and values, costs and promise
are those of the whole table everywhere, and no cut looks beyond its part.
"""

from dataclasses import replace
from typing import cast

import numpy as np

from voile.algorithms.mondrian import Mondrian
from voile.algorithms.nearest_promise import require_of
from voile.core.algorithm import Algorithm
from voile.core.bags import Bag
from voile.core.draws import Draws
from voile.core.partition import Partition
from voile.core.schema import Role
from voile.core.table import Table
from voile.errors import ParameterError, counted
from voile.spark.cells import as_it_is, by_kind
from voile.spark.code_cuts import CodeTree, mondrian_cuts
from voile.spark.planned import Planned
from voile.spark.random_cells import values_of
from voile.spark.spread import Spread


def plan(spread: Spread, algorithm: Algorithm, most: int) -> Planned:
    """Cells of at most `most` rows, or of one group."""
    asked = cast(Mondrian, algorithm)
    if asked.mode == "relaxed":
        raise ParameterError(
            "mode=relaxed",
            where="--engine spark",
            rule="it parts rows that look alike by their place among all rows, which nobody knows on a cluster",
            remedy="use mode=strict",
        )
    values = values_of(spread)
    column = next(c for c in spread.layout.columns if c.role == Role.SENSITIVE)
    whole = Bag(np.array([0, values.counts.size]), values.present, values.counts, column.domain)
    require_of(asked, whole, column.name)
    rule = asked.stop_rule(replace(column, codes=values.present), values.counts)
    tree = CodeTree(spread, values)
    stuck = tree.grow(most, mondrian_cuts(tree.frame.loss, rule, asked.cuts == "free"))

    def goes_on(cell: int, table: Table, draws: Draws) -> Partition:
        return asked.partition_below(table, whole)

    uncut = np.zeros(tree.nodes, np.int64)
    uncut[stuck] = 1
    announced = f"{counted(len(stuck), 'group')} of more than {most} rows, in which nothing can be cut"
    return Planned(tree.placer(), by_kind((goes_on, as_it_is), uncut), asked, announced if stuck else "")
