"""Parquet: columns as the file types them; the schema decides what they mean."""

from pathlib import Path

import polars as pl

from voile.errors import InputError
from voile.intake.header import sound_names
from voile.intake.panics import FAILURES

# A footer can promise far more than the file holds (docs/facts/threats.md 2.5): no table of people packs
# this many cells into a byte.
CELLS_PER_BYTE = 200
HARMLESS = 2**26


def read_parquet(path: Path) -> pl.DataFrame:
    """The whole file, header names trimmed; refused when its footer announces an absurd number of cells."""
    frame = None
    cells, most = 0, max(HARMLESS, CELLS_PER_BYTE * path.stat().st_size)
    try:
        lazy = pl.scan_parquet(path, glob=False)
        rows = lazy.select(pl.len()).collect().item()
        cells = rows * len(lazy.collect_schema())
        if cells <= most:
            frame = pl.read_parquet(path, glob=False)
    except FAILURES:  # its message may quote the file
        frame = None
    if cells > most:
        raise InputError(f"{cells} cells in so small a file", where="file", rule=f"at most {most}")
    if frame is None:
        raise InputError("cannot be read", where="file", rule="Parquet", remedy="check that it is complete")
    frame.columns = sound_names(frame.columns)
    return frame
