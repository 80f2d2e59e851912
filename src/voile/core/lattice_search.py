"""The search of a lattice of full-domain generalizations for those that keep a promise (LeFevre et al. 2005).

Nodes are looked at as Incognito does: first those with one column below *, then two, and so on, each time from the
finest up.

* Roll-up: a node's counts are sums of those of a node one step finer, the one with the fewest counts that is at
  hand; or else of the finest. No other can be at hand: who was not looked at was tagged, with all that is finer.
* Predictive tagging: what is above a node that passes passes, since groups only merge.
* Subset pruning: a subset of columns is the node with all others at *, which lies above every node with these
  columns on these levels. So what fails on a subset fails with more columns: all below a node that fails fails.

With suppression a node passes if the groups that fail are few rows, and the two rules need care. They stay true
of a promise that a union of groups keeps if one of them does (k-anonymity, distinct l-diversity): going up, no row
is newly suppressed. Of others they do not: a good group may meet a bad one and fail. There is no tagging then, and
pruning goes by a necessary promise of the first kind.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.algorithm import Progress
from voile.core.axis import Axis
from voile.core.bags import Bags
from voile.core.certainty_penalty import column_penalty, leaf_share, share_beyond_first
from voile.core.frequency_set import FrequencySet, Levels
from voile.core.privacy_model import PrivacyModel

Mask = NDArray[np.bool_]
PENALTIES = {"gcp_leaves": leaf_share, "gcp_minus1": share_beyond_first}
LOSSES = (*PENALTIES, "dm", "aecs", "height")
MOST_ENTRIES = 2**23  # counts that are kept to roll up from
UNKNOWN, FAILS, PASSES = 0, 1, 2


class LatticeSearch:
    """What is known of each node, as an array over the levels of the columns that have several; `most` rows may be
    suppressed.

    `wanted` survives the merging of groups. Every group that keeps it keeps `necessary`, as does every union of
    groups one of which keeps `necessary`.
    """

    def __init__(self, finest: FrequencySet, wanted: PrivacyModel, necessary: PrivacyModel, most: int = 0) -> None:
        self.wanted, self.necessary, self.most = wanted, necessary, most
        self.highest = finest.domain.highest
        self._several = [j for j, highest in enumerate(self.highest) if highest]
        self.known = np.full([self.highest[j] + 1 for j in self._several], UNKNOWN, np.int8)
        self.counted: list[Levels] = []  # nodes that were looked at, in turn
        self.fewest: int | None = None  # rows that one of them gives up, if any passes
        self.finest = finest
        self._kept = {finest.levels: finest}
        self._entries = finest.entries
        self._monotone = most == 0 or wanted == necessary

    def run(self, progress: Progress = lambda share: None) -> None:
        """Tag every node."""
        tops = [top - 1 for top in self.known.shape]
        nodes = np.ndindex(*self.known.shape)
        below = {node: sum(map(int.__lt__, node, tops)) for node in nodes}
        order = sorted(below, key=lambda node: (below[node], sum(node), node))
        for done, node in enumerate(order):
            if self.known[node] == UNKNOWN:
                self._judge(node)
                progress(done / len(order))

    def passing(self) -> list[Levels]:
        """The levels of every node that passes."""
        return [self._levels(node) for node in np.argwhere(self.known == PASSES).tolist()]

    def _levels(self, node: Sequence[int]) -> Levels:
        """The levels of all columns in a node."""
        levels = [0] * len(self.highest)
        for j, level in zip(self._several, node, strict=True):
            levels[j] = level
        return tuple(levels)

    def _judge(self, node: Levels) -> None:
        """Look at a node, and tag what follows from it."""
        levels = self._levels(node)
        bags = self.frequency_set(levels).bags
        self.counted.append(levels)
        below = tuple(slice(0, level + 1) for level in node)
        above = tuple(slice(level, None) for level in node)
        if not self._monotone and self._given_up(self.necessary, bags) is None:
            self.known[below] = FAILS
            return
        rows = self._given_up(self.wanted, bags)
        passes = rows is not None
        if rows is not None:
            self.fewest = rows if self.fewest is None else min(self.fewest, rows)
        where = (above if passes else below) if self._monotone else node
        self.known[where] = PASSES if passes else FAILS

    def _given_up(self, model: PrivacyModel, bags: Bags) -> int | None:
        """How many rows are in groups that break a promise; None if these are too many, or all."""
        broken = model.broken(bags)
        rows = int(bags.sizes[broken].sum())
        return None if broken.all() or rows > self.most else rows

    def frequency_set(self, levels: Levels) -> FrequencySet:
        """That of a node, rolled up from the smallest one at hand that is finer."""
        if levels in self._kept:
            return self._kept[levels]
        finer = (self._kept[below] for below in _one_step_below(levels) if below in self._kept)
        found = min(finer, key=lambda one: one.entries, default=self.finest).rolled_up(levels)
        if self._entries + found.entries <= MOST_ENTRIES:
            self._kept[levels] = found
            self._entries += found.entries
        return found

    def best(self, by: str) -> FrequencySet | None:
        """The node that passes with the least loss; of equal ones that with fewer steps up, then with the steps in
        earlier columns. None if no node passes."""
        least, passing = self._least_losses(by), self.known == PASSES
        if self.most == 0 and all(a <= b for losses in least for a, b in itertools.pairwise(losses)):
            passing = minimal(passing)  # no step up loses less; one could, where intervals have a least width
        nodes = [self._levels(node) for node in np.argwhere(passing).tolist()]
        if not nodes:
            return None
        bound = {levels: sum(map(list.__getitem__, least, levels), Fraction(0)) for levels in nodes}
        rank = {levels: (sum(levels), tuple(-level for level in levels)) for levels in nodes}
        found: list[tuple[Fraction, int, Levels, Levels]] = []
        for levels in sorted(nodes, key=lambda levels: (bound[levels], *rank[levels])):
            if found and bound[levels] > found[0][0]:
                break
            found = [min([*found, (self.loss(levels, by), *rank[levels], levels)])]
        return self.frequency_set(found[0][-1])

    def _least_losses(self, by: str) -> list[list[Fraction]]:
        """What each column loses on each level if nothing is suppressed; 0 where losses are not sums of these. A
        suppressed cell loses 1, and so no less than on any level."""
        if by not in PENALTIES:
            return [[Fraction(0)] * (highest + 1) for highest in self.highest]
        whole = np.ones(self.finest.row.size, bool)
        on_level = []
        for level in range(max(self.highest) + 1):  # the finest groups, published more coarsely
            shown = replace(self.finest, levels=tuple(min(level, highest) for highest in self.highest))
            on_level.append(_column_losses(shown, whole, by))
        return [[on_level[level][j] for level in range(h + 1)] for j, h in enumerate(self.highest)]

    def good(self, node: FrequencySet) -> Mask:
        """Which groups of a node that passes keep the promise; the others are suppressed."""
        return ~self.wanted.broken(node.bags) if self.most else np.ones(node.row.size, bool)

    def loss(self, levels: Levels, by: str) -> Fraction:
        """What a node that passes loses, exactly: one of LOSSES; certainty penalties are sums, not means."""
        if by == "height":
            return Fraction(sum(levels))
        found = self.frequency_set(levels)
        kept, every = self.good(found), found.bags.sizes
        sizes, rows = every[kept], int(every.sum())
        suppressed = rows - int(sizes.sum())
        if by == "dm":
            return Fraction(int((sizes * sizes).sum()) + suppressed * rows)
        if by == "aecs":
            return Fraction(rows - suppressed, sizes.size)
        weights = sum((column.weight for column in found.domain.table.quasi), Fraction(0))
        return sum(_column_losses(found, kept, by), suppressed * weights)


def _column_losses(node: FrequencySet, kept: Mask, by: str) -> list[Fraction]:
    """What each column loses in the groups that are kept, with its weight."""
    low, high = node.ends()
    losses = []
    for j, column in enumerate(node.domain.table.quasi):
        ends = low[kept, j], high[kept, j]
        if isinstance(column.domain, Axis):
            ends = column.domain.snap(*ends)
        penalty = column_penalty(column.domain, ends, node.bags.sizes[kept], PENALTIES[by])
        losses.append(column.weight * penalty)
    return losses


def _one_step_below(levels: Levels) -> Iterator[Levels]:
    """The levels of nodes one step finer in one column."""
    for j, level in enumerate(levels):
        if level:
            yield (*levels[:j], level - 1, *levels[j + 1 :])


def minimal(passing: Mask) -> Mask:
    """Nodes that pass and have no node one step below that passes.

    >>> minimal(np.array([[False, True], [True, True]])).tolist()
    [[False, True], [True, False]]
    """
    above = np.zeros_like(passing)
    for axis in range(passing.ndim):
        upper, lower = np.moveaxis(above, axis, 0)[1:], np.moveaxis(passing, axis, 0)[:-1]
        upper |= lower
    return passing & ~above
