"""Canonical order: rows by their content, never by their place in the source."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BITS = 62


def sorted_together(columns: Sequence[NDArray[Any]]) -> list[NDArray[np.int64]]:
    """The columns with their rows in canonical order.

    Columns that fit into one integer are sorted as such and unpacked, which spares a random access
    per cell.

    >>> [column.tolist() for column in sorted_together([np.array([2, 1, 2]), np.array([7, 9, 3])])]
    [[1, 2, 2], [9, 3, 7]]
    """
    keys = _packed(columns)
    if len(keys) != 1 or not keys[0].size:
        order = canonical_order(columns)
        return [column[order].astype(np.int64) for column in columns]
    key = np.sort(keys[0])
    unpacked = []
    for column in reversed(columns):
        low = int(column.min())
        bits = (int(column.max()) - low).bit_length()
        unpacked.append((key & ((1 << bits) - 1)) + low)
        key >>= bits
    return unpacked[::-1]


def _packed(columns: Sequence[NDArray[Any]]) -> list[NDArray[np.int64]]:
    """The columns as few integer keys as hold them; order of keys is order of columns."""
    keys: list[NDArray[np.int64]] = []
    room = 0
    for column in columns:
        values = column.astype(np.int64)
        low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
        bits = (high - low).bit_length()
        if bits > _BITS:  # would not fit beside anything, and low - high may overflow
            keys.append(values)
            room = 0
        elif keys and bits <= room:
            keys[-1] = (keys[-1] << bits) | (values - low)
            room -= bits
        else:
            keys.append(values - low)
            room = _BITS - bits
    return keys


def canonical_order(columns: Sequence[NDArray[Any]]) -> NDArray[np.intp]:
    """Row numbers sorted by the first column, then the second, and so on.

    Rows that are equal in all columns come in any order: they cannot be told apart.

    >>> canonical_order([np.array([2, 1, 2]), np.array([7, 9, 3])]).tolist()
    [1, 2, 0]
    """
    keys = _packed(columns)
    if len(keys) == 1:
        return np.argsort(keys[0])
    return np.lexsort(keys[::-1])


def dense_rank(columns: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Number the distinct rows 0, 1, ... in canonical order.

    >>> dense_rank([np.array([5, 3, 5]), np.array([0, 1, 0])]).tolist()
    [1, 0, 1]
    """
    n = columns[0].size
    order = canonical_order(columns)
    new = np.zeros(n, bool)
    for column in columns:
        sorted_column = column[order]
        new[1:] |= sorted_column[1:] != sorted_column[:-1]
    rank = np.empty(n, np.int64)
    rank[order] = np.cumsum(new)
    return rank
