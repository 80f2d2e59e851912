"""Two tables on a cluster (Anatomy): the values of groups to the parts of one folder, their rows to another's.

Groups are numbered and their values written in the order of groups. Rows are sorted by what they show and then by
group, which is another order, so they are dealt to parts once more.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.boxes import Boxes
from voile.core.partition import Partition
from voile.core.privacy_model import PrivacyModel
from voile.core.schema import COUNTERFEITS, GROUP, SENSITIVE_TABLE, Role
from voile.core.table import Table
from voile.release_files import DATA
from voile.rendering.two_tables import rows_as_they_are, values_by_group
from voile.spark.blocks import SCHEMA, arrays, dealt, tables_in, together
from voile.spark.cells import binary, key_width, rows_of_records, sortable
from voile.spark.crowds import crowds_in, crowds_together
from voile.spark.session import asked
from voile.spark.spark_spread import by_cell, mapped
from voile.spark.spread import Codes, Layout
from voile.spark.summary import Summary, summary_of, within
from voile.spark.writing import Written, bounds_of, in_parts, parts_between, parts_for, write_part

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Write = Callable[[int, Any], dict[str, Any]]  # a part, by its number, to what there is to say of it


def write_two_tables(
    records: "DataFrame", layout: Layout, folder: Path, format: str, promises: Sequence[PrivacyModel]
) -> Written:
    """Number the groups, and write both tables to folders that only their owner can read."""
    for name in (DATA, SENSITIVE_TABLE):
        (folder / name).mkdir(mode=0o700)
    placed, first, secret = in_parts(records, layout)
    groups = _numbered(placed, first)

    def write_values(part: int, own: Any) -> dict[str, Any]:
        own = own.sort_by("group")
        columns, group = rows_of_records(own["codes"], np.asarray(own["rows"]), layout)
        table = Table.as_it_stands(columns)
        frame = values_by_group(table.sensitive[0], group, first[part] + 1)
        boxes = Boxes.around(table, Partition(group, separate=True))
        told = summary_of(boxes, within(table.bags(group), secret), 0, promises)
        return told.document() | write_part(frame, folder / SENSITIVE_TABLE, part, format)

    def write_rows(part: int, own: Any) -> dict[str, Any]:
        frame = in_order(layout, arrays(own))
        return crowds_in(frame.drop(GROUP)) | write_part(frame, folder / DATA, part, format)

    values = _said("writing values", groups, write_values)
    rows = _said("writing rows", _rows_in_parts(groups, layout), write_rows)
    summary = Summary.merged([Summary.of(one) for one in values])
    none = pl.DataFrame(schema={GROUP: pl.Int64, COUNTERFEITS: pl.Int64})
    files = {one["name"]: one["digest"] for one in (*rows, *values)}
    return Written(files, none, replace(summary, crowds=crowds_together(rows), separate=True))


def _said(what: str, placed: "DataFrame", write: Write) -> list[dict[str, Any]]:
    """What there is to say of each part, in their order."""

    def each(key: Any, blocks: Any) -> Any:
        import pyarrow as pa

        return pa.table({"said": [json.dumps(write(int(key[0].as_py()), together(blocks)))]})

    answers = asked(what, by_cell(placed, "part", each, "said string").collect)
    return sorted((json.loads(row[0]) for row in answers), key=lambda one: one["name"])


def _numbered(placed: "DataFrame", first: dict[int, int]) -> "DataFrame":
    """Groups with their numbers, which follow their keys; kept, as three jobs ask for them."""
    from pyspark import StorageLevel

    def number(key: Any, blocks: Any) -> Any:
        import pyarrow as pa

        part, own = int(key[0].as_py()), together(blocks).sort_by("key")
        group = pa.array(first[part] + 1 + np.arange(own.num_rows))
        told = own.select(["rows", "codes"]).append_column("group", group)
        return pa.Table.from_batches([dealt("part", np.full(own.num_rows, part), told)])

    groups = by_cell(placed, "part", number, f"part long, {SCHEMA}", len(first))
    return asked("numbering groups", lambda: groups.localCheckpoint(True, StorageLevel.DISK_ONLY))


def look_names(layout: Layout) -> list[str]:
    """What rows show, in the order by which they are sorted."""
    return [*layout.names(Role.QUASI_IDENTIFYING), *layout.names(Role.INSENSITIVE)]


def in_order(layout: Layout, rows: dict[str, Codes]) -> pl.DataFrame:
    """Rows of some groups as they are published: by what they show, then by group."""
    names = look_names(layout)
    order = np.lexsort((rows["group"], *(rows[name] for name in reversed(names))))
    shown = [replace(c, codes=rows[f"c{i}"]) for i, c in enumerate(layout.columns) if f"c{i}" in names]
    return rows_as_they_are(shown, order, rows["group"][order])


def row_keys(layout: Layout, rows: dict[str, Codes]) -> Any:
    """Bytes that sort as rows are published, in Arrow."""
    shown = np.column_stack([rows[name] for name in look_names(layout)])
    lines = np.column_stack([sortable(shown, key_width(layout)), sortable(rows["group"][:, None], 8)])
    return binary(np.ascontiguousarray(lines).reshape(-1), np.arange(len(lines) + 1) * lines.shape[1])


def _rows_in_parts(groups: "DataFrame", layout: Layout) -> "DataFrame":
    """Each row by itself, with the part that it is in."""

    def keyed(table: Any) -> tuple[Any, Any]:
        keys = row_keys(layout, rows_of_groups(table, layout))
        return keys, np.ones(len(keys), np.int64)

    part_of = parts_between(bounds_of(groups.select("block"), parts_for(layout), keyed))

    def placed(blocks: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for table in tables_in(blocks):
            rows = rows_of_groups(table, layout)
            yield dealt("part", part_of(row_keys(layout, rows)), pa.table(rows))

    return mapped(groups, placed, f"part long, {SCHEMA}")


def rows_of_groups(groups: Any, layout: Layout) -> dict[str, NDArray[np.int64]]:
    """The rows of numbered groups: their group, and what they show."""
    columns, which = rows_of_records(groups["codes"], np.asarray(groups["rows"]), layout)
    shown = {name: columns[int(name[1:])].codes for name in look_names(layout)}
    return {"group": np.asarray(groups["group"])[which], **shown}
