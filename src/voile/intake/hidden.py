"""What the cells of a published sensitive column may hide.

A blank, a word for missing, `*`, a set and an interval are no further values: each may be any of several. It
counts for every one of them, in equal parts (Tian and Zhang 2009, Definition 2). Counted as values of their own,
`HIV`, a blank and `NA` would pass for three different values.
"""

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.bags import Domain
from voile.core.base_values import Alternatives, BaseValues
from voile.core.hierarchy import EVERYTHING, Hierarchy
from voile.core.order import distinct_values
from voile.core.schema import ColumnSpec, Missing, Role, Type
from voile.errors import BeyondReach, InputError
from voile.intake.columns import MISSING_LABEL, coded, factorised
from voile.intake.label_ends import day_ends, number_ends, rank_ends, set_members
from voile.intake.missing_words import without_hiding
from voile.intake.normalise import meant, twin_keys

_SEVERAL = r'^"*\{|^\['  # how a set and an interval begin
_INTERVAL = re.compile(r"\[.*,.*[\])]")
_CLOSE = r"^\[\s*([^\s,]+)\s*,\s*([^\s,]+[\])])$"  # [20,29]: without a blank
MOST_PAIRS = 2**25  # of a cell and a value that it may be: a few gigabytes
Values = Sequence[int] | None  # numbers of values; None: all of them


def hidden(
    text: pl.Series, spec: ColumnSpec, markers: Sequence[str], tree: Hierarchy | None
) -> tuple[NDArray[np.int64], Domain | BaseValues]:
    """Each row's cell as a number, and what it may be; of cells that are all single values, only these.

    >>> from voile.core.schema import Role
    >>> spec = ColumnSpec("disease", Role.SENSITIVE)
    >>> codes, values = hidden(pl.Series(["HIV", None, "flu", "{flu, gout}"]), spec, (), None)
    >>> values.total[codes].tolist()
    [1, 3, 1, 2]
    """
    cells = factorised(spec, text, markers)
    present, index = np.unique(cells.index, return_inverse=True)
    said = _said(cells.distinct.gather(present), spec, tree)
    several = said.str.contains(_SEVERAL).fill_null(True)
    if spec.type == Type.CATEGORY and tree is None and not several.any():
        return distinct_values(coded(spec, said, (), None).codes[index])[1], None
    members = [[cell] if cell is None else set_members(cell) or [cell] for cell in said.to_list()]
    words = list(dict.fromkeys(word for own in members for word in own if word is not None))
    said = _said(factorised(spec, pl.Series(words, dtype=pl.String), markers).in_rows(), spec, tree)
    known = said.drop_nulls().unique(maintain_order=True)
    if spec.type == Type.CATEGORY:
        coded(spec, known, (), None)  # refuses one value in two spellings
    meaning, number = _in_order(known, spec) if tree is None else _in_tree(known, spec, tree)
    by_name: dict[str | None, Values] = {None: None, **dict(zip(known.to_list(), meaning, strict=True))}
    by_word: dict[str | None, Values] = {None: None}
    by_word |= {word: by_name[name] for word, name in zip(words, said.to_list(), strict=True)}
    each = [_together([by_word[word] for word in own]) for own in members]
    each, number = _unshared_as_one(each, number) if tree is None else (each, number)
    whole = tree if tree is not None and number == tree.leaves else None
    return _codes_and_meaning(
        index, [range(max(1, number)) if own is None else own for own in each], number, whole
    )


def _codes_and_meaning(
    index: NDArray[np.int64], each: list[Sequence[int]], number: int, tree: Hierarchy | None
) -> tuple[NDArray[np.int64], Domain | BaseValues]:
    """The rows' cells, each of which may be any of some values."""
    lengths = [len(own) for own in each]
    if max(lengths, default=1) == 1:
        return np.array([own[0] for own in each], np.int64)[index], tree
    if sum(lengths) > MOST_PAIRS:
        raise BeyondReach(
            "too many cells that may be any of very many values",
            where="sensitive values",
            rule=f"at most {MOST_PAIRS} pairs of such a cell and a value",
            remedy="round the ends of intervals, and leave out the rows whose value is missing",
        )
    return index, Alternatives.of(each, max(1, number), tree)


def _said(cells: pl.Series, spec: ColumnSpec, tree: Hierarchy | None) -> pl.Series:
    """Cells that say something; null where one may be anything. Missing ones are one value if the spec says so."""
    known = without_hiding(cells, spec, tree)
    known = known.fill_null(MISSING_LABEL) if spec.missing == Missing.CATEGORY else known
    known = known.set((known == EVERYTHING).fill_null(False), None)
    return known.str.replace(_CLOSE, "[${1}, ${2}")


def _together(values: Sequence[Values]) -> Values:
    """The values that any of some words may be."""
    if len(values) == 1 or any(own is None for own in values):
        return values[0] if len(values) == 1 else None
    return sorted({value for own in values if own is not None for value in own})


def _unshared_as_one(each: list[Values], number: int) -> tuple[list[Values], int]:
    """A set of values that no other cell may be is one value: groups of diagnoses, for example."""
    used = np.zeros(number + 1, np.int64)
    for own in each:
        if isinstance(own, range):
            used[own.start] += 1
            used[own.stop] -= 1
    used = np.cumsum(used)[:number]
    sets = [own for own in each if isinstance(own, list)]
    for own in sets:
        used[own] += 1
    first = np.arange(number)
    for own in sets:
        if (used[own] == 1).all():
            first[own] = own[0]
    kept, place = np.unique(first, return_inverse=True)
    if kept.size == number:
        return each, number
    return [None if own is None else _new_numbers(own, place) for own in each], kept.size


