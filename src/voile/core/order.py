"""Canonical order: rows by their content, never by their place in the source."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voile.kernels.packing import append_bits, append_places, cut_bits, number_runs

_BITS = 62


def _span(column: NDArray[Any]) -> tuple[int, int]:
    """The least value of a column, and the bits that tell its values apart."""
    low, high = (int(column.min()), int(column.max())) if column.size else (0, 0)
    return low, (high - low).bit_length()


def _packed(columns: Sequence[NDArray[Any]]) -> tuple[NDArray[np.int64], int]:
    """One integer per row, and the bits it takes; order of integers is order of rows.

    Where there is no room for one more column, the rank of what is packed so far takes its place.
    """
    keys, used = np.zeros(columns[0].size, np.int64), 0
    for column in columns:
        values = column.astype(np.int64, copy=False)
        low, bits = _span(values)
        if used + bits > _BITS and used > 0:
            keys = _ranks(keys)
            used = _span(keys)[1]
        if used + bits > _BITS:
            values = _ranks(values)
            low, bits = _span(values)
        append_bits(keys, values, low, bits)
        used += bits
    return keys, used


def _ranks(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the distinct keys 0, 1, ... in ascending order."""
    if _is_dense(keys):
        return distinct_values(keys)[1]
    order = np.argsort(keys)
    ranks = np.empty_like(keys)
    number_runs(keys[order], order, ranks)
    return ranks


def sorted_keys(keys: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    """Keys of so many bits in ascending order: short ones are sorted in half the time, those of a
    release stand in order already.

    >>> sorted_keys(np.array([2, 3, 1]), 2).tolist()
    [1, 2, 3]
    """
    if (keys[1:] >= keys[:-1]).all():
        return keys
    return np.sort(keys.astype(np.int32)).astype(np.int64) if bits < 32 else np.sort(keys)


def sorted_together(columns: Sequence[NDArray[Any]]) -> list[NDArray[np.int64]]:
    """The columns with their rows in canonical order.

    Columns that fit into one integer are sorted as such and unpacked, which spares a random access
    per cell.

    >>> [column.tolist() for column in sorted_together([np.array([2, 1, 2]), np.array([7, 9, 3])])]
    [[1, 2, 2], [9, 3, 7]]
    """
    spans = [_span(column) for column in columns]
    if sum(bits for _, bits in spans) > _BITS:
        order = canonical_order(columns)
        return [column[order].astype(np.int64, copy=False) for column in columns]
    keys = sorted_keys(*_packed(columns))
    cut = [np.empty_like(keys) for _ in columns]
    for column, (low, bits) in zip(reversed(cut), reversed(spans), strict=True):
        cut_bits(keys, column, low, bits)
    return cut


def canonical_order(columns: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Row numbers sorted by the first column, then the second, and so on, then by row number.

    >>> canonical_order([np.array([2, 1, 2]), np.array([7, 9, 3])]).tolist()
    [1, 2, 0]
    """
    keys, used = _packed(columns)
    own = keys.size.bit_length()
    if used + own > _BITS:
        keys = _ranks(keys)
    append_places(keys, own)
    keys.sort()  # integers are sorted far faster than arguments
    keys &= (1 << own) - 1
    return keys


def _is_dense(codes: NDArray[np.int64]) -> bool:
    """Whether the range of codes is not much larger than their number: then no sorting is needed."""
    return not codes.size or int(codes.max()) - int(codes.min()) <= 4 * codes.size + 2**16


def distinct_values(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct codes in ascending order, and which of them each row has.

    >>> [part.tolist() for part in distinct_values(np.array([7, -5, 7]))]
    [[-5, 7], [1, 0, 1]]
    """
    if not _is_dense(codes):
        values, index = np.unique(codes, return_inverse=True)
        return values, index
    low = int(codes.min()) if codes.size else 0
    index = codes - low
    present = np.bincount(index) > 0
    if not present.all():
        index = (np.cumsum(present) - 1)[index]
    return np.flatnonzero(present) + low, index


def value_counts(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct codes in ascending order, and how many rows have each.

    >>> [part.tolist() for part in value_counts(np.array([7, -5, 7]))]
    [[-5, 7], [1, 2]]
    """
    if not _is_dense(codes):
        values, counts = np.unique(codes, return_counts=True)
        return values, counts
    low = int(codes.min()) if codes.size else 0
    counts = np.bincount(codes - low)
    present = np.flatnonzero(counts)
    return present + low, counts[present]


def dense_rank(columns: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Number the distinct rows 0, 1, ... in canonical order.

    >>> dense_rank([np.array([5, 3, 5]), np.array([0, 1, 0])]).tolist()
    [1, 0, 1]
    """
    return _ranks(_packed(columns)[0])


def row_counts(columns: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """How often each distinct row occurs, in canonical order.

    >>> row_counts([np.array([5, 3, 5]), np.array([0, 1, 0])]).tolist()
    [1, 2]
    """
    keys = sorted_keys(*_packed(columns))
    first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if keys.size else keys
    return np.diff(first, append=keys.size)
