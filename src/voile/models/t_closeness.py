"""t-closeness: the values of each group are distributed much like those of the whole table."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.bags import Bag, Bags, Domain
from voile.core.hierarchy import Hierarchy
from voile.core.order import distinct_values
from voile.core.parameters import parameter
from voile.core.privacy_model import PrivacyModel, Ratio, Ratios, undecided


@dataclass(frozen=True, kw_only=True)
class TCloseness(PrivacyModel):
    """Each group's values are within earth mover's distance t of the published table's (Li et al. 2007).

    Distance of two values: 1 (equal), steps between them over all steps (ordered, counting the values
    present), or height of their common ancestor over height of the root (hierarchical). `auto` takes
    what the column has. A column that lacks what was asked for is judged by the equal distance, which
    is never the smaller one.

    >>> bags = Bags.of(np.array([0, 0, 1, 1]), [np.array([1, 2, 1, 1])])
    >>> TCloseness(t=Fraction(1, 4)).check(bags)
    Verdict(ok=True, achieved=Fraction(1, 4), worst=0)
    """

    key = "t_closeness"
    symbol = "t"
    title = "t-closeness"
    paper = "Li et al. 2007"
    meaning = "the values of every group are distributed as in the table, up to an earth mover's distance of t"
    bound = "t"
    sense = "<="
    trivial = 1
    survives_merging = True  # the distance is convex, and the table's distribution stays

    t: Fraction = parameter("largest distance from the table's distribution", places=0)
    distance: str = parameter(
        "between two values", default="auto", choices=("auto", "equal", "ordered", "hierarchical")
    )

    def per_group(self, bags: Bags) -> Ratios:
        return [self._ratio(bag) for bag in bags.columns]

    def _ratio(self, bag: Bag) -> Ratio:
        if not bag.multiplies:
            return undecided(bag)
        if bag.whole.size < 2:
            return np.zeros_like(bag.totals), np.ones_like(bag.totals)
        if isinstance(bag.domain, Axis) and self.distance in ("auto", "ordered"):
            return _along_the_line(bag)
        tree = bag.domain
        if isinstance(tree, Hierarchy) and not tree.is_flat and self.distance in ("auto", "hierarchical"):
            return _through_the_tree(bag, tree)
        return _all_alike(bag)


def _all_alike(bag: Bag) -> Ratio:
    """What a group has too much of must move, each by 1: sum of max(0, c/n - C/N)."""
    everything = int(bag.whole.sum())
    excess = bag.counts * everything - bag.whole[bag.ranks] * bag.totals[bag.owner]
    return bag.fold(np.add, np.maximum(excess, 0)), bag.totals * everything


def _along_the_line(bag: Bag) -> Ratio:
    """What has piled up at each step of the line must cross it: sum of |cumulated c/n - C/N| / (m - 1).

    Between two values of a group its own sum stands still while the table's grows, so each such
    stretch is summed at once: up to where the table overtakes, and after.
    """
    everything, values = int(bag.whole.sum()), bag.whole.size
    below = np.cumsum(bag.whole)  # at each value: how much of the table is there or below
    piled = np.concatenate(([0], np.cumsum(below)))
    held = np.cumsum(bag.counts)  # at each value of a group: how much of the group is there or below
    held -= np.concatenate(([0], held))[bag.start[:-1]][bag.owner]
    here, after = bag.ranks, np.roll(bag.ranks, -1)
    after[bag.start[1:] - 1] = values
    total, first = bag.totals, here[bag.start[:-1]]
    overtaken = np.clip(np.searchsorted(below, held * everything // total[bag.owner], side="right"), here, after)
    if int(total.max()) * everything * values >= 2**62:  # Python's integers hold any sum
        piled, total, held = piled.astype(object), total.astype(object), held.astype(object)
    behind = held * everything * (2 * overtaken - here - after)
    ahead = total[bag.owner] * (piled[here] + piled[after] - 2 * piled[overtaken])
    moved = bag.fold(np.add, behind + ahead) + total * piled[first]
    return moved, total * everything * (values - 1)


def _through_the_tree(bag: Bag, tree: Hierarchy) -> Ratio:
    """Each node hands its excess to its parent: sum over nodes of |c/n - C/N| * length of the edge.

    Distance height / height of the root is that of walking up and down a tree whose edges are half
    as long as the difference of their heights. A node without rows of a group hands over C/N.
    """
    height, depth = _heights(tree)
    edge = height[np.maximum(tree.parent, 0)] - height
    everything = int(bag.whole.sum())
    table = np.zeros(tree.leaves + 1, np.int64)
    table[bag.present + 1] = bag.whole
    under = np.cumsum(table)
    whole = under[tree.high + 1] - under[tree.low]  # of each node
    inner = tree.parent >= 0
    moved = bag.totals * int((edge * whole)[inner].sum())
    node = bag.codes
    for level in range(int(depth.max()), 0, -1):
        counted = depth[node] == level
        first = np.ones(node.size, bool)
        first[1:] = (node[1:] != node[:-1]) | (bag.owner[1:] != bag.owner[:-1])
        first = np.flatnonzero(first)
        held = np.add.reduceat(bag.counts, first)
        of, mine = node[first], bag.owner[first]
        absent = whole[of] * bag.totals[mine]
        change = np.where(counted[first], edge[of] * (np.abs(held * everything - absent) - absent), 0)
        moved = moved + _sum_per_group(change, mine, moved.size)
        node = np.where(counted, tree.parent[node], node)
    return moved, 2 * int(height.max()) * everything * bag.totals


def _sum_per_group(values: NDArray[np.int64], group: NDArray[np.int64], groups: int) -> NDArray[np.int64]:
    """Sums of consecutive runs; every group has one."""
    return np.add.reduceat(values, np.searchsorted(group, np.arange(groups))) if groups else values[:0]


def _heights(tree: Hierarchy) -> tuple[NDArray[Any], NDArray[Any]]:
    """Of each node its height over the leaves and its depth under the root; parents follow children."""
    height, depth = np.zeros(tree.parent.size, np.int64), np.zeros(tree.parent.size, np.int64)
    parents = tree.parent.tolist()
    for node, parent in enumerate(parents):
        if parent >= 0:
            height[parent] = max(height[parent], height[node] + 1)
    for node in range(len(parents) - 1, -1, -1):
        if parents[node] >= 0:
            depth[node] = depth[parents[node]] + 1
    return height, depth


def spans_of(codes: NDArray[np.int64], domain: Domain) -> tuple[Any, Any, Any, int]:
    """The distance of a group from the table as a sum over spans of values, which are numbered in the order of
    their codes: first, after, weight and scale, so that it is the sum of weight * |c/n - C/N| / scale, c and C
    being what group and table have in a span. The distance is `auto`.

    >>> from voile.core.schema import Type
    >>> first, after, weight, scale = spans_of(np.array([3, 5, 9]), Axis(Type.INTEGER, 3, 9))
    >>> first.tolist(), after.tolist(), weight.tolist(), scale
    ([0, 0], [1, 2], [1, 1], 2)
    """
    present = distinct_values(codes)[0]
    values = np.arange(present.size)
    if isinstance(domain, Axis) and present.size > 1:
        return np.zeros_like(values[1:]), values[1:], np.ones_like(values[1:]), present.size - 1
    if isinstance(domain, Hierarchy) and not domain.is_flat and present.size > 1:
        height = _heights(domain)[0]
        inner = np.flatnonzero(domain.parent >= 0)
        edge = height[domain.parent[inner]] - height[inner]
        ends = np.searchsorted(present, domain.low[inner]), np.searchsorted(present, domain.high[inner], "right")
        return *ends, edge, 2 * int(height.max())
    return values, values + 1, np.ones_like(values), 2
