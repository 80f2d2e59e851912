"""The upper part of a tree of cuts, planned on the driver: what executors need to walk a row down to its cell.

A level of the tree cuts some nodes. A cut sets rows aside that drew a low number among those of their value, and
parts the others at a code; rows at the code go left in the order of the curve, rows that look alike in a drawn
order.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.information_loss import loss_of
from voile.core.schema import Role
from voile.core.table import Table
from voile.kernels.blind_cuts import NOWHERE, PAIRS, Cut, judged, new_room, pick_pairs
from voile.kernels.loss import Loss
from voile.kernels.spread import NO_CUT, descend
from voile.spark.nodes import Nodes
from voile.spark.places import bounds_at
from voile.spark.random_cells import Values
from voile.spark.spread import Batch, Codes, Spread

CURVE = "curve"  # the column with the place of each row along it
LOOKS = 10  # a cut of many rows is judged by so many times as many pairs as a local one
SAMPLE = LOOKS * 2 * PAIRS  # rows by which a cut is judged, about


class Level(NamedTuple):
    """The cuts of one level, by node; nodes without one have no column."""

    drawn: Callable[[Batch], Codes] | None  # None: nothing is set aside
    column: Codes
    code: Codes
    tie_curve: Codes
    tie_drawn: Codes
    below: NDArray[np.int64]  # by node and value: who drew less is set aside
    children: NDArray[np.int64]  # by node: of rows set aside, of the left part, of the right part


class Frame(NamedTuple):
    """How rows are seen by all cuts: columns as the losses order and count them, the drawn order of rows that look
    alike."""

    loss: Loss
    names: tuple[str, ...]
    low: Codes
    coarse: Codes
    values: Values
    alike: Callable[[Batch], Codes]

    def codes(self, batch: Batch) -> NDArray[np.int64]:
        """One line of codes per column."""
        return np.stack(
            [(batch[name].astype(np.int64) - self.low[j]) >> self.coarse[j] for j, name in enumerate(self.names)]
        )


def frame_of(spread: Spread, values: Values) -> Frame:
    """The columns as `loss_of` orders them: axes first."""
    layout = spread.layout
    quasi = layout.names(Role.QUASI_IDENTIFYING)
    axes = [n for n in quasi if isinstance(layout.columns[int(n[1:])].domain, Axis)]
    names = (*axes, *(n for n in quasi if n not in axes))
    low = np.array([layout.least[n] if n in axes else 0 for n in names], np.int64)
    wide = np.array([layout.most[n] - a if n in axes else 0 for n, a in zip(names, low.tolist(), strict=True)])
    coarse = np.array([max(0, int(w).bit_length() - 30) for w in wide], np.int64)
    loss = loss_of(Table(layout.columns))[0]
    return Frame(loss, names, low, coarse, values, spread.draw(lambda batch: batch[CURVE]))


class Tree(Nodes):
    """Nodes, the levels that cut them, and where every row stands."""

    def __init__(self, spread: Spread, values: Values) -> None:
        super().__init__(spread, values)
        self.frame = frame_of(spread, values)
        self.levels: list[Level] = []

    def placer(self, *more: Level) -> Callable[[Batch], Codes]:
        """What tells the node of each row, as far as the tree has grown, and `more` levels below it."""
        frame, levels = self.frame, (*self.levels, *more)

        def node_of(batch: Batch) -> Codes:
            node = np.zeros(batch[frame.values.name].size, np.int64)
            if not levels:
                return node
            codes, value, alike = frame.codes(batch), frame.values.of(batch), frame.alike(batch)
            curve = batch[CURVE].astype(np.int64)
            for level in levels:
                drawn = np.zeros_like(node) if level.drawn is None else level.drawn(batch)
                descend(codes, value, curve, alike, drawn, node, *level[1:])
            return node

        return node_of

    def histograms(
        self, nodes: list[int], node_of: Callable[[Batch], Codes]
    ) -> dict[tuple[int, int], tuple[Codes, Codes]]:
        """The codes of each column in each of these nodes, with their counts."""
        frame, which = self.frame, np.full(self.nodes + 1, -1, np.int64)
        which[nodes] = np.arange(len(nodes))
        columns = len(frame.names)

        def keys(batch: Batch) -> Codes:
            own = which[node_of(batch)]
            rows = np.flatnonzero(own >= 0)
            codes = frame.codes(batch)[:, rows]
            line = (own[rows] * columns)[None, :] + np.arange(columns)[:, None]
            return ((line << 32) | codes).reshape(-1)

        found, counts = self.spread.tally(keys)
        lines = found >> 32
        ends = np.searchsorted(lines, np.arange(len(nodes) * columns + 1))
        return {
            (node, j): (found[slice(*part)] & (2**32 - 1), counts[slice(*part)])
            for i, node in enumerate(nodes)
            for j in range(columns)
            for part in [ends[[i * columns + j, i * columns + j + 1]].tolist()]
        }

    def samples(self, nodes: list[int], node_of: Callable[[Batch], Codes]) -> dict[int, Batch]:
        """Some rows of each of these nodes along the curve, without their values."""
        frame, names = self.frame, self.spread.layout.names()
        share = np.zeros(self.nodes + 1)
        share[nodes] = [SAMPLE / max(1, self.size(node)) for node in nodes]
        pick = None if (share[nodes] >= 1).all() else self.spread.draw(lambda batch: np.zeros_like(batch[CURVE]))

        def rows(batch: Batch) -> Batch:
            node = node_of(batch)
            taken = share[node] >= 1
            if pick is not None:
                taken |= pick(batch) < share[node] * 2.0**63
            found = {name: batch[name][taken].astype(np.int64) for name in names}
            return {**found, "node": node[taken], CURVE: batch[CURVE][taken], "alike": frame.alike(batch)[taken]}

        seen = self.spread.some(rows)
        order = np.lexsort((seen["alike"], seen[CURVE]))
        return {node: {n: seen[n][order][seen["node"][order] == node] for n in names} for node in nodes}

    def level(
        self, drawn: Callable[[Batch], Codes] | None, below: dict[int, Codes], cuts: dict[int, Cut]
    ) -> Level:
        """Cuts of nodes, not made yet; `below` says of each node who is set aside. Children are numbered from the
        next node on: of each node the rows set aside, the left part, the right part."""
        nodes = self.nodes + 3 * len(below)
        column, code = np.full(nodes, NO_CUT, np.int64), np.zeros(nodes, np.int64)
        ties = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64)
        lows, children = np.zeros((nodes, self.values.present.size), np.int64), np.zeros((nodes, 3), np.int64)
        for i, node in enumerate(below):
            children[node] = self.nodes + 3 * i + np.arange(3)
            lows[node] = below[node]
            if node in cuts:
                column[node], code[node] = cuts[node].column, cuts[node].code
        level = Level(drawn, column, code, *ties, lows, children)
        self._break_ties(level, cuts)
        return level

    def grow(self, level: Level) -> None:
        """Make the cuts of a level, and count its nodes again."""
        self.levels.append(level)
        born = level.column.size - self.nodes
        changed = [*np.flatnonzero(level.children[:, 2]).tolist(), *range(self.nodes, self.nodes + born)]
        which = np.full(level.column.size, -1, np.int64)
        which[changed] = np.arange(len(changed))
        values, node_of = self.values, self.placer()

        def keys(batch: Batch) -> Codes:
            own = which[node_of(batch)]
            rows = own >= 0
            return own[rows] * values.present.size + values.of(batch)[rows]

        found, counts = self.spread.tally(keys)
        bags = np.zeros(len(changed) * values.present.size, np.int64)
        bags[found] = counts
        self.bags.extend([values.counts] * born)
        for node, bag in zip(changed, bags.reshape(len(changed), -1), strict=True):
            self.bags[node] = bag

    def _break_ties(self, level: Level, cuts: dict[int, Cut]) -> None:
        """Find the place along the curve before which rows at the code go left."""
        frame, before = self.frame, self.placer()
        tied = [node for node, cut in cuts.items() if cut.ties > 0]
        if not tied:
            return
        which = np.full(level.column.size, -1, np.int64)
        which[tied] = np.arange(len(tied))
        drawn = level.drawn

        def order(batch: Batch) -> tuple[Codes, Codes, Codes]:
            node, codes = before(batch), frame.codes(batch)
            at = codes[np.maximum(level.column[node], 0), np.arange(node.size)] == level.code[node]
            if drawn is not None:
                at &= drawn(batch) >= level.below[node, frame.values.of(batch)]
            return np.where(at, which[node], -1), batch[CURVE].astype(np.int64), frame.alike(batch)

        sizes = np.array([cuts[node].run for node in tied], np.int64)
        ranks = np.array([cuts[node].ties for node in tied], np.int64)
        bound = bounds_at(self.spread, order, sizes, np.arange(len(tied)), ranks)
        level.tie_curve[tied], level.tie_drawn[tied] = bound.first, bound.second


def best_cut(frame: Frame, sample: Batch, columns: list[tuple[Codes, Codes]], exact: bool, between: int) -> Cut:
    """The cut that kernels/blind_cuts.py takes, of a node whose codes are counted by column; judged by a sample of
    its rows along the curve. Its column is NOWHERE if there is none, its code then the only one of the first
    column."""
    size = int(columns[0][1].sum())
    rows = frame.codes(sample).T.astype(np.int32)
    many_rows = len(rows) >= SAMPLE // 2
    looks = [np.ascontiguousarray(rows[k::LOOKS]) for k in range(LOOKS)] if many_rows else [rows.copy("C")]
    cuts = [
        cut
        for j, (codes, counts) in enumerate(columns)
        if codes.size > 1
        for cut in in_the_middle(j, codes, counts, exact, between)
    ]
    costs = np.zeros(len(cuts))
    for own in looks:
        room, many = new_room(), len(own)
        pairs = pick_pairs(frame.loss, room, own, 0, many, own.shape[1])
        for i, cut in enumerate(cuts):
            scaled = cut._replace(left=cut.left * many // size)
            costs[i] += judged(room, own, 0, many, scaled, pairs)
    return cuts[int(np.argmin(costs))] if cuts else Cut(NOWHERE, int(columns[0][0][0]), 0, 0, 0)


def in_the_middle(j: int, codes: Codes, counts: Codes, exact: bool, between: int) -> list[Cut]:
    """Cuts of a column: exactly in the middle, and between two codes, as kernels/blind_cuts.py makes them."""
    upto_all = np.cumsum(counts)
    size = int(upto_all[-1])
    place = int(np.searchsorted(2 * upto_all, size))  # the first code with half of the rows up to it
    code, upto = int(codes[place]), int(upto_all[place])
    below = upto - int(counts[place])
    cuts = [Cut(j, code, size // 2 - below, upto - below, size // 2)] if exact else []
    at_code = below == 0 or (upto < size and 2 * upto - size < size - 2 * below)
    left = upto if at_code else below
    if between <= left <= size - between:
        cuts.append(Cut(j, code + at_code, 0, 1, left))
    return cuts
