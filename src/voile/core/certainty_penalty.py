"""NCP per cell and its mean; what the named forms of GCP share."""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from voile.core.axis import Axis
from voile.core.boxes import Boxes, Side


def exact_sum(numbers: np.typing.NDArray[np.int64], times: np.typing.NDArray[np.int64]) -> int:
    """Sum of products: two sums that cannot overflow, instead of one."""
    high, low = np.divmod(numbers, 2**20)
    return int((high * times).sum()) * 2**20 + int((low * times).sum())


def _column_penalty(side: Side, node_penalty: Callable[[int, int], Fraction]) -> Fraction:
    """Sum of NCP over the published rows of one column."""
    domain = side.column.domain
    if isinstance(domain, Axis):
        domain_range = domain.high - domain.low
        if domain_range == 0:
            return Fraction(0)
        widths = np.minimum(side.high - side.low, domain_range)  # a snapped end may lie outside
        return Fraction(exact_sum(widths, side.rows), domain_range)
    leaves_under, which = np.unique(side.high - side.low + 1, return_inverse=True)
    rows = np.bincount(which, weights=side.rows).astype(np.int64)  # exact below 2**53 rows
    return sum(
        (int(r) * node_penalty(int(v), domain.leaves) for r, v in zip(rows, leaves_under, strict=True)),
        Fraction(0),
    )


def certainty_penalty(
    boxes: Boxes, node_penalty: Callable[[int, int], Fraction], weights: Sequence[Fraction] | None = None
) -> Fraction:
    """Mean NCP over all rows and QI columns, equally or by weights; a suppressed row counts 1."""
    shares = [Fraction(1)] * len(boxes.sides) if weights is None else list(weights)
    whole = sum(shares, Fraction(0)) * boxes.rows
    if whole == 0:
        return Fraction(0)
    total = boxes.suppressed * sum(shares, Fraction(0))
    for side, share in zip(boxes.sides, shares, strict=True):
        total += share * _column_penalty(side, node_penalty)
    return total / whole


def leaf_share(size: int, leaves: int) -> Fraction:
    """NCP of a node by the leaves under it, 0 at a leaf."""
    return Fraction(size if size > 1 else 0, leaves)
