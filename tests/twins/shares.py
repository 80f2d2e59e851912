"""Columns drawn one after the other, each by its shares given columns before it.

The shares are counts of the real table, in a JSON file beside this one: the `values` of a column, and for every
combination of the columns it depends on (`given`, joined by |) the place of the first value that occurs and how
many rows have this value, the next, and so on. A column with too many values for that has its quantiles instead,
and any number between two of them may be drawn.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

HERE = Path(__file__).parent
VALUES = "values"


class Step(NamedTuple):
    """A column, and those before it that its shares depend on."""

    column: str
    given: tuple[str, ...] = ()
    quantiles: int = 0  # how many; 0: by values
    unit: int = 1  # of the numbers between quantiles


def counts(name: str) -> dict:
    """The file of a table."""
    return json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))


def drawn(counted: dict, steps: Sequence[Step], frame: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """With further columns, all text. Shares hold to a row, and every value that the real column has is there."""
    for step in steps:
        shares, cells = counted[step.column], dict(_cells(step, frame))
        column = _numbers(step, shares, cells, rng) if step.quantiles else _values(shares, cells, rng)
        frame = frame.with_columns(column.alias(step.column))
    return frame


def empty(rows: int) -> pl.DataFrame:
    """So many rows without anything but their number."""
    return pl.DataFrame({"row": np.arange(rows)})


def _cells(step: Step, frame: pl.DataFrame) -> Iterator[tuple[str, np.ndarray]]:
    """The rows of each combination of what is given."""
    if not step.given:
        yield "", np.arange(frame.height)
        return
    key = pl.concat_str(step.given, separator="|").alias("key")
    for (name,), part in frame.select(key).with_row_index().group_by("key", maintain_order=True):
        yield str(name), part["index"].to_numpy()


def spread(size: int, rng: np.random.Generator) -> np.ndarray:
    """The middles of as many equal parts of 0 to 1, in a random order: shares come out exact."""
    return (rng.permutation(size) + 0.5) / size


def _values(shares: dict, cells: dict[str, np.ndarray], rng: np.random.Generator) -> pl.Series:
    codes = np.empty(sum(map(len, cells.values())), np.int64)
    for key, rows in cells.items():
        first, *many = shares[key]
        upto = np.cumsum(many)
        codes[rows] = first + np.searchsorted(upto, spread(rows.size, rng) * upto[-1], side="right")
    _put_what_is_missing(codes, cells, shares)
    return pl.Series(shares[VALUES]).gather(codes)


def _put_what_is_missing(codes: np.ndarray, cells: dict[str, np.ndarray], shares: dict) -> None:
    """A rare value takes the seat of a frequent one, in a cell where it occurs."""
    for code in np.flatnonzero(np.bincount(codes, minlength=len(shares[VALUES])) == 0):
        key = next(key for key in cells if _occurs(code, *shares[key]))
        first, *many = shares[key]
        rows = cells[key]
        codes[rows[np.flatnonzero(codes[rows] == first + np.argmax(many))[0]]] = code


def _occurs(code: int, first: int, *many: int) -> bool:
    return 0 <= code - first < len(many) and many[code - first] > 0


def _numbers(step: Step, quantiles: dict, cells: dict[str, np.ndarray], rng: np.random.Generator) -> pl.Series:
    found = np.empty(sum(map(len, cells.values())))
    for key, rows in cells.items():
        found[rows] = between(quantiles[key], spread(rows.size, rng))
    return pl.Series((found / step.unit).round().astype(np.int64) * step.unit).cast(pl.String)


def between(quantiles: Sequence[float], shares: np.ndarray) -> np.ndarray:
    """The number below which each of these shares lies."""
    return np.interp(shares, levels(len(quantiles)), quantiles)


def levels(count: int) -> np.ndarray:
    """Which quantiles: close to one another at both ends, where numbers lie far apart."""
    return (1 - np.cos(np.linspace(0, np.pi, count))) / 2
