"""What must be looked at to know a disclosure set: decided from the functions and the strategy alone.

To know which tables arrive at a target, most functions need only be tested: a table that passes one on its face is
disclosed, or jumps over the target. The disclosure sets that matter, *needed*, are those from which a table may
still arrive (docs/facts/k_jump.md, section 4.3). Rows that no needed function tells apart share a *cell*; tested
functions are finer than cells, or unions of them, or else cells are cut by them, too.

Two facts spare work. Every property here survives the merging of groups, so who fails a coarser function fails all
that refine it. And if the groups of a function look the same from all their rows (transitivity lemma, section
4.7), its disclosure set is as good as its permutation set.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from voile.core.generalizations import Generalizations, refines
from voile.core.order import dense_rank
from voile.theory.group_trees import GroupTree, tree_of
from voile.theory.set_properties import CrowdSize, SetProperty
from voile.theory.strategies import Strategy

Groups = NDArray[np.int64]
MOST_FINE = 16  # fine functions of a plan: each is a bit by which sets of them are numbered
_MOST_STATES = 10**5


@dataclass(frozen=True, repr=False, eq=False)
class SearchPlan:
    """For one target function, counted from 1. `tested` are the functions to be failed on their face, in order;
    those of them in `fine` have groups inside cells, and a bit each."""

    functions: tuple[Groups, ...]
    strategy: Strategy
    target: int
    needed: tuple[int, ...]
    tested: tuple[int, ...]
    cell: Groups  # of each row; cells of a component are neighbours
    component: Groups  # of each cell

    @cached_property
    def sizes(self) -> Groups:
        """Rows of each cell."""
        return np.bincount(self.cell)

    @cached_property
    def fine(self) -> tuple[int, ...]:
        """Tested functions with groups smaller than a cell."""
        return tuple(j for j in self.tested if self._inside[j].any())

    def bit(self, function: int) -> int:
        """The bit of a fine function, 0 for the others."""
        return 1 << self.fine.index(function) if function in self.fine else 0

    def refiners(self, function: int) -> int:
        """The bits of fine functions that fail where this one fails."""
        return self._refiners[function]

    @cached_property
    def _refiners(self) -> dict[int, int]:
        return {
            i: sum(self.bit(j) for j in self.fine if refines(self.functions[j - 1], self.functions[i - 1]))
            for i in range(1, self.target + 1)
        }

    def unions(self, function: int) -> list[Groups]:
        """The groups of a function that are unions of cells: the cells of each."""
        inside, groups = self._inside[function], self.functions[function - 1]
        of_cell = np.zeros(self.sizes.size, np.int64)
        of_cell[self.cell] = groups
        cells = np.arange(self.sizes.size)
        return [cells[(of_cell == g) & ~inside] for g in np.unique(of_cell[~inside])]

    def fine_in(self, cell: int) -> int:
        """The bits of the fine functions that have groups inside a cell."""
        return sum(self.bit(j) for j in self.fine if self._inside[j][cell])

    def tree(self, cell: int, bits: int) -> tuple[GroupTree, dict[int, tuple[GroupTree, ...]]]:
        """The groups of some fine functions inside a cell, and the kind of each row of it."""
        chosen = [self.functions[j - 1] for j in self.fine if bits & self.bit(j) and self._inside[j][cell]]
        return tree_of(np.flatnonzero(self.cell == cell), chosen)

    @cached_property
    def visited(self) -> tuple[int, ...]:
        """The sets of fine functions, as bits, that tables must have failed which arrive somewhere it matters; the
        set of all, where there are too many to list."""
        seen: set[tuple[int, int]] = set()
        stack = [(1, 0)]
        while stack:
            if len(seen) > _MOST_STATES and len(self.fine) > MOST_FINE:
                return ((1 << len(self.fine)) - 1,)
            state = stack.pop()
            if state in seen or state[0] > self.target:
                continue
            seen.add(state)
            j, bits = state
            if j == self.target:
                continue
            failed = bits & ~self.refiners(j)
            stack.append((j + 1, failed))
            if j in self.needed:
                stack.append((self.strategy.after(j), bits))
            elif self.bit(j):
                stack.append((j + 1, failed | self.bit(j)))
        return tuple(sorted({bits for j, bits in seen if j == self.target or j in self.needed}))

    @cached_property
    def _inside(self) -> dict[int, NDArray[np.bool_]]:
        """Whether each cell holds several groups, by function."""
        found = {}
        for j in (*self.needed, *self.tested, self.target):
            first = np.unique(dense_rank([self.cell, self.functions[j - 1]]), return_index=True)[1]
            found[j] = np.bincount(self.cell[first], minlength=self.sizes.size) > 1
        return found


def plan_for(
    sequence: Generalizations,
    wanted: SetProperty,
    strategy: Strategy,
    target: int,
    alike: tuple[bool, ...] | None = None,
) -> SearchPlan:
    """What to look at for the disclosure set of a function, or (n + 1) of the tables that end in nothing. `alike`:
    by function whether its rows look alike, where that is known already."""
    functions = (*sequence.functions, np.zeros(sequence.rows, np.int64))
    even = rows_alike(sequence, wanted) if alike is None else alike
    needed = tuple(
        j for j in range(2, target) if strategy.kind != "naive" and not even[j - 1] and strategy.after(j) <= target
    )
    tested = _worth_testing(functions, strategy, needed, target)
    apart = [functions[j - 1] for j in (*needed, target)]
    cell = _cut(dense_rank(apart), [functions[j - 1] for j in tested])
    component = _joined(apart)
    order = dense_rank([component, cell])
    of_cell = np.zeros(int(order.max(initial=-1)) + 1, np.int64)
    of_cell[order] = component
    return SearchPlan(functions, strategy, target, needed, tested, order, of_cell)


def rows_alike(sequence: Generalizations, wanted: SetProperty) -> tuple[bool, ...]:
    """Of each function, whether its disclosure sets are as good as its permutation sets, whatever the table."""
    return tuple(
        isinstance(wanted, CrowdSize) or looks_alike(sequence.functions[: i + 1]) for i in range(len(sequence))
    )


def _worth_testing(
    functions: tuple[Groups, ...], strategy: Strategy, needed: tuple[int, ...], target: int
) -> tuple[int, ...]:
    """The functions to be tested, without those that a coarser one stands for: one that nobody jumps over, and
    that comes before the next disclosure set to be judged."""
    tested = [j for j in range(1, target) if j not in needed]
    always = [j for j in tested if not any(m < j < strategy.after(m) for m in needed)]

    def stands_for(b: int, a: int) -> bool:
        one, other = functions[a - 1], functions[b - 1]
        if a == b or any(a < m < b for m in needed) or not refines(one, other):
            return False
        return a < b or not refines(other, one)

    return tuple(a for a in tested if not any(stands_for(b, a) for b in always))


def looks_alike(functions: tuple[Groups, ...]) -> bool:
    """The transitivity lemma for chains: whether the rows of every group of the last function are interchangeable,
    since the earlier functions that cut its groups are nested and each cuts a group into parts of one size.

    >>> binary = (np.array([0, 0, 1, 1]), np.array([0, 0, 0, 0]))
    >>> looks_alike(binary), looks_alike((np.array([0, 0, 0, 1]), binary[1]))
    (True, False)
    """
    last = functions[-1]
    finer = [f for f in functions[:-1] if not refines(last, f)]
    finer.sort(key=lambda groups: -int(groups.max()))
    nested = all(refines(a, b) for a, b in pairwise([*finer, last]))
    return nested and all(refines(last, np.bincount(f)[f]) for f in finer)


def _joined(functions: list[Groups]) -> Groups:
    """The component of each row: what hangs together by any of the functions."""
    component = np.arange(functions[0].size)
    while True:
        before = component
        for groups in functions:
            least = np.full(int(groups.max(initial=-1)) + 1, component.size, np.int64)
            np.minimum.at(least, groups, component)
            component = least[groups]
        if np.array_equal(before, component):
            return dense_rank([component])


def _cut(cell: Groups, tested: list[Groups]) -> Groups:
    """Cells, cut by those tested functions that are neither finer nor unions of them, or that cross inside."""
    while True:
        crossing = [f for f in tested if _cross(f, cell)]
        if not crossing:
            inside = [f for f in tested if not refines(cell, f)]
            crossing = [b for a, b in combinations(inside, 2) if _cross(a, b)]
        if not crossing:
            return cell
        cell = dense_rank([cell, crossing[0]])


def _cross(one: Groups, other: Groups) -> bool:
    """Whether two groups overlap of which none holds the other."""
    both = dense_rank([one, other])
    first, overlap = np.unique(both, return_index=True, return_counts=True)[1:]
    return bool(((overlap < np.bincount(one)[one[first]]) & (overlap < np.bincount(other)[other[first]])).any())
