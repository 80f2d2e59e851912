"""Cuts between two codes, decided on the driver: exactly those of kernels/mondrian.py, told by how often each
value occurs at each code of a column. No cut parts rows that look alike: their tree is a function of the table.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from voile.core.information_loss import loss_of
from voile.core.table import Table
from voile.errors import BeyondReach
from voile.kernels.bin_tables import shift_of
from voile.kernels.loss import Loss, side_cost
from voile.kernels.mondrian import FREE_BINS
from voile.kernels.stop_rule import StopRule, keeps
from voile.spark.nodes import Nodes
from voile.spark.places import AFTER_ALL
from voile.spark.random_cells import Values
from voile.spark.spread import Batch, Codes, Spread
from voile.spark.upper_tree import frame_of, in_the_middle

KEYS = 2**62  # that may be told apart


class Counted(NamedTuple):
    """A column of a node: how many rows there are of each code and value, in the order of both.

    >>> own = Counted(code=np.array([2, 2, 5]), value=np.array([0, 1, 1]), rows=np.array([3, 1, 4]))
    >>> own.bag_below(5, 2).tolist(), [part.tolist() for part in own.by_code()]
    ([3, 1], [[2, 5], [4, 4]])
    """

    code: Codes
    value: Codes
    rows: Codes

    def by_code(self) -> tuple[Codes, Codes]:
        """The codes, and the rows of each."""
        first = np.flatnonzero(np.diff(self.code, prepend=self.code[0] - 1))
        return self.code[first], np.add.reduceat(self.rows, first)

    def bag_below(self, code: int, values: int) -> Codes:
        """The rows of each value whose code is below this one."""
        bag, end = np.zeros(values, np.int64), np.searchsorted(self.code, code)
        np.add.at(bag, self.value[:end], self.rows[:end])
        return bag


class CodeCut(NamedTuple):
    """Rows of a column below the code go left; their values are counted."""

    column: int
    code: int
    left: Codes


Chooser = Callable[[Codes, list[Counted]], CodeCut | None]  # by the bag of a node and its columns


class CodeTree(Nodes):
    """Nodes that are cut between codes."""

    def __init__(self, spread: Spread, values: Values) -> None:
        super().__init__(spread, values)
        loss = loss_of(Table(spread.layout.columns), spread.layout.n)[0]
        self.frame = frame_of(spread, values)._replace(loss=loss)
        self.column, self.code, self.child = [0], [int(AFTER_ALL)], [0]  # a node that is not cut is its own child
        self.depth = 0

    def placer(self) -> Callable[[Batch], Codes]:
        """Rows walk down the cuts."""
        frame, depth = self.frame, self.depth
        column, code, child = (np.array(part, np.int64) for part in (self.column, self.code, self.child))

        def node_of(batch: Batch) -> Codes:
            codes = frame.codes(batch)
            rows = np.arange(codes.shape[1])
            node = np.zeros_like(rows)
            for _ in range(depth):
                node = child[node] + (codes[column[node], rows] >= code[node])
            return node

        return node_of

    def leaves(self) -> list[int]:
        """The nodes that are not cut."""
        return [node for node, child in enumerate(self.child) if child == node]

    def grow(self, most: int, choose: Chooser) -> list[int]:
        """Cut nodes of more than `most` rows; returns those that stay larger since nothing in them can be cut."""
        due, stuck = [0] if self.size(0) > most else [], []
        while due:
            self.depth += 1
            first = self.nodes
            for node, columns in self._counted(due).items():
                cut = choose(self.bags[node], columns)
                if cut is None:
                    stuck.append(node)
                else:
                    self._cut(node, cut)
            due = [node for node in range(first, self.nodes) if self.size(node) > most]
        return stuck

    def _cut(self, node: int, cut: CodeCut) -> None:
        self.column[node], self.code[node], self.child[node] = cut.column, cut.code, self.nodes
        for bag in (cut.left, self.bags[node] - cut.left):
            self.child.append(self.nodes)
            self.bags.append(bag)
            self.column.append(0)
            self.code.append(int(AFTER_ALL))

    def _counted(self, nodes: list[int]) -> dict[int, list[Counted]]:
        """The columns of these nodes."""
        frame, values, node_of = self.frame, self.values, self.placer()
        which = np.full(self.nodes, -1, np.int64)
        which[nodes] = np.arange(len(nodes))
        columns, many, codes = len(frame.names), values.present.size, self._codes()
        if len(nodes) * columns * codes * many >= KEYS:
            raise BeyondReach(
                "too many codes and values to count them by number",
                where="cluster",
                rule="parts times columns times codes times values stay below 2**62",
                remedy="let cells have more rows, or declare coarser columns",
            )

        def keys(batch: Batch) -> Codes:
            own = which[node_of(batch)]
            rows = np.flatnonzero(own >= 0)
            line = own[rows] * columns + np.arange(columns)[:, None]
            seen = {name: batch[name][rows] for name in (*frame.names, values.name)}
            return ((line * codes + frame.codes(seen)) * many + values.of(seen)).reshape(-1)

        found, counts = self.spread.tally(keys)
        line, code, value = found // (codes * many), found // many % codes, found % many
        ends = np.searchsorted(line, np.arange(len(nodes) * columns + 1)).tolist()
        parts = [Counted(code[a:b], value[a:b], counts[a:b]) for a, b in pairwise(ends)]
        return {node: parts[i * columns : (i + 1) * columns] for i, node in enumerate(nodes)}

    def _codes(self) -> int:
        """How many codes a column has at most."""
        layout, frame = self.spread.layout, self.frame
        wide = np.array([layout.most[name] for name in frame.names]) - frame.low
        return 1 + int((wide >> frame.coarse).max())


def mondrian_cuts(loss: Loss, rule: StopRule, free: bool, trees_first: bool = False) -> Chooser:
    """The cuts of kernels/mondrian.py: in the middle of the costliest column that can be cut there, both sides
    keeping the promise; failing that, if `free`, where most is saved. With `trees_first` axes are tried last."""

    def choose(bag: Codes, columns: list[Counted]) -> CodeCut | None:
        size, held = int(bag.sum()), np.flatnonzero(bag)
        if size < 2 * rule.least:
            return None
        cost = np.array([side_cost(loss, j, own.code[0], own.code[-1]) for j, own in enumerate(columns)], np.int64)
        turn = sorted(np.flatnonzero(cost).tolist(), key=lambda j: (trees_first and j < loss.step.size, -cost[j]))
        ways = [(j, cut.code) for j in turn for cut in in_the_middle(j, *columns[j].by_code(), False, 1)]
        if free:
            ways += _anywhere(loss, size, cost, turn, columns)
        for j, code in ways:
            left = columns[j].bag_below(code, bag.size)
            below = int(left.sum())
            if keeps(rule, left, held, below) and keeps(rule, bag - left, held, size - below):
                return CodeCut(j, code, left)
        return None

    return choose


def _anywhere(
    loss: Loss, size: int, cost: Codes, turn: list[int], columns: list[Counted]
) -> list[tuple[int, int]]:
    """Cuts between two bins, that which saves most first; of equal ones the first that the kernel would meet."""
    found: list[tuple[int, int, int, int]] = []
    for j in turn:
        code = columns[j].code
        low, high = code[0], code[-1]
        bins = (code - low) >> shift_of(high - low, FREE_BINS)
        upto = np.cumsum(columns[j].rows)
        for at in (np.flatnonzero(np.diff(bins)) + 1).tolist():
            left = int(upto[at - 1])
            saved = size * int(cost[j]) - left * int(side_cost(loss, j, low, code[at - 1]))
            saved -= (size - left) * int(side_cost(loss, j, code[at], high))
            if saved > 0:
                found.append((-saved, len(found), j, int(code[at])))
    return [(j, code) for _, _, j, code in sorted(found)]
