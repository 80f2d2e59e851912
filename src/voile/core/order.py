"""Canonical order: rows by their content, never by their place in the source."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voile.kernels.packing import append_bits, append_places, count_from, cut_bits, number_from, number_runs
from voile.kernels.radix import order_by_bits, sorted_by_bits

Codes = NDArray[np.int64]
_BITS = 62


def _span(column: NDArray[Any]) -> tuple[int, int]:
    """The least value of a column, and the bits that tell its values apart."""
    low, high = (int(column.min()), int(column.max())) if column.size else (0, 0)
    return low, (high - low).bit_length()


def _packed(columns: Sequence[NDArray[Any]]) -> tuple[Codes, int]:
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


def _ranks(keys: Codes) -> Codes:
    """Number the distinct keys 0, 1, ... in ascending order."""
    counted = _counted(keys)
    if counted is not None:
        return _numbered(keys, *counted)[1]
    order = order_of(keys)
    ranks = np.empty(keys.size, np.int64)
    number_runs(keys[order], order, ranks)
    return ranks


def sorted_keys(keys: Codes, bits: int) -> Codes:
    """Keys of so many bits in ascending order; those of a release stand in order already. Overwrites what it is
    given.

    >>> sorted_keys(np.array([2, 3, 1]), 2).tolist()
    [1, 2, 3]
    """
    return keys if (keys[1:] >= keys[:-1]).all() else sorted_by_bits(keys, 0, bits)


def order_of(codes: NDArray[Any]) -> Codes:
    """Row numbers in the order of some codes; equal ones keep theirs.

    >>> order_of(np.array([7, -5, 7, 2])).tolist()
    [1, 3, 0, 2]
    """
    low, bits = _span(codes)
    if bits > _BITS + 1:
        return np.argsort(codes, kind="stable")
    keys = np.zeros(codes.size, np.int64)
    append_bits(keys, codes.astype(np.int64, copy=False), low, bits)
    return _placed(keys, bits)


def _placed(keys: Codes, bits: int) -> Codes:
    """The places of keys of so many bits in ascending order; overwrites what it is given."""
    own = keys.size.bit_length()
    if bits + own > _BITS:
        places: Codes = order_by_bits(keys, bits)
        return places
    append_places(keys, own)
    keys = sorted_by_bits(keys, own, bits)
    keys &= (1 << own) - 1
    return keys


def sorted_together(columns: Sequence[NDArray[Any]]) -> list[Codes]:
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


def canonical_order(columns: Sequence[NDArray[Any]]) -> Codes:
    """Row numbers sorted by the first column, then the second, and so on, then by row number.

    >>> canonical_order([np.array([2, 1, 2]), np.array([7, 9, 3])]).tolist()
    [1, 2, 0]
    """
    return _placed(*_packed(columns))


def _counted(codes: Codes) -> tuple[int, Codes] | None:
    """The least code, and how many rows have each from there on; None if their range is much larger than their
    number: then sorting takes less."""
    low, high = (int(codes.min()), int(codes.max())) if codes.size else (0, -1)
    if high - low > 4 * codes.size + 2**16:
        return None
    counts = np.zeros(high - low + 1, np.int64)
    count_from(np.ascontiguousarray(codes, np.int64), low, counts)
    return low, counts


def _numbered(codes: Codes, low: int, counts: Codes) -> tuple[Codes, Codes]:
    """The distinct codes, and which of them each row has, of codes that were counted."""
    present, number = np.flatnonzero(counts), np.empty(codes.size, np.int64)
    numbers = np.cumsum(counts > 0) - 1
    number_from(np.ascontiguousarray(codes, np.int64), low, numbers, number)
    return present + low, number


def distinct_values(codes: Codes) -> tuple[Codes, Codes]:
    """The distinct codes in ascending order, and which of them each row has.

    >>> [part.tolist() for part in distinct_values(np.array([7, -5, 7]))]
    [[-5, 7], [1, 0, 1]]
    """
    counted = _counted(codes)
    if counted is not None:
        return _numbered(codes, *counted)
    values, index = np.unique(codes, return_inverse=True)
    return values, index


def value_counts(codes: Codes) -> tuple[Codes, Codes]:
    """The distinct codes in ascending order, and how many rows have each.

    >>> [part.tolist() for part in value_counts(np.array([7, -5, 7]))]
    [[-5, 7], [1, 2]]
    """
    counted = _counted(codes)
    if counted is None:
        values, counts = np.unique(codes, return_counts=True)
        return values, counts
    low, counts = counted
    present = np.flatnonzero(counts)
    return present + low, counts[present]


def places_among(values: Codes, low: Codes, high: Codes) -> tuple[Codes, Codes]:
    """Of ascending values, where those from low to high begin and end, for many pairs.

    >>> [part.tolist() for part in places_among(np.array([2, 5, 9]), np.array([0, 5, 6]), np.array([1, 9, 8]))]
    [[0, 1, 2], [0, 3, 2]]
    """
    if not values.size or values[-1] - values[0] > 4 * (values.size + low.size) + 2**16:
        return np.searchsorted(values, low), np.searchsorted(values, high, "right")
    first, across = int(values[0]), int(values[-1] - values[0]) + 1
    below = np.zeros(across + 1, np.int64)  # how many values are less than first, first + 1, ...
    below[values - first + 1] = 1
    below = np.cumsum(below)
    return below[np.clip(low - first, 0, across)], below[np.clip(high - first + 1, 0, across)]


def dense_rank(columns: Sequence[NDArray[Any]]) -> Codes:
    """Number the distinct rows 0, 1, ... in canonical order.

    >>> dense_rank([np.array([5, 3, 5]), np.array([0, 1, 0])]).tolist()
    [1, 0, 1]
    """
    return _ranks(_packed(columns)[0])


def row_counts(columns: Sequence[NDArray[Any]]) -> Codes:
    """How often each distinct row occurs, in canonical order.

    >>> row_counts([np.array([5, 3, 5]), np.array([0, 1, 0])]).tolist()
    [1, 2]
    """
    keys = sorted_keys(*_packed(columns))
    first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if keys.size else keys
    return np.diff(first, append=keys.size)
