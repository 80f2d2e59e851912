"""Coded rows in blocks: one row of a DataFrame is a block, with the bytes of each column as they lie in memory.

Rows by themselves would be taken apart and put together again by the JVM whenever they are asked for something. A
block goes from its disk to the kernels as it is.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from voile.core.order import canonical_order
from voile.spark.cells import binary
from voile.spark.spread import Batch, Codes


@dataclass(frozen=True)
class Blocks:
    """How the columns of a block are read, by name: 4 or 8 bytes a number."""

    types: Mapping[str, str]

    def schema(self) -> str:
        """As Spark writes it."""
        return ", ".join(f"{name} binary" for name in self.types)

    def block(self, columns: Batch) -> Any:
        """Rows as one block, in Arrow.

        >>> blocks = Blocks({"c0": "<i4", "secret0": "<i8"})
        >>> block = blocks.block({"c0": np.array([3, 5]), "secret0": np.array([7, 2**60])})
        >>> block.num_rows, [{name: own.tolist() for name, own in each.items()} for each in blocks.batches(block)]
        (1, [{'c0': [3, 5], 'secret0': [7, 1152921504606846976]}])
        """
        return self._put_together({}, columns, np.array([0, len(next(iter(columns.values())))]))

    def dealt(self, name: str, number: Codes, columns: Batch) -> Any:
        """Rows as one block for each number, which stands before it; rows with a number below 0 are left out.

        >>> blocks = Blocks({"c0": "<i4"})
        >>> parts = blocks.dealt("cell", np.array([1, -1, 0, 1]), {"c0": np.array([4, 5, 6, 7])})
        >>> parts.column("cell").to_pylist(), [each["c0"].tolist() for each in blocks.batches(parts)]
        ([0, 1], [[6], [4, 7]])
        """
        order = canonical_order([number])
        order = order[np.searchsorted(number[order], 0) :]
        along = number[order]
        starts = np.flatnonzero(np.diff(along, prepend=-1))
        own = {column: columns[column][order] for column in self.types}
        return self._put_together({name: along[starts]}, own, np.append(starts, along.size))

    def _put_together(self, before: dict[str, Codes], columns: Batch, offsets: Codes) -> Any:
        import pyarrow as pa

        parts = [pa.array(numbers) for numbers in before.values()]
        for name, kind in self.types.items():
            data = np.ascontiguousarray(columns[name], kind)
            parts.append(binary(data.view(np.uint8), offsets * data.itemsize))
        return pa.RecordBatch.from_arrays(parts, [*before, *self.types])

    def batches(self, blocks: Any) -> Iterator[Batch]:
        """The rows of each block."""
        columns = {name: blocks.column(name) for name in self.types}
        for i in range(blocks.num_rows):
            yield {name: np.frombuffer(columns[name][i].as_buffer(), kind) for name, kind in self.types.items()}

    def together(self, blocks: Any) -> Batch:
        """The rows of all blocks."""
        several = list(self.batches(blocks))
        return {name: np.concatenate([each[name] for each in several]) for name in self.types}
