"""Groups on a cluster -> a folder of parts in canonical order, each with whole groups, written by the executors.

Groups are numbered through: the driver learns how many each part has before any is written. Parts are small enough
for an executor, whatever the keys are like, since no two groups have the same key.
"""

import bisect
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from voile.core.bags import Bags
from voile.core.boxes import Boxes
from voile.core.draws import SECRET
from voile.core.order import value_counts
from voile.core.partition import Partition
from voile.core.privacy_model import PrivacyModel
from voile.core.schema import COUNTERFEITS, GROUP, Role
from voile.core.table import Table
from voile.output.writers import write_data
from voile.release_files import DATA
from voile.rendering.release_frame import render
from voile.spark.blocks import SCHEMA, arrays, dealt, in_blocks, tables_in, together
from voile.spark.cells import Work, codes_of_records, group_records, rows_of_records, table_of_cell
from voile.spark.session import asked
from voile.spark.spark_spread import SparkSpread, by_cell, mapped, record_batch
from voile.spark.spread import Batch, Codes, Layout, merged_tallies
from voile.spark.summary import Summary, summary_of, within

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame

PART_ROWS = 500_000  # of a file that is written, about
SAMPLED = 32  # keys of each block by which parts are told apart


def grouped(spread: SparkSpread, cell_of: "Callable[[Batch], Codes]", work: Work) -> "DataFrame":
    """The groups of every cell, each cell on one executor; kept, so that draws are made once. Rows without a cell
    (-1) are not published."""
    from pyspark import StorageLevel

    layout = spread.layout
    names = layout.names()

    def placed(blocks: Iterator[Any]) -> Iterator[Any]:
        for table in tables_in(blocks):
            yield dealt("cell", cell_of(arrays(table)), table.select(names))

    def group(key: Any, blocks: Any) -> Any:
        import pyarrow as pa

        cell = int(key[0].as_py())
        table = table_of_cell(layout, arrays(together(blocks)))
        records = pa.table(group_records(table, work(cell, table, SECRET), layout, cell))
        return pa.Table.from_batches([in_blocks(records)])

    cells = mapped(spread.frame, placed, f"cell long, {SCHEMA}")
    groups = by_cell(cells, "cell", group, SCHEMA, 2 * layout.n // PART_ROWS)
    return asked("grouping", lambda: groups.localCheckpoint(True, StorageLevel.DISK_ONLY))


@dataclass(frozen=True, repr=False, eq=False)
class Written:
    """What the executors have written: digests by name, counterfeits by group, and what there is to say of it."""

    files: dict[str, str]
    counterfeits: pl.DataFrame
    summary: Summary


def write_parts(
    records: "DataFrame", layout: Layout, folder: Path, format: str, promises: Sequence[PrivacyModel]
) -> Written:
    """Number the groups, render and write them; parts go to `folder`/data, which only its owner can read."""
    placed, first, secret = in_parts(records, layout)
    target = folder / DATA
    target.mkdir(mode=0o700)

    def write(key: Any, blocks: Any) -> Any:
        import pyarrow as pa

        part = int(key[0].as_py())
        table, partition = _grouping(together(blocks), layout)
        boxes = Boxes.around(table, partition)
        frame, fakes = render(table, partition, boxes)
        start = first[part]
        frame = frame.with_columns((pl.col(GROUP) + start).cast(pl.UInt32 if start < 2**31 else pl.Int64))
        counts = {int(group) + start: int(number) for group, number in fakes.iter_rows()}
        told = summary_of(boxes, within(_bags(table, partition), secret), partition.counterfeits, promises)
        document = told.document() | write_part(frame, target, part, format) | {"fakes": list(counts.items())}
        return pa.table({"said": [json.dumps(document)]})

    parts = by_cell(placed, "part", write, "said string", len(first))
    answers = asked("writing", parts.collect)
    return _put_together([row[0] for row in answers])


def in_parts(
    records: "DataFrame", layout: Layout
) -> tuple["DataFrame", dict[int, int], list[tuple[Codes, Codes]]]:
    """Groups with the part that each is in; how many groups stand before those of each part; and how often every
    sensitive value is published, of each column."""
    part_of = parts_between(bounds_of(records, parts_for(layout), lambda table: (table["key"], table["rows"])))
    groups, secret = _counts(records, part_of, layout)
    first = dict(zip(groups[0].tolist(), (np.cumsum(groups[1]) - groups[1]).tolist(), strict=True))

    def placed(blocks: Iterator[Any]) -> Iterator[Any]:
        for table in tables_in(blocks):
            yield dealt("part", part_of(table["key"]), table)

    return mapped(records, placed, f"part long, {SCHEMA}"), first, secret


def parts_for(layout: Layout) -> int:
    """How many parts there should be."""
    return max(1, -(-layout.n // PART_ROWS))


def write_part(frame: pl.DataFrame, folder: Path, part: int, format: str) -> dict[str, str]:
    """Write a part; its name in the release, and its digest."""
    path = folder / f"part-{part:05d}.{format}"
    path.unlink(missing_ok=True)  # of a task that was lost
    write_data(frame, folder, format, path.stem)
    return {"name": f"{folder.name}/{path.name}", "digest": hashlib.sha256(path.read_bytes()).hexdigest()}


def _put_together(answers: list[str]) -> Written:
    documents = sorted((json.loads(answer) for answer in answers), key=lambda d: d["name"])
    fakes = [pair for d in documents for pair in d["fakes"]]
    auxiliary = pl.DataFrame(fakes, schema={GROUP: pl.Int64, COUNTERFEITS: pl.Int64}, orient="row")
    summary = Summary.merged([Summary.of(d) for d in documents])
    return Written({d["name"]: d["digest"] for d in documents}, auxiliary, summary)


def bounds_of(records: "DataFrame", many: int, keyed: "Callable[[Any], tuple[Any, Any]]") -> list[bytes]:
    """Keys between which parts of about as many rows lie, by a sample: any bounds will do. `keyed` tells the keys
    in a block, and the rows that each stands for."""
    if many == 1:
        return []

    def some(blocks: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for keys, rows in map(keyed, tables_in(blocks)):
            upto = np.cumsum(np.asarray(rows))
            marks = upto[-1] * (2 * np.arange(SAMPLED) + 1) // (2 * SAMPLED) if upto.size else upto
            taken, times = np.unique(np.searchsorted(upto, marks, "right"), return_counts=True)
            weight = pa.array(times * upto[-1] // SAMPLED) if upto.size else pa.array([], pa.int64())
            yield pa.RecordBatch.from_arrays([_binary_of(keys.take(pa.array(taken))), weight], ["key", "rows"])

    answer = asked("sorting", mapped(records, some, "key binary, rows long").toArrow)
    sample = sorted(zip(answer["key"].to_pylist(), answer["rows"].to_pylist(), strict=True))
    upto = np.cumsum([rows for _, rows in sample])
    places = np.searchsorted(upto, upto[-1] * np.arange(1, many) // many) if sample else []
    return sorted({sample[place][0] for place in places})


def _binary_of(keys: Any) -> Any:
    import pyarrow as pa

    found = keys.cast(pa.binary())
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found


def parts_between(bounds: list[bytes]) -> "Callable[[Any], Codes]":
    """What tells the part of each key of an Arrow column."""

    def parts(keys: Any) -> Codes:
        return np.array([bisect.bisect_right(bounds, key) for key in keys.to_pylist()], np.int64)

    return parts


def _counts(
    records: "DataFrame", part_of: "Callable[[Any], Codes]", layout: Layout
) -> tuple[tuple[Codes, Codes], list[tuple[Codes, Codes]]]:
    """How many groups each part has; and how often every sensitive value is published, of each column."""
    sensitive = [int(name[1:]) for name in layout.names(Role.SENSITIVE)]

    def counted(blocks: Iterator[Any]) -> Iterator[Any]:
        parts: list[tuple[Codes, Codes]] = []
        values: list[list[tuple[Codes, Codes]]] = [[] for _ in sensitive]
        for table in tables_in(blocks):
            parts.append(value_counts(part_of(table["key"])))
            matrix = codes_of_records(table["codes"], layout)
            for own, i in zip(values, sensitive, strict=True):
                own.append(value_counts(matrix[:, i].astype(np.int64)))
        for which, tallies in enumerate([parts, *values]):
            keys, counts = merged_tallies(tallies)
            yield record_batch({"which": np.full(keys.size, which), "key": keys, "count": counts})

    tally = mapped(records, counted, "which long, key long, count long")
    answer = arrays(asked("counting groups", tally.toArrow))
    tallies = []
    for which in range(1 + len(sensitive)):
        own = answer["which"] == which
        tallies.append(merged_tallies([(answer["key"][own], answer["count"][own])]))
    return tallies[0], tallies[1:]


def _grouping(own: Any, layout: Layout) -> tuple[Table, Partition]:
    """Groups as a table whose rows stand group by group, counterfeits apart from real rows."""
    sizes, fakes = np.asarray(own["rows"]), np.asarray(own["fakes"])
    columns, group = rows_of_records(own["codes"], sizes, layout)
    if not fakes.any():
        return Table.as_it_stands(columns), Partition(group)
    real = np.ones(group.size, bool)
    last = np.cumsum(sizes)
    for g in np.flatnonzero(fakes).tolist():
        real[last[g] - fakes[g] : last[g]] = False
    secret = next(column.codes for column in columns if column.role == Role.SENSITIVE)
    kept = [replace(column, codes=column.codes[real]) for column in columns]
    return Table.as_it_stands(kept), Partition(group[real], group[~real], secret[~real])


def _bags(table: Table, partition: Partition) -> Bags:
    """Of these groups; where columns are kept, of what an adversary sees."""
    from voile.pipeline import classes_of_partition

    return table.bags(classes_of_partition(table, partition), partition)
