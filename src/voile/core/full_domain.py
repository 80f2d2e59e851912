"""Full-domain generalizations: each quasi-identifying column on one level of its taxonomy, in all rows alike.

Level 0 is a column as it is, its highest level is *; levels are those of the hierarchy file, as in ARX. A sequence
is decided from the quasi-identifiers alone.
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from voile.core.generalizations import Generalizations, distinct_functions
from voile.core.grouping_loss import Utility, grouping_loss
from voile.core.hierarchy import Hierarchy
from voile.core.order import dense_rank
from voile.core.table import Table
from voile.core.taxonomy import Taxonomy
from voile.errors import ParameterError

Groups = NDArray[np.int64]
MOST_COMBINATIONS = 2000  # of levels in a lattice


class FullDomain:
    """The levels of a table's quasi-identifying columns.

    >>> from voile.core.schema import Role
    >>> from voile.core.table import Column
    >>> tree = Hierarchy.from_lines([["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"], ["d", "y", "*"]])
    >>> letter = Column("letter", Role.QUASI_IDENTIFYING, tree, np.array([0, 1, 2]))
    >>> domain = FullDomain(Table([letter]))
    >>> domain.highest, domain.groups([1]).tolist(), domain.title([1])
    ((2,), [0, 0, 1], 'letter level 1')
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self._trees = [Taxonomy.of(column) for column in table.quasi]
        self._nodes = []  # of each row, on the levels of each column, fine to coarse
        for column, tree in zip(table.quasi, self._trees, strict=True):
            levels = column.domain.levels() if isinstance(column.domain, Hierarchy) else tree.levels()[::-1]
            self._nodes.append(levels[:, tree.leaf])

    @property
    def highest(self) -> tuple[int, ...]:
        """The highest level of each column."""
        return tuple(len(levels) - 1 for levels in self._nodes)

    def groups(self, levels: Sequence[int]) -> Groups:
        """The group of each row with each column on its level."""
        return dense_rank([nodes[level] for nodes, level in zip(self._nodes, levels, strict=True)])

    def groups_of(self, rows: Groups, levels: Sequence[int]) -> Groups:
        """The same for some rows alone."""
        told_apart = zip(self._nodes, levels, self.highest, strict=True)
        columns = [nodes[level][rows] for nodes, level, highest in told_apart if level < highest]
        return dense_rank(columns) if columns else np.zeros(rows.size, np.int64)

    def boxes_of(self, rows: Groups, levels: Sequence[int]) -> tuple[Groups, Groups]:
        """The least and the greatest code under the node of each of some rows, in each column on its level."""
        nodes = [nodes[level][rows] for nodes, level in zip(self._nodes, levels, strict=True)]
        pairs = list(zip(self._trees, nodes, strict=True))
        low = np.column_stack([tree.first[node] for tree, node in pairs])
        return low, low + np.column_stack([tree.size[node] for tree, node in pairs]) - 1

    def title(self, levels: Sequence[int]) -> str:
        """Which level each column is on, in words."""
        named = zip(self.table.quasi, levels, strict=True)
        return ", ".join(f"{column.name} level {level}" for column, level in named)


def level_chain(table: Table, utility: Utility) -> Generalizations:
    """`levels`: from every column as it is to every column *, one column one level up at a time: the one whose
    step loses least, the first of several. A function that groups the rows like the one before is dropped."""
    domain = FullDomain(table)
    levels = (0,) * len(domain.highest)
    chain = [(domain.groups(levels), domain.title(levels))]
    while levels != domain.highest:
        steps = []
        for j, highest in enumerate(domain.highest):
            if levels[j] < highest:
                raised = (*levels[:j], levels[j] + 1, *levels[j + 1 :])
                groups = domain.groups(raised)
                steps.append((grouping_loss(table, groups, utility), j, raised, groups))
        _, _, levels, groups = min(steps, key=lambda step: step[:2])
        chain.append((groups, domain.title(levels)))
    return distinct_functions(chain)


def lattice(table: Table, utility: Utility) -> Generalizations:
    """`lattice`: every combination of levels, the least loss first; of equal ones that with fewer steps up, then
    with the steps in the earlier columns. What groups the rows like one before is dropped."""
    domain = FullDomain(table)
    combinations = math.prod(highest + 1 for highest in domain.highest)
    if combinations > MOST_COMBINATIONS:
        raise ParameterError(
            f"{combinations} combinations of levels",
            where="parameter sequence",
            rule=f"a lattice has at most {MOST_COMBINATIONS}",
            remedy="use sequence=levels or cuts, hierarchies with fewer levels, or fewer columns",
        )
    found = []
    for levels in itertools.product(*(range(highest + 1) for highest in domain.highest)):
        groups = domain.groups(levels)
        upwards = tuple(-level for level in levels)
        found.append((grouping_loss(table, groups, utility), sum(levels), upwards, groups, domain.title(levels)))
    found.sort(key=lambda one: one[:3])
    return distinct_functions([(groups, title) for *_, groups, title in found])
