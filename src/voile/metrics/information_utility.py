"""um: the share of the table's information that a release keeps (Tian and Zhang 2009, Definition 5)."""

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.boxes import Boxes
from voile.core.metric import Metric
from voile.core.order import distinct_values, value_counts

Numbers = NDArray[np.int64]
_MOST_DENOMINATORS = 256  # beyond, the exact sum is a fraction of thousands of digits that nobody reads


class InformationUtility(Metric):
    """Mean over all cells, quasi-identifying and sensitive, of 1 / the values that the published cell stands for.

    These are the leaves under a node, the steps of an interval, the members of a set; a suppressed cell keeps
    nothing. A sensitive value that is not generalised keeps all; published apart from its row, it stands for all
    different values of its group.
    """

    key = "um"
    title = "information utility"
    paper = "Tian and Zhang 2009, Definition 5"
    best = "high"
    range = "0 to 1"
    meaning = "information kept: 1 over the values that a published cell stands for, on average"

    def measure(self, boxes: Boxes) -> Fraction | float:
        """Exact, unless cells have some hundred different sizes."""
        cells = boxes.rows * (len(boxes.sides) + len(boxes.sensitive))
        if cells == 0:
            return Fraction(0)
        sizes, rows = (np.concatenate(part) for part in zip(*_shown(boxes), strict=True))
        if distinct_values(sizes)[0].size > _MOST_DENOMINATORS:
            return float((rows / sizes).sum()) / cells
        common = math.lcm(*sizes.tolist())
        kept = sum(row * (common // size) for size, row in zip(sizes.tolist(), rows.tolist(), strict=True))
        return Fraction(kept, common * cells)


def _shown(boxes: Boxes) -> Iterator[tuple[Numbers, Numbers]]:
    """Of each column, how many values its cells stand for, and in how many rows."""
    for side in boxes.sides:
        sizes = side.high - side.low + 1
        if side.listed.size:
            sizes[side.listed] = side.held.distinct()[side.listed]
        values, which = distinct_values(sizes)
        yield values, np.bincount(which, weights=side.rows).astype(np.int64)  # exact below 2**53 rows
    if boxes.separate:
        yield from boxes.mixed
    elif boxes.node.size:
        tree = boxes.sensitive[0].tree()
        nodes, rows = value_counts(boxes.node[boxes.group >= 0])
        yield (tree.high - tree.low + 1)[nodes], rows
    elif boxes.sensitive:
        yield np.array([1]), boxes.sizes.sum(keepdims=True) * len(boxes.sensitive)
