"""The floor of docs/architecture.md: what the least possible work on the same rows costs here, now."""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl


def once(source: Path, target: Path, quasi: Sequence[str], sensitive: str) -> float:
    """Read, dictionary-code, sort by all QI, min/max of every QI over n/5 groups, write the rows."""
    began = time.perf_counter()
    frame = pl.read_parquet(source, columns=[*quasi, sensitive])
    words = {c.name: pl.Enum(c.unique().sort()) for c in frame.iter_columns() if c.dtype == pl.String}
    coded = frame.with_columns(pl.col(name).cast(enum).to_physical() for name, enum in words.items())
    ordered = coded.sort(quasi)
    number = pl.Series("group", np.arange(frame.height) // 5)
    ordered.with_columns(number).group_by("group", maintain_order=True).agg(
        *(pl.col(q).min().alias(f"{q} low") for q in quasi),
        *(pl.col(q).max().alias(f"{q} high") for q in quasi),
    )
    labels = [enum.categories.gather(ordered[name]).alias(name) for name, enum in words.items()]
    ordered.with_columns(labels).write_parquet(target)
    return time.perf_counter() - began


def floor(source: Path, target: Path, quasi: Sequence[str], sensitive: str) -> float:
    """Median of five."""
    return float(np.median([once(source, target, quasi, sensitive) for _ in range(5)]))
