"""The values of a column in the source, and which of them lie in each published cell."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voile.core.boxes import Side
from voile.core.order import distinct_values


@dataclass(frozen=True, repr=False, eq=False)
class _Source:
    """Rows per distinct value in ascending order; group g's cell covers values first[g] .. after[g]-1."""

    rows: NDArray[np.int64]
    first: NDArray[np.int64]
    after: NDArray[np.int64]


def source_values(side: Side) -> _Source:
    """What a column held before it was generalised."""
    values, index = distinct_values(side.column.codes)
    first = np.searchsorted(values, side.low)
    return _Source(np.bincount(index, minlength=values.size), first, np.searchsorted(values, side.high, "right"))
