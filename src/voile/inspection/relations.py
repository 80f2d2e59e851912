"""What columns say together: who is unique, what tells what. From codes alone, so no value can be named."""

from collections.abc import Iterator
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.order import dense_rank, distinct_values
from voile.core.table import Column, Table
from voile.inspection.plain_text import named

SAMPLE = 20_000  # rows for statistics of pairs; shares there are estimates, unique rows are counted in full
_WIDEST = 6  # columns with the most values, among which the most telling pair is looked for
_BINS = 20
_COMPARED = 60  # columns, each with each
_TELLS = 0.99  # of rows: one column is a function of the other, but for errors
_COMMON = 0.9  # a column with one value in most rows is told by anything
_GAIN = 0.2  # of rows guessed right beyond the most frequent value


def warnings_of(table: Table) -> list[str]:
    """All that a steward should know before publishing these columns together."""
    found = [*_unique_alone(table), *_unique_together(table), *_same(table), *_telling(table)]
    return [*found, *_close(table), *_repeated(table)]


def _unique_rows(columns: list[NDArray[np.int64]]) -> int:
    """Rows whose combination nobody else has."""
    return int((np.bincount(dense_rank(columns)) == 1).sum())


def _unique_alone(table: Table) -> Iterator[str]:
    for column in table.quasi:
        alone = _unique_rows([column.codes])
        if 10 * alone >= table.n and table.n > 1:
            yield f"{named(column.name)} alone singles out {alone} of {table.n} rows ({alone / table.n:.1%})"


def _unique_together(table: Table) -> Iterator[str]:
    quasi = list(table.quasi)
    if len(quasi) < 2:
        return
    widest = sorted(quasi, key=lambda c: -distinct_values(c.codes)[0].size)[:_WIDEST]
    pairs = {(a.name, b.name): _unique_rows([a.codes, b.codes]) for a, b in combinations(widest, 2)}
    (first, second), alone = max(pairs.items(), key=lambda item: item[1])
    if 100 * alone >= table.n and len(quasi) > 2:
        names = f"{named(first)} and {named(second)}"
        yield f"{names} together single out {alone} of {table.n} rows ({alone / table.n:.1%})"
    alone = _unique_rows([c.codes for c in quasi])
    if alone:
        share = f"{alone} of {table.n} rows ({alone / table.n:.1%})"
        yield f"all quasi-identifying columns together single out {share}"


def _sampled(column: Column) -> NDArray[np.int64]:
    """Codes of a fixed sample of rows."""
    codes = column.codes
    if codes.size <= SAMPLE:
        return codes
    return codes[np.random.default_rng(0).choice(codes.size, SAMPLE, replace=False)]


def _in_parts(column: Column) -> NDArray[np.int64]:
    """Dense codes of the sample; a number of many values as twenty equal parts of the rows."""
    codes = _sampled(column)
    values, index = distinct_values(codes)
    if isinstance(column.domain, Axis) and values.size > 2 * _BINS:
        ends = np.quantile(codes, np.linspace(0, 1, _BINS + 1)[1:-1])
        index = distinct_values(np.searchsorted(ends, codes).astype(np.int64))[1]
    return index


def _guessed(known: NDArray[np.int64], wanted: NDArray[np.int64]) -> float:
    """The share of rows guessed right by the most frequent wanted value for each known one."""
    width = int(wanted.max()) + 1
    pairs, counts = np.unique(known * width + wanted, return_counts=True)
    starts = np.flatnonzero(np.diff(pairs // width, prepend=-1))
    return float(np.maximum.reduceat(counts, starts).sum() / known.size)


def _top(codes: NDArray[np.int64]) -> float:
    return float(np.bincount(codes).max() / codes.size)


def _same(table: Table) -> Iterator[str]:
    """Quasi-identifying columns of which one is a function of the other."""
    exact = {c.name: distinct_values(_sampled(c))[1] for c in table.quasi}
    exact = {name: codes for name, codes in exact.items() if 1 < codes.max() + 1 <= codes.size // 20}
    told = {name for name, codes in exact.items() if _top(codes) <= _COMMON}
    telling = {
        (a, b)
        for a, b in permutations(list(exact)[:_COMPARED], 2)
        # fewer values cannot tell more, but for errors
        if b in told and 10 * exact[a].max() >= 9 * exact[b].max() and _guessed(exact[a], exact[b]) >= _TELLS
    }
    for a, b in sorted(telling):
        if (b, a) in telling and a < b:
            yield f"{named(a)} and {named(b)} say the same: one of them is enough"
        elif (b, a) not in telling:
            yield f"{named(a)} tells {named(b)}: without {named(b)} nothing is lost"


def _close(table: Table) -> Iterator[str]:
    """Sensitive numbers: 50,000 and 50,001 are two values, but no diversity (docs/known-limits.md)."""
    for column in table.sensitive:
        if isinstance(column.domain, Axis) and distinct_values(column.codes)[0].size > 2 * _BINS:
            yield f"{named(column.name)} holds many numbers; near ones count as different: ranges protect better"


def _repeated(table: Table) -> Iterator[str]:
    """Persons whose rows share a sensitive value: their groups can be intersected (docs/known-limits.md)."""
    persons = table.persons
    if persons is None:
        return
    for column in table.sensitive:
        value = distinct_values(column.codes)[1]
        rows, different = (
            np.bincount(persons),
            np.bincount(persons[np.unique(dense_rank([persons, value]), True)[1]]),
        )
        again = int((different < rows).sum())
        if again:
            yield (
                f"{named(column.name)} is the same in several rows of {again} persons: whoever knows which rows "
                "are theirs can compare the groups and find it; publish one row per person"
            )


def _telling(table: Table) -> Iterator[str]:
    """Quasi-identifying columns that give the sensitive one away."""
    for sensitive in table.sensitive:
        wanted = distinct_values(_sampled(sensitive))[1]
        if wanted.max() > wanted.size // 50:  # too many values for the rows there are
            continue
        for column in table.quasi:
            known = _in_parts(column)
            right, base = _guessed(known, wanted), _top(wanted)
            if known.max() <= wanted.size // 50 and right - base >= _GAIN:
                yield (
                    f"{named(column.name)} tells much about {named(sensitive.name)}: it is guessed right "
                    f"in {right:.0%} of rows instead of {base:.0%}"
                )
