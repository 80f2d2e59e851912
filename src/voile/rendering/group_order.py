"""Groups in canonical order: numbers that follow from what is published, never from the order of the source."""

import numpy as np
from numpy.typing import NDArray

from voile.core.order import canonical_order
from voile.core.partition import Partition

Numbers = NDArray[np.int64]


def bag_numbers(partition: Partition, some: NDArray[np.bool_], content: Numbers) -> Numbers:
    """Number the contents of some groups, in the order of their sorted lists; 0 for the others.

    >>> partition = Partition(np.array([0, 0, 1, 1]))
    >>> bag_numbers(partition, np.array([True, True]), np.array([5, 9, 9, 4])).tolist()
    [1, 0]
    """
    group = partition.everyone
    rows = np.flatnonzero(np.append(some, False)[group])  # group -1 is the last
    rows = rows[canonical_order([group[rows], content[rows]])]
    lists = content[rows].astype(">i8").tobytes()  # compare as the numbers do
    ends = np.cumsum(partition.published_sizes[some]) * 8
    keys = [lists[start:end] for start, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)]
    number = {key: i for i, key in enumerate(sorted(set(keys)))}
    numbers = np.zeros(some.size, np.int64)
    numbers[some] = [number[key] for key in keys]
    return numbers
