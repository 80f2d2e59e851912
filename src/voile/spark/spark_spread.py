"""Rows on a Spark cluster: questions become jobs whose answers are small."""

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from voile.core.order import value_counts
from voile.spark.blocks import rows_in
from voile.spark.refusals import speaking
from voile.spark.session import asked
from voile.spark.spread import KEY_BYTES, SECRET_WORDS, Batch, Codes, Layout, Spread, drawn_numbers, merged_tallies

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


MOST_TASKS = 2000  # of a shuffle; a task takes several cells one after the other


def record_batch(columns: dict[str, Any]) -> Any:
    """Numpy columns, or lists of bytes, as an Arrow batch."""
    import pyarrow as pa

    parts = [pa.array(part) for part in columns.values()]
    return pa.RecordBatch.from_arrays(parts, names=list(columns))


def secret_words(rows: int) -> Batch:
    """The secret of each of so many rows, from the operating system of whoever asks."""
    words = np.frombuffer(os.urandom(16 * rows), np.int64).reshape(2, rows)
    return dict(zip(SECRET_WORDS, words, strict=True))


class SparkSpread(Spread):
    """A DataFrame of blocks with codes (c0, c1, ...), the place of each row on the curve, and its secret."""

    def __init__(self, frame: "DataFrame", layout: Layout, names: Sequence[str]) -> None:
        self.frame, self.layout, self.names = frame, layout, names

    def __repr__(self) -> str:
        return f"SparkSpread({self.layout.n} rows)"

    def tally(self, keys: Callable[[Batch], Codes]) -> tuple[Codes, Codes]:
        """Counted by batch, by part, and on the driver."""

        def counted(blocks: Iterator[Any]) -> Iterator[Any]:
            found, counts = merged_tallies(value_counts(keys(rows)) for rows in rows_in(blocks))
            yield record_batch({"key": found, "count": counts})

        return merged_tallies([self._answer(counted, "key long, count long", "counting")])

    def some(self, rows: Callable[[Batch], Batch]) -> Batch:
        """Rows that are taken, of all parts."""
        names = list(rows({name: np.empty(0, np.int64) for name in self.names}))

        def taken(blocks: Iterator[Any]) -> Iterator[Any]:
            for batch in rows_in(blocks):
                yield record_batch(rows(batch))

        schema = ", ".join(f"{name} long" for name in names)
        return dict(zip(names, self._answer(taken, schema, "looking at rows"), strict=True))

    def draw(self, among: Callable[[Batch], Codes]) -> Callable[[Batch], Codes]:
        """By the secrets of the rows, under a new key."""
        key = os.urandom(KEY_BYTES)

        def drawn(batch: Batch) -> Codes:
            secrets = np.column_stack([batch[name].view(np.uint64) for name in SECRET_WORDS])
            return drawn_numbers(secrets, key)

        return drawn

    def _answer(self, work: Callable[..., Any], schema: str, what: str) -> Any:
        answer = asked(what, lambda: mapped(self.frame, work, schema).toArrow())
        return tuple(np.asarray(column) for column in answer.columns)


def _generator(work: Callable[[Iterator[Any]], Iterator[Any]]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A worker of batches that lets nothing out but refusals."""

    def each(batches: Iterator[Any]) -> Iterator[Any]:
        results = iter(work(batches))
        step = speaking(lambda _, rest: next(rest, None))
        while (result := step(None, results)) is not None:
            yield result

    return each


def mapped(frame: "DataFrame", work: Callable[[Iterator[Any]], Iterator[Any]], schema: str) -> "DataFrame":
    """A frame of what executors make of batches."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pandas versions
        return frame.mapInArrow(_generator(work), schema)


def by_cell(
    frame: "DataFrame", column: str, work: Callable[[Any, Any], Any], schema: str, cells: int | None = None
) -> "DataFrame":
    """A frame of what executors make of cells, the rows that have the same number in a column; there are about so
    many of them, or as many as the last time."""
    if cells is not None:
        session = frame.sparkSession
        tasks = max(2 * session.sparkContext.defaultParallelism, min(cells, MOST_TASKS))
        session.conf.set("spark.sql.shuffle.partitions", str(tasks))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return frame.groupBy(column).applyInArrow(speaking(work), schema)
