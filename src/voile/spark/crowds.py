"""Rows that look alike, counted part by part: they stand together, but where one part ends and another begins."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from voile.core.order import value_counts
from voile.spark.spread import Codes, merged_tallies

_ROWS = "voile rows"


def crowds_in(rows: pl.DataFrame) -> dict[str, Any]:
    """How many sets of so many rows are alike in a part; and apart from these, as they may go on elsewhere, the
    first and the last of them, each with its number of rows.

    >>> crowds_in(pl.DataFrame({"age": [31, 40, 40, 52]}))
    {'inner': [[2], [1]], 'ends': [[['31'], 1], [['52'], 1]]}
    """
    looks = rows.select(pl.all().cast(pl.String))
    if not looks.height:
        return {"inner": [[], []], "ends": []}
    counts = looks.group_by(looks.columns).agg(pl.len().alias(_ROWS))
    ends = pl.concat([looks.head(1), looks.tail(1)]).unique(maintain_order=True)
    outer = ends.join(counts, on=looks.columns, nulls_equal=True, maintain_order="left")
    inner = counts.join(ends, on=looks.columns, how="anti", nulls_equal=True)
    sizes, times = value_counts(inner[_ROWS].cast(pl.Int64).to_numpy())
    return {
        "inner": [sizes.tolist(), times.tolist()],
        "ends": [[list(line[:-1]), line[-1]] for line in outer.iter_rows()],
    }


def crowds_together(parts: Sequence[Mapping[str, Any]]) -> tuple[Codes, Codes]:
    """How many sets of so many rows are alike in all parts. Rows that do not stand together count as several
    sets: fewer are alike than in truth, never more.

    >>> parts = [crowds_in(pl.DataFrame({"age": ages})) for ages in ([31, 40], [40], [40, 52])]
    >>> [side.tolist() for side in crowds_together(parts)]
    [[1, 3], [2, 1]]
    """
    across: dict[tuple[str | None, ...], int] = {}
    for look, rows in (end for part in parts for end in part["ends"]):
        across[tuple(look)] = across.get(tuple(look), 0) + rows
    inner = [(np.array(part["inner"][0], np.int64), np.array(part["inner"][1], np.int64)) for part in parts]
    return merged_tallies([*inner, value_counts(np.array(list(across.values()), np.int64))])
