"""A cell is a bounded share of the rows, and a table of its own for the local algorithm.

What leaves a cell are groups: a key that sorts them as a local release does, and the codes of their rows. Groups
never cross cells.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voile.core.algorithm import Algorithm, RandomisedAlgorithm
from voile.core.axis import Axis
from voile.core.boxes import LONGEST_SET, Boxes, Side
from voile.core.draws import Draws
from voile.core.order import canonical_order
from voile.core.partition import Partition
from voile.core.schema import Role
from voile.core.table import Column, Table
from voile.rendering.value_sets import ValueSets
from voile.spark.spread import Batch, Layout

Codes = NDArray[np.int64]
Work = Callable[[int, Table, Draws], Partition]  # what becomes of a cell, by its number


def local_run(algorithm: Algorithm) -> Work:
    """Cells that are grouped by a local algorithm, its draws from the operating system of the executor."""

    def work(cell: int, table: Table, draws: Draws) -> Partition:
        if isinstance(algorithm, RandomisedAlgorithm):
            return algorithm.partition(table, draws=draws)
        return algorithm.partition(table)

    return work


def as_it_is(cell: int, table: Table, draws: Draws) -> Partition:
    """A cell that is one group."""
    return Partition(np.zeros(table.n, np.int64))


def by_kind(works: Sequence[Work], kind: Codes) -> Work:
    """Cells of several kinds: cell i is worked by works[kind[i]]."""
    return lambda cell, table, draws: works[kind[cell]](cell, table, draws)


def table_of_cell(layout: Layout, batch: Batch) -> Table:
    """The rows of a cell as a table; domains are those of the whole, so that losses and labels are the same."""
    codes = (batch[name].astype(np.int64) for name in layout.names())
    return Table([replace(column, codes=own) for column, own in zip(layout.columns, codes, strict=True)])


def key_width(layout: Layout) -> int:
    """Bytes of a number in a key."""
    ends = [*layout.least.values(), *layout.most.values()]
    return 4 if all(-(2**30) < end < 2**30 for end in ends) else 8


def sortable(numbers: NDArray[Any], width: int) -> NDArray[np.uint8]:
    """Whole numbers as bytes that sort as they do: one line of bytes per line of numbers.

    >>> sortable(np.array([[-1], [0], [7]]), 4).tolist()
    [[127, 255, 255, 255], [128, 0, 0, 0], [128, 0, 0, 7]]
    """
    biased = (numbers.astype(np.int64).astype(np.uint64) + np.uint64(1 << (8 * width - 1))).astype(f">u{width}")
    return np.ascontiguousarray(biased).view(np.uint8).reshape(len(numbers), -1)


def group_records(table: Table, partition: Partition, layout: Layout, cell: int) -> dict[str, Any]:
    """The groups of a cell. Keys follow rendering/release_frame.py: by box, by set of values, by content; of two
    tables rendering/two_tables.py: by what rows show, by values; then by a number that tells groups apart which
    are published alike."""
    width, group = key_width(layout), partition.everyone
    if partition.separate:
        fixed = np.empty((partition.groups, 0), np.uint8)
        shown = [[column.codes for column in (*table.quasi, *table.kept)], [table.sensitive[0].codes]]
    else:
        fixed, shown = _boxes(table, partition, width), [_content(table, partition)]
    published = np.flatnonzero(group >= 0)
    contents = []
    for own in shown:
        order = published[canonical_order([group[published], *(codes[published] for codes in own)])]
        contents.append(sortable(np.column_stack(own)[order], width))
    sizes = partition.published_sizes
    number = sortable((np.arange(partition.groups) + (cell << 32))[:, None], 8)
    rows = _rows_of(table, partition)
    fakes = np.bincount(partition.counterfeit_group, minlength=partition.groups)
    return {
        "key": _put_together(fixed, contents, np.cumsum(sizes), number),
        "rows": sizes,
        "fakes": fakes,
        "codes": _sliced(
            rows[canonical_order([group[published]])] if rows.size else rows, np.cumsum(sizes), width
        ),
    }


def _boxes(table: Table, partition: Partition, width: int) -> NDArray[np.uint8]:
    """The box of each group, and its sets of values."""
    boxes = Boxes.around(table, partition)
    ends = np.column_stack([end for side in boxes.sides for end in (side.low, side.high)])
    return np.column_stack([sortable(ends, width), *map(_words, boxes.sides)])


def _content(table: Table, partition: Partition) -> list[Codes]:
    """What rows and counterfeits show beside their box."""
    return [
        np.concatenate([column.codes, partition.counterfeit_value]) if partition.counterfeits else column.codes
        for column in (*table.sensitive, *table.kept)
    ]


def _words(side: Side) -> NDArray[np.uint8]:
    """Of a column that may be published as a set of values, the words of each group's set; else nothing."""
    domain = side.column.domain
    if isinstance(domain, Axis) or not domain.is_flat:
        return np.empty((side.low.size, 0), np.uint8)
    sets = ValueSets.of(domain, side.held, side.listed)
    return sortable(np.zeros((side.low.size, LONGEST_SET)) if sets is None else sets.words.T, 4)


