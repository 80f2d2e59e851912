"""NCP per cell and its mean; what the two named forms of GCP share."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from voile.core.axis import Axis
from voile.core.boxes import Boxes, Side


def _column_penalty(
    side: Side, sizes: np.typing.NDArray[np.int64], node_penalty: Callable[[int, int], Fraction]
) -> Fraction:
    """Sum of NCP over the published rows of one column."""
    domain = side.column.domain
    if isinstance(domain, Axis):
        domain_range = domain.high - domain.low
        if domain_range == 0:
            return Fraction(0)
        widths = np.minimum(side.high - side.low, domain_range)  # a snapped end may lie outside
        high, low = np.divmod(widths, 2**20)  # two sums that cannot overflow, instead of one
        return Fraction(int((high * sizes).sum()) * 2**20 + int((low * sizes).sum()), domain_range)
    leaves_under, which = np.unique(side.high - side.low + 1, return_inverse=True)
    rows = np.bincount(which, weights=sizes).astype(np.int64)  # exact below 2**53 rows
    return sum(
        (int(r) * node_penalty(int(v), domain.leaves) for r, v in zip(rows, leaves_under, strict=True)),
        Fraction(0),
    )


def certainty_penalty(boxes: Boxes, node_penalty: Callable[[int, int], Fraction]) -> Fraction:
    """Mean NCP over all rows and QI columns, equal weights."""
    cells = boxes.rows * len(boxes.sides)
    if cells == 0:
        return Fraction(0)
    total = sum((_column_penalty(side, boxes.sizes, node_penalty) for side in boxes.sides), Fraction(0))
    return (total + boxes.suppressed * len(boxes.sides)) / cells
