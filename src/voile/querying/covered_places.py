"""Which of the values that people are known to have a published label covers."""

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile.attacks.candidate_sets import CoveredPlaces
from voile.core.axis import Axis
from voile.core.hierarchy import EVERYTHING, Hierarchy
from voile.core.hierarchy_recipe import Recipe
from voile.core.order import distinct_values
from voile.core.schema import ColumnSpec, Role, Type
from voile.core.table import Column
from voile.errors import InputError
from voile.intake.columns import MISSING_LABEL
from voile.intake.label_ends import day_ends, is_half_open, number_ends, rank_ends, set_members, unreadable
from voile.intake.normalise import normalised, one_spelling

Integers = NDArray[np.int64]
_NOWHERE = np.iinfo(np.int64).min  # the code of a missing value on an axis
_PLAIN_SET = r'^\{[^"{}]+\}$'  # no quoted names: quick to take apart
_REMEDY = "give the spec, with its hierarchies, that the release was made with"


def covered_places(spec: ColumnSpec, column: Column, labels: pl.Series) -> tuple[CoveredPlaces, Integers]:
    """What distinct labels of a column cover of the values known, and the place of each known row.

    `column` is how the adversary knows it (a spec without built-in hierarchies), `labels` are texts of a release.

    >>> ages = Column("age", Role.QUASI_IDENTIFYING, Axis(Type.INTEGER, 21, 50), np.array([21, 33, 50, 33]))
    >>> found, places = covered_places(
    ...     ColumnSpec("age", Role.QUASI_IDENTIFYING, Type.INTEGER), ages, pl.Series(["[20, 35]", "50", "*"])
    ... )
    >>> found.low.tolist(), found.high.tolist(), places.tolist()
    ([0, 2, 0], [1, 2, 2], [0, 1, 2, 1])
    """
    values, places = distinct_values(column.codes)
    labels = normalised(labels.fill_null(MISSING_LABEL)).fill_null(MISSING_LABEL)
    generalised = spec.role == Role.QUASI_IDENTIFYING
    if isinstance(column.domain, Axis):
        found = _on_axis(spec, column.domain, values, labels)
    elif not column.domain.is_flat:
        found = _in_tree(spec, column.domain, values, labels)
    elif isinstance(spec.hierarchy, Recipe) and generalised:
        found = _masked(spec, [column.domain.labels[code] for code in values.tolist()], labels)
    else:
        found = _sets(spec, [column.domain.labels[code] for code in values.tolist()], labels, generalised)
    return found, places


def _between(values: NDArray[np.int64], low: Integers, high: Integers) -> tuple[Integers, Integers]:
    """Places of the values from low to high."""
    first = np.searchsorted(values, low).astype(np.int64)
    return first, np.searchsorted(values, high, "right").astype(np.int64) - 1


def _on_axis(spec: ColumnSpec, axis: Axis, values: Integers, labels: pl.Series) -> CoveredPlaces:
    """Numbers, dates and ranks, exactly; a missing value has the first place, if anybody lacks one."""
    missing = int(values.size > 0 and values[0] == _NOWHERE)
    scale = axis.scale
    if spec.type == Type.ORDINAL:
        low, high = rank_ends(labels, {name: rank for rank, name in enumerate(axis.names)})
    elif spec.type == Type.DATE:
        low, high = day_ends(labels)
    else:
        places = axis.scale if spec.type == Type.DECIMAL and is_half_open(labels) else None
        ends = number_ends(labels, places)
        if ends is None:
            raise InputError(
                "numbers with too many digits",
                where=f"column {spec.name}",
                rule="18 digits, decimal places included",
                remedy="round the column",
            )
        low, high, scale = ends
    read = (low.is_not_null() & high.is_not_null()).to_numpy()
    star, absent = ((labels == word).to_numpy() & ~read for word in (EVERYTHING, MISSING_LABEL))
    if (~read & ~star & ~absent).any():
        raise unreadable(spec, int((~read & ~star & ~absent).sum()), _REMEDY)
    finer, coarser = 10 ** max(0, scale - axis.scale), 10 ** max(0, axis.scale - scale)
    exact = values[missing:].astype(object) * finer  # Python's integers: no overflow, and only distinct values
    first, last = _between(exact, *(end.fill_null(0).to_numpy().astype(object) * coarser for end in (low, high)))
    first, last = first + missing, last + missing
    first[star], last[star] = 0, values.size - 1
    first[absent], last[absent] = 0, missing - 1
    return CoveredPlaces.intervals(first, last)