def _rows_of(table: Table, partition: Partition) -> NDArray[np.int64]:
    """The codes of every published row and then of every counterfeit, whose quasi-identifiers are those of nobody:
    it is given one row's of its group, which the box covers."""
    own = np.column_stack([column.codes for column in table.columns])
    if not partition.counterfeits:
        return own[partition.group >= 0]
    some = np.empty(partition.groups, np.int64)
    published = np.flatnonzero(partition.group >= 0)
    some[partition.group[published]] = published
    fake = own[some[partition.counterfeit_group]]
    for i, column in enumerate(table.columns):
        if column.role == Role.SENSITIVE:
            fake[:, i] = partition.counterfeit_value
    return np.concatenate([own[published], fake])


def _put_together(
    fixed: NDArray[np.uint8], contents: Sequence[NDArray[np.uint8]], ends: Codes, number: NDArray[np.uint8]
) -> Any:
    """Of every group the bytes of its box, each content of all of its rows with a mark, which is less than any,
    and its number, one after the other."""
    starts = np.concatenate([[0], ends[:-1]])
    wide = sum(content.shape[1] for content in contents)
    lengths = fixed.shape[1] + (ends - starts) * wide + len(contents) + number.shape[1]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    data = np.zeros(int(offsets[-1]), np.uint8)
    _fill(data, offsets[:-1], fixed)
    at = offsets[:-1] + fixed.shape[1]
    for content in contents:
        long = (ends - starts) * content.shape[1]
        inner = np.arange(content.size) - np.repeat(starts * content.shape[1], long)
        data[np.repeat(at, long) + inner] = content.reshape(-1)
        at = at + long + 1
    _fill(data, at, number)
    return binary(data, offsets)


def _fill(data: NDArray[np.uint8], starts: Codes, lines: NDArray[np.uint8]) -> None:
    data[starts[:, None] + np.arange(lines.shape[1])] = lines


def _sliced(rows: NDArray[np.int64], ends: Codes, width: int) -> Any:
    """The rows of every group as bytes."""
    data = np.ascontiguousarray(rows, f"<i{width}")
    return binary(data.view(np.uint8).reshape(-1), np.concatenate([[0], ends]) * rows.shape[1] * width)


def binary(data: NDArray[np.uint8], offsets: Codes) -> Any:
    """Bytes that stand one after the other, as an Arrow array."""
    import pyarrow as pa

    many = pa.py_buffer(np.ascontiguousarray(offsets, np.int64))
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), offsets.size - 1, [None, many, pa.py_buffer(data)])


def codes_of_records(codes: Any, layout: Layout) -> NDArray[Any]:
    """The rows of some groups, one after the other: one line of codes each."""
    data = b"".join(codes.to_pylist())
    return np.frombuffer(data, f"<i{key_width(layout)}").reshape(-1, len(layout.columns))


def rows_of_records(codes: Any, sizes: Codes, layout: Layout) -> tuple[list[Column], Codes]:
    """The columns of some groups, one after the other, and the group of each row."""
    matrix = codes_of_records(codes, layout)
    own = [replace(column, codes=matrix[:, i].astype(np.int64)) for i, column in enumerate(layout.columns)]
    return own, np.repeat(np.arange(sizes.size), sizes)
