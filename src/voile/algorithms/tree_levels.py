"""A tree over rows, grown level by level: what `glass`, `symb` and `blind_cut` have in common.

Rows stand along a Hilbert curve, rows that look alike in a drawn order, so that no step can see an order that
depends on who has what (docs/facts/safety.md section 9, point 1). A level draws one number for each row of its
nodes; kernels do the rest. Rows of one person are dealt to layers by who they belong to alone, and each layer has
a tree of its own.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.algorithms.hilbert import curve_order
from voile.algorithms.streamliner.rda import layers_of
from voile.core.algorithm import Progress
from voile.core.draws import Draws
from voile.core.information_loss import loss_of
from voile.core.order import dense_rank, order_of
from voile.core.partition import Partition
from voile.core.table import Table
from voile.kernels.loss import Loss
from voile.kernels.node_bags import GROWING, bounds_of_draws, lay_out, runs_of_alike
from voile.kernels.threads import Threads

Codes = NDArray[np.int64]
Grow = Callable[..., int]  # a kernel: rows, spare, nodes, first, numbers, children -> how many children


class Rows(NamedTuple):
    """Rows along the curve, as the kernels move them."""

    loss: Loss
    order: Codes  # row of the table at each place along the curve
    matrix: NDArray[np.int32]  # quasi-identifying codes in that order, sensitive value, place; trees permute it
    different: int  # sensitive values

    def values(self) -> NDArray[np.int32]:
        """Quasi-identifying codes along the curve; before a tree permutes the rows."""
        return np.ascontiguousarray(self.matrix[:, :-2])

    def partition(self, group: Codes) -> Partition:
        """The partition of the table by a group for each place along the curve; numbers may have gaps."""
        found = np.empty(self.order.size, np.int64)
        found[self.order] = dense_rank([group])
        return Partition(found)


def rows_along_curve(table: Table, value: Codes, draws: Draws) -> tuple[Rows, Codes]:
    """The rows of a table along the curve, layer by layer, and where layers begin (one more at the end). `value`
    are sensitive values numbered from 0."""
    loss, values, _ = loss_of(table)
    along = curve_order(values, loss.step.size)  # the same, however rows that look alike are mixed
    order, roots = draws.shuffled(runs_of_alike(values))[along], np.array([0, table.n])
    if table.persons is not None:
        layers = layers_of(table.persons, draws)
        number = np.empty(table.n, np.int64)
        for i, layer in enumerate(layers):
            number[layer] = i
        order = order[order_of(number[order])]
        roots = np.cumsum([0, *(layer.size for layer in layers)])
    matrix = np.empty((table.n, values.shape[1] + 2), np.int32)
    halves = [slice(0, table.n // 2), slice(table.n // 2, table.n)]
    with Threads(table.n, 2) as threads:
        list(threads.map(lambda part: lay_out(values, value, order[part], part.start, matrix[part]), halves))
    return Rows(loss, order, matrix, int(value.max()) + 1), roots


def grown(rows: Rows, grow: Grow, roots: Codes, draws: Draws, progress: Progress) -> None:
    """Grow a tree from every root, a stretch of rows, until all rows are where they stay."""
    n = rows.matrix.shape[0]
    spare, counts = np.empty_like(rows.matrix), np.zeros(rows.different, np.int64)
    nodes = np.column_stack([roots[:-1], roots[1:], np.full(roots.size - 1, GROWING)])
    with Threads(n) as threads:
        while len(nodes):
            sizes = nodes[:, 1] - nodes[:, 0]
            first = np.cumsum(sizes) - sizes
            bounds = np.empty(int(sizes.sum()), np.int64)
            bounds_of_draws(rows.matrix, nodes, first, counts, bounds)
            numbers = draws.below(bounds)
            progress(1 - bounds.size / n)

            def work(part: slice, nodes: Codes = nodes, first: Codes = first, numbers: Codes = numbers) -> Codes:
                children = np.empty((3 * (part.stop - part.start), 3), np.int64)
                born = grow(rows.matrix, spare, nodes[part], first[part], numbers, children)
                return children[:born]

            nodes = np.concatenate(list(threads.map(work, shares(sizes, threads.number))))


def shares(sizes: Codes, threads: int) -> Iterator[slice]:
    """Stretches of nodes with about equally many rows, a few for each thread."""
    if threads == 1:
        yield slice(0, sizes.size)
        return
    rows = np.cumsum(sizes)
    ends = np.searchsorted(rows, np.linspace(0, rows[-1], 4 * threads + 1))
    ends[-1] = sizes.size
    yield from (slice(a, b) for a, b in pairwise(ends.tolist()) if a < b)