def _new_numbers(own: Sequence[int], place: NDArray[np.int64]) -> Sequence[int]:
    """Values by their new numbers; between those of an interval none has gone."""
    if isinstance(own, range):
        return range(int(place[own.start]), int(place[own.start]) + len(own))
    return sorted({int(value) for value in place[list(own)]})


def _in_tree(words: pl.Series, spec: ColumnSpec, tree: Hierarchy) -> tuple[list[Values], int]:
    """The leaves under each word. What is no node is a value of its own, if it can be one of the column."""
    keys, labels = _keys(words, spec), _keys(pl.Series(tree.labels, dtype=pl.String), spec)
    under = {label: range(low, high + 1) for label, low, high in zip(labels, tree.low, tree.high, strict=True)}
    number = tree.leaves
    own = spec.type == Type.CATEGORY
    for word, key in zip(words.to_list(), keys, strict=True):
        if key not in under and (word == MISSING_LABEL or (own and not _INTERVAL.fullmatch(word))):
            under[key] = range(number, number + 1)
            number += 1
    return [under.get(key) for key in keys], number


def _in_order(words: pl.Series, spec: ColumnSpec) -> tuple[list[Values], int]:
    """Values, and intervals as the values that are published between their ends. An interval that cannot be read
    may be anything, and so may any other word in a column of numbers, dates or ranks."""
    meaning: list[Values] = [None] * words.len()
    left, number = np.ones(words.len(), bool), 0
    for low, high in _readings(words, spec):
        placed = (low <= high).fill_null(False).to_numpy() & left
        ends = [end.filter(placed).cast(pl.Int64).to_numpy() for end in (low, high)]
        between, values = _between(*ends)
        for i, (first, after) in zip(np.flatnonzero(placed).tolist(), between, strict=True):
            meaning[i] = range(number + first, number + after)
        left, number = left & ~placed, number + values
    rest: dict[Hashable, int] = {}
    for i, (word, key) in enumerate(zip(words.to_list(), _keys(words, spec), strict=True)):
        if left[i] and (word == MISSING_LABEL or (spec.type == Type.CATEGORY and not _INTERVAL.fullmatch(word))):
            place = number + rest.setdefault(key, len(rest))
            meaning[i] = range(place, place + 1)
    return meaning, number + len(rest)


def _readings(words: pl.Series, spec: ColumnSpec) -> Iterator[tuple[pl.Series, pl.Series]]:
    """Both ends of words as ranks, days or numbers, null where one is none; in a column of words only if there are
    intervals of them."""
    if spec.type == Type.ORDINAL:
        yield rank_ends(words, {name: rank for rank, name in enumerate(spec.order)})
        return
    bracket = words.str.starts_with("[")
    for type_, ends in ((Type.DATE, day_ends(words)), (Type.DECIMAL, number_ends(words))):
        own = spec.type == type_ or (spec.type, type_) == (Type.INTEGER, Type.DECIMAL)
        if ends is not None and (own or (spec.type == Type.CATEGORY and (bracket & ends[0].is_not_null()).any())):
            yield ends[0], ends[1]


def _between(low: NDArray[np.int64], high: NDArray[np.int64]) -> tuple[list[tuple[int, int]], int]:
    """Of each value and interval the places of the values in it, and how many values there are. Intervals that
    overlap and hold no value are one value together: what they hide may be the same."""
    points = np.unique(low[low == high])
    first, after = np.searchsorted(points, low), np.searchsorted(points, high, side="right")
    empty = np.flatnonzero(first == after)
    number = points.size
    if empty.size:
        wide = np.flatnonzero(low < high)
        wide = wide[np.argsort(low[wide], kind="stable")]
        reach = np.maximum.accumulate(high[wide])
        begins = np.concatenate(([True], low[wide][1:] > reach[:-1]))
        part = np.empty(low.size, np.int64)
        part[wide] = np.cumsum(begins) - 1
        starts, ends = low[wide][begins], reach[np.append(np.flatnonzero(begins)[1:] - 1, wide.size - 1)]
        first[empty] = np.searchsorted(points, starts[part[empty]])
        after[empty] = np.searchsorted(points, ends[part[empty]], side="right")
        none = empty[first[empty] == after[empty]]
        own, place = np.unique(part[none], return_inverse=True)
        first[none], after[none] = points.size + place, points.size + place + 1
        number += own.size
    return list(zip(first.tolist(), after.tolist(), strict=True)), number


def _keys(words: pl.Series, spec: ColumnSpec) -> list[Hashable]:
    """Equal for the same value: numbers in any form, spellings if the spec merges them."""
    if spec.type != Type.CATEGORY:
        return [meant(word) for word in words.to_list()]
    return list((twin_keys(words) if spec.casefold else words).to_list())


def refuse_several(spec: ColumnSpec, domain: Axis | Hierarchy) -> None:
    """Refuse to publish values that every reader, and our audit, takes for others, or for a set or an interval of
    others."""
    if spec.role != Role.SENSITIVE or not isinstance(domain, Hierarchy) or not domain.is_flat:
        return
    values = pl.Series(domain.labels[: domain.leaves], dtype=pl.String)
    if not values.str.contains(_SEVERAL).any():
        return
    codes, meaning = hidden(values, replace(spec, hierarchy=None), (), None)
    if isinstance(meaning, BaseValues) or np.unique(codes).size < values.len():
        raise InputError(
            "values that would be read as sets or intervals of others",
            where=f"column {spec.name}",
            rule="{a, b} stands for a or b, [20, 29] for any number between",
            remedy="rename them, or name them in a hierarchy",
        )
