"""What the cells of a published sensitive column may hide.

A blank, a word for missing, `*`, a set and an interval are no further values: each may be any of several. It
counts for every one of them, in equal parts (paper 002, Definition 2). Counted as values of their own, `HIV`, a
blank and `NA` would pass for three different values.
"""

import re
from collections.abc import Hashable, Sequence
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
from voile.errors import InputError
from voile.intake.columns import MISSING_LABEL, coded, factorised
from voile.intake.label_ends import day_ends, number_ends, rank_ends, set_members
from voile.intake.missing_words import without_hiding
from voile.intake.normalise import meant, twin_keys

_SEVERAL = r'^"*\{|^\['  # how a set and an interval begin
_INTERVAL = re.compile(r"\[.*, .*[\])]")
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
    members = [None if cell is None else set_members(cell) or [cell] for cell in said.to_list()]
    words = list(dict.fromkeys(word for own in members if own is not None for word in own))
    single = dict(zip(words, _said(pl.Series(words, dtype=pl.String), spec, tree).to_list(), strict=True))
    known = list(dict.fromkeys(word for word in single.values() if word is not None))
    if spec.type == Type.CATEGORY:
        coded(spec, pl.Series(known, dtype=pl.String), (), None)  # refuses one value in two spellings
    meaning, number = _in_tree(known, spec, tree) if tree is not None else _in_order(known, spec)
    by_word: dict[str | None, Values] = {None: None, **dict(zip(known, meaning, strict=True))}
    each = [_together([by_word[single[w]] for w in own] if own else [None], max(1, number)) for own in members]
    if tree is None:
        each, number = _unshared_as_one(each, number)
    whole = tree if tree is not None and number == tree.leaves else None
    if all(len(own) == 1 for own in each):
        return np.array([own[0] for own in each], np.int64)[index], whole
    return index, Alternatives.of(each, max(1, number), whole)


def _said(cells: pl.Series, spec: ColumnSpec, tree: Hierarchy | None) -> pl.Series:
    """Cells that say something; null where one may be anything. Missing ones are one value if the spec says so,
    and a word is a value if the spec's order or hierarchy names it."""
    named = (*spec.order, *(tree.labels if tree is not None else ()))
    known = without_hiding(cells, named)
    known = known.fill_null(MISSING_LABEL) if spec.missing == Missing.CATEGORY else known
    return known.set((known == EVERYTHING).fill_null(False), None)


def _together(values: Sequence[Values], number: int) -> Sequence[int]:
    """The values that any of some words may be, of so many."""
    if len(values) == 1 and values[0] is not None:
        return values[0]
    if any(own is None for own in values):
        return range(number)
    return sorted({value for own in values if own is not None for value in own})


def _unshared_as_one(each: list[Sequence[int]], number: int) -> tuple[list[Sequence[int]], int]:
    """A set or an interval of values that no other cell may be is one value: bands of incomes, for example."""
    sayings = [own for own in each if len(own) < max(1, number)]  # one that may be anything is no other cell
    used = np.bincount([value for own in sayings for value in own], minlength=max(1, number))
    first = np.arange(max(1, number))
    for own in sayings:
        if len(own) > 1 and (used[own] == 1).all():
            first[own] = own[0]
    kept, place = np.unique(first, return_inverse=True)
    return [np.unique(place[own]).tolist() for own in each], kept.size


def _in_tree(words: Sequence[str], spec: ColumnSpec, tree: Hierarchy) -> tuple[list[Values], int]:
    """The leaves under each word. What is no node is a value of its own, if it can be one of the column."""
    keys, labels = _keys(words, spec), _keys(tree.labels, spec)
    under = {label: range(low, high + 1) for label, low, high in zip(labels, tree.low, tree.high, strict=True)}
    number = tree.leaves
    for word, key in zip(words, keys, strict=True):
        if key not in under and spec.type == Type.CATEGORY and not _INTERVAL.fullmatch(word):
            under[key] = range(number, number + 1)
            number += 1
    return [under.get(key) for key in keys], number


def _in_order(words: Sequence[str], spec: ColumnSpec) -> tuple[list[Values], int]:
    """Values, and intervals as the values that are published between their ends, and these. In a column of
    numbers, dates or ranks a word that is none of them may be anything."""
    placed, low, high = _ends(pl.Series(words, dtype=pl.String), spec)
    if spec.type == Type.CATEGORY and not (low < high).any():
        placed[:] = False  # no interval: words, also those that look like numbers
    points = np.unique(np.concatenate([low[placed], high[placed]]))
    first, after = np.searchsorted(points, low), np.searchsorted(points, high, side="right")
    meaning: list[Values] = [range(a, b) if p else None for p, a, b in zip(placed, first, after, strict=True)]
    if spec.type != Type.CATEGORY:
        return meaning, points.size
    rest: dict[Hashable, int] = {}
    for i, key in enumerate(_keys(words, spec)):
        if not placed[i]:
            place = points.size + rest.setdefault(key, len(rest))
            meaning[i] = range(place, place + 1)
    return meaning, points.size + len(rest)


def _ends(words: pl.Series, spec: ColumnSpec) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
    """Which words are numbers, days, ranks or intervals of them, and both ends of these."""
    if spec.type == Type.ORDINAL:
        low, high = rank_ends(words, {name: rank for rank, name in enumerate(spec.order)})
    elif spec.type == Type.DATE:
        low, high = day_ends(words)
    else:
        numbers = number_ends(words)
        low, high = numbers[:2] if numbers is not None else day_ends(words)
        if spec.type == Type.CATEGORY and low.null_count() == words.len():
            low, high = day_ends(words)
    sound = (low <= high).fill_null(False)
    ends = [end.set(~sound, 0).cast(pl.Int64).to_numpy() for end in (low, high)]
    return sound.to_numpy().copy(), ends[0], ends[1]


def _keys(words: Sequence[str], spec: ColumnSpec) -> list[Hashable]:
    """Equal for the same value: numbers in any form, spellings if the spec merges them."""
    if spec.type != Type.CATEGORY:
        return [meant(word) for word in words]
    return twin_keys(pl.Series(words, dtype=pl.String)).to_list() if spec.casefold else list(words)


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
