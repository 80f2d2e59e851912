"""Canonical order: rows by their content, never by their place in the source."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BITS = 62


def _spans(columns: Sequence[NDArray[Any]]) -> list[tuple[int, int]]:
    """Of each column its least value, and the bits that tell its values apart."""
    spans = []
    for column in columns:
        low, high = (int(column.min()), int(column.max())) if column.size else (0, 0)
        spans.append((low, (high - low).bit_length()))
    return spans


def _packed(columns: Sequence[NDArray[Any]], spans: list[tuple[int, int]]) -> list[NDArray[np.int64]]:
    """The columns as few integer keys as hold them; order of keys is order of columns."""
    keys: list[NDArray[np.int64]] = []
    room = 0
    for column, (low, bits) in zip(columns, spans, strict=True):
        values = column.astype(np.int64)
        if bits > _BITS:  # would not fit beside anything, and the difference may overflow
            keys.append(values)
            room = 0
        elif keys and bits <= room:
            keys[-1] = (keys[-1] << bits) | (values - low)
            room -= bits
        else:
            keys.append(values - low)
            room = _BITS - bits
    return keys


def sorted_together(columns: Sequence[NDArray[Any]]) -> list[NDArray[np.int64]]:
    """The columns with their rows in canonical order.

    Columns that fit into one integer are sorted as such and unpacked, which spares a random access
    per cell.

    >>> [column.tolist() for column in sorted_together([np.array([2, 1, 2]), np.array([7, 9, 3])])]
    [[1, 2, 2], [9, 3, 7]]
    """
    spans = _spans(columns)
    if sum(bits for _, bits in spans) > _BITS:
        order = canonical_order(columns)
        return [column[order].astype(np.int64) for column in columns]
    (key,) = _packed(columns, spans)
    key.sort()
    unpacked = []
    for low, bits in reversed(spans):
        unpacked.append((key & ((1 << bits) - 1)) + low)
        key >>= bits
    return unpacked[::-1]


def canonical_order(columns: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Row numbers sorted by the first column, then the second, and so on, then by row number.

    >>> canonical_order([np.array([2, 1, 2]), np.array([7, 9, 3])]).tolist()
    [1, 2, 0]
    """
    spans, n = _spans(columns), columns[0].size
    own = n.bit_length()
    keys = _packed(columns, spans)
    if own + sum(bits for _, bits in spans) <= _BITS:  # sorting integers is far faster than arguments
        return np.sort((keys[0] << own) | np.arange(n)) & ((1 << own) - 1)
    return np.lexsort(keys[::-1]).astype(np.int64)


def distinct_values(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct codes in ascending order, and which of them each row has.

    >>> [part.tolist() for part in distinct_values(np.array([7, -5, 7]))]
    [[-5, 7], [1, 0, 1]]
    """
    low, high = (int(codes.min()), int(codes.max())) if codes.size else (0, 0)
    if high - low > 4 * codes.size + 2**16:
        values, index = np.unique(codes, return_inverse=True)
        return values, index
    present = np.bincount(codes - low) > 0  # a range not much larger than the table: no sorting
    return np.flatnonzero(present) + low, (np.cumsum(present) - 1)[codes - low]


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