def _in_tree(spec: ColumnSpec, tree: Hierarchy, values: Integers, labels: pl.Series) -> CoveredPlaces:
    """Nodes of a hierarchy; a missing value that nobody has is covered by no cell but *."""
    number = {label: node for node, label in enumerate(tree.labels)} | {EVERYTHING: len(tree.labels) - 1}
    node = np.array([number.get(label, -1) for label in labels.to_list()], np.int64)
    lost = (node < 0) & (labels != MISSING_LABEL).to_numpy()
    if lost.any():
        raise unreadable(spec, int(lost.sum()), _REMEDY)
    first, last = _between(values, tree.low[node], tree.high[node])
    first[node < 0], last[node < 0] = 0, -1
    return CoveredPlaces.intervals(first, last)


def _masked(spec: ColumnSpec, names: Sequence[str], labels: pl.Series) -> CoveredPlaces:
    """Codes such as 816**: all of that length that begin so."""
    if spec.casefold:
        names, labels = [name.lower() for name in names], labels.str.to_lowercase()
    order = sorted(range(len(names)), key=lambda place: names[place])
    ascending = [names[place] for place in order]
    found = []
    for label in labels.to_list():
        shown = label.rstrip(EVERYTHING)
        if label == EVERYTHING:
            found.append(list(range(len(names))))
            continue
        begin, end = bisect_left(ascending, shown), bisect_left(ascending, shown + "\U0010ffff")
        alike = [i for i in range(begin, end) if len(ascending[i]) == len(label)]
        found.append(sorted(order[i] for i in alike))
    return _listed(found)


def _sets(spec: ColumnSpec, names: Sequence[str], labels: pl.Series, generalised: bool) -> CoveredPlaces:
    """Words, sets of words, and *."""
    pairs = (
        _words(spec, labels) if generalised else pl.DataFrame({"label": np.arange(labels.len()), "word": labels})
    )
    words = pairs["word"].unique()
    spelled = pl.DataFrame({"word": words, "name": one_spelling(words, names) if spec.casefold else words})
    known = pl.DataFrame({"name": pl.Series(names, dtype=pl.String), "place": np.arange(len(names))})
    held = pairs.join(spelled, on="word").join(known, on="name").unique(["label", "place"]).sort("label", "place")
    found = _runs(np.bincount(held["label"].to_numpy(), minlength=labels.len()), held["place"].to_numpy())
    star = (labels == EVERYTHING).to_numpy() & generalised
    found.low[star], found.high[star] = 0, len(names) - 1
    return found


def _words(spec: ColumnSpec, labels: pl.Series) -> pl.DataFrame:
    """Every word of every label; plain sets are taken apart all at once, there may be very many."""
    rows = pl.DataFrame({"label": np.arange(labels.len()), "word": labels})
    plain, odd = pl.col("word").str.contains(_PLAIN_SET), pl.col("word").str.contains(r'^["{]')
    sets = (
        rows.filter(plain).with_columns(pl.col("word").str.slice(1).str.head(-1).str.split(", ")).explode("word")
    )
    quoted = rows.filter(~plain & odd)
    taken = [set_members(label) for label in quoted["word"].to_list()]
    if None in taken:
        raise unreadable(spec, taken.count(None), "was the file changed after its release?")
    others = quoted.with_columns(pl.Series("word", taken, dtype=pl.List(pl.String))).explode("word")
    return pl.concat([rows.filter(~plain & ~odd), sets, others])


def _listed(found: list[list[int]]) -> CoveredPlaces:
    return _runs(
        np.array([len(each) for each in found], np.int64), np.array([p for each in found for p in each], np.int64)
    )


def _runs(sizes: Integers, places: Integers) -> CoveredPlaces:
    """Ascending places of each label; those that leave none out are intervals."""
    after = np.cumsum(sizes)
    first, some = after - sizes, sizes > 0
    low, high = np.zeros(sizes.size, np.int64), np.full(sizes.size, -1, np.int64)
    low[some], high[some] = places[first[some]], places[after[some] - 1]
    gaps = high - low + 1 != sizes
    kept = places[np.repeat(gaps, sizes)]
    return CoveredPlaces(low, high, np.concatenate(([0], np.cumsum(np.where(gaps, sizes, 0)))), kept)
