"""Rows in blocks: one row of a DataFrame is a block, some megabytes of Arrow columns as they lie in memory.

Rows by themselves would be taken apart and put together again by the JVM whenever they are asked for something. A
block goes from its disk to the kernels as it is.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from voile.core.order import canonical_order
from voile.spark.spread import Batch, Codes

SCHEMA = "block binary"
BLOCK_BYTES = 2**22  # about; one row of a table is never divided


def arrays(table: Any) -> Batch:
    """An Arrow batch or table as numpy columns."""
    return {name: np.asarray(table.column(name)) for name in table.schema.names}


def in_blocks(table: Any) -> Any:
    """An Arrow table in blocks.

    >>> import pyarrow as pa
    >>> blocks = in_blocks(pa.table({"c0": [3, 5], "key": [b"a", b"b"]}))
    >>> blocks.num_rows, [each.to_pydict() for each in tables_in([blocks])]
    (1, [{'c0': [3, 5], 'key': [b'a', b'b']}])
    """
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([_column(_blocks(table))], ["block"])


def dealt(name: str, number: Codes, table: Any) -> Any:
    """An Arrow table in blocks of rows with the same number, which stands before them; rows with a number below 0
    are left out.

    >>> import pyarrow as pa
    >>> parts = dealt("cell", np.array([1, -1, 0, 1]), pa.table({"c0": [4, 5, 6, 7]}))
    >>> parts.column("cell").to_pylist(), [each.column("c0").to_pylist() for each in tables_in([parts])]
    ([0, 1], [[6], [4, 7]])
    """
    import pyarrow as pa

    order = canonical_order([number])
    order = order[np.searchsorted(number[order], 0) :]
    along, rows = number[order], table.take(pa.array(order))
    ends = [0, *(np.flatnonzero(np.diff(along)) + 1).tolist(), along.size] if along.size else []
    blocks: list[bytes] = []
    numbers: list[int] = []
    for begin, end in pairwise(ends):
        own = _blocks(rows.slice(begin, end - begin))
        blocks += own
        numbers += [int(along[begin])] * len(own)
    return pa.RecordBatch.from_arrays([pa.array(numbers, pa.int64()), _column(blocks)], [name, "block"])


def tables_in(batches: Iterable[Any]) -> Iterator[Any]:
    """The Arrow table in each block."""
    import pyarrow as pa

    for batch in batches:
        for block in batch.column("block"):
            yield pa.ipc.open_stream(block.as_buffer()).read_all()


def rows_in(batches: Iterable[Any]) -> Iterator[Batch]:
    """The rows of each block, where all columns are numbers."""
    return (arrays(table) for table in tables_in(batches))


def together(blocks: Any) -> Any:
    """The rows of all blocks of a cell, as one Arrow table."""
    import pyarrow as pa

    return pa.concat_tables(tables_in([blocks])).combine_chunks()


def _blocks(table: Any) -> list[bytes]:
    """At least one, so that an empty table keeps its columns."""
    rows = table.num_rows
    many = max(1, min(rows, -(-table.nbytes // BLOCK_BYTES)))
    ends = [rows * i // many for i in range(many + 1)]
    return [_packed(table.slice(a, b - a)) for a, b in pairwise(ends)]


def _packed(table: Any) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write(table)
    return bytes(sink.getvalue())


def _column(blocks: list[bytes]) -> Any:
    import pyarrow as pa

    return pa.array(blocks, pa.binary())
