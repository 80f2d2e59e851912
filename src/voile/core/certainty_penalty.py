"""NCP per cell and its mean; what the named forms of GCP share."""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from voile.core.axis import Axis
from voile.core.boxes import Boxes
from voile.core.hierarchy import Hierarchy
from voile.core.order import distinct_values


def exact_sum(numbers: np.typing.NDArray[np.int64], times: np.typing.NDArray[np.int64]) -> int:
    """Sum of products: two sums that cannot overflow, instead of one."""
    high, low = numbers >> 20, numbers & (2**20 - 1)
    return int((high * times).sum()) * 2**20 + int((low * times).sum())


def column_penalty(
    domain: Axis | Hierarchy,
    ends: tuple[np.typing.NDArray[np.int64], np.typing.NDArray[np.int64]],
    sizes: np.typing.NDArray[np.int64],
    node_penalty: Callable[[int, int], Fraction],
) -> Fraction:
    """Sum of NCP over the published rows of one column: from where to where it is published of each group, and
    how many rows that has."""
    low, high = ends
    if isinstance(domain, Axis):
        domain_range = domain.high - domain.low
        if domain_range == 0:
            return Fraction(0)
        widths = np.minimum(high - low, domain_range)  # a snapped end may lie outside
        return Fraction(exact_sum(widths, sizes), domain_range)
    leaves_under, which = distinct_values(high - low + 1)
    rows = np.bincount(which, weights=sizes).astype(np.int64)  # exact below 2**53 rows
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
        total += share * column_penalty(side.column.domain, (side.low, side.high), side.rows, node_penalty)
    return total / whole


def leaf_share(size: int, leaves: int) -> Fraction:
    """NCP of a node by the leaves under it, 0 at a leaf."""
    return Fraction(size if size > 1 else 0, leaves)


def share_beyond_first(size: int, leaves: int) -> Fraction:
    """NCP of a node by the leaves under it beyond the first."""
    return Fraction(size - 1, max(1, leaves - 1))
