"""The minimality attack: what a release tells somebody who knows how it was searched for
(Liu et al. 2015, section 2).

The adversary knows everybody's quasi-identifiers, the sequence of generalizations, the property and the strategy,
and sees the release. Tables for which the search would have ended elsewhere are ruled out; what is left are
equally likely tables, in which everybody's values are counted. Where there are several ways to the same release (a
function that is used again, or a secret choice of functions), a table counts once for each way.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.core.bags import Bag
from voile.core.generalizations import Generalizations, Groups
from voile.core.order import dense_rank, distinct_values
from voile.errors import BeyondReach, ParameterError
from voile.theory.costs import LIMIT
from voile.theory.evaluation import TableSet, disclosure_set, permutation_set
from voile.theory.set_figures import broken_for
from voile.theory.set_properties import SetProperty
from voile.theory.strategies import Strategy

Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
MOST_CHOSEN = 12  # functions of which every subset is looked at


class Seen(NamedTuple):
    """A release as the adversary sees it: the published group of each known person, and each group's values."""

    group: Groups
    bag: Bag


class Search(NamedTuple):
    """What the adversary knows of the search. Without a strategy it was naive over a secret choice of at least two
    functions, every choice as likely as any other (Liu et al. 2015, section 7)."""

    sequence: Generalizations
    wanted: SetProperty
    strategy: Strategy | None


class Way(NamedTuple):
    """How the search may have come to a release: so many times, by this function of this sequence."""

    weight: int
    sequence: Generalizations
    strategy: Strategy
    function: int


@dataclass(frozen=True, repr=False, eq=False)
class Conclusion:
    """What the adversary concludes. `functions` are the places, counted from 1, where the sequence has what was
    disclosed; `face` are the tables that look like the release, `left` those that are not ruled out."""

    functions: tuple[int, ...]
    face: TableSet
    left: TableSet
    codes: Integers  # of the values that the sets count, as in the bag
    above: Flags  # of each person: whether the property is broken

    @property
    def certain(self) -> Flags:
        """Of each person: whether a single value is left."""
        return np.array([ratio == 1 for ratio in self.left.ratios], bool)[self.left.kind]

    @property
    def guess(self) -> Integers:
        """The likeliest value of each person; of several the first."""
        best = np.array([line.index(max(line)) for line in self.left.counts], np.int64)
        return self.codes[best][self.left.kind]

    def posterior(self, person: int) -> dict[int, Fraction]:
        """How likely each value is that a person may have."""
        line = self.left.counts[int(self.left.kind[person])]
        shares = zip(self.codes.tolist(), line, strict=True)
        return {code: Fraction(count, sum(line)) for code, count in shares if count}


def matched(sequence: Generalizations, covers: Flags, sizes: Integers) -> Groups | None:
    """The published group of each person, by the function whose groups can be told in the release: each is wholly
    inside a published box with as many rows, in one way only. None if there is no such function, or several that
    group persons differently.

    `covers` says for each person which published boxes the person is in, `sizes` the rows of each.

    >>> pairs = Generalizations.of_groups([[[0, 1], [2, 3]]], 4)
    >>> covers = np.array([[True, True], [True, True], [True, False], [True, False]])
    >>> matched(pairs, covers, np.array([2, 2])).tolist()
    [1, 1, 0, 0]
    """
    found: list[Groups] = []
    for own in sequence.functions:
        rows = np.bincount(own)
        if np.array_equal(np.sort(rows), np.sort(sizes)):
            inside = np.logical_and.reduceat(
                covers[np.argsort(own, kind="stable")], np.cumsum(rows) - rows, axis=0
            )
            place = _only_matching(inside & (rows[:, None] == sizes))
            if place is not None and not any(np.array_equal(place[own], other) for other in found):
                found.append(place[own])
    return found[0] if len(found) == 1 else None


def _only_matching(fits: Flags) -> Integers | None:
    """Who goes with whom, if there is exactly one way: only then somebody who is left always has one choice."""
    fits, place = fits.copy(), np.full(len(fits), -1, np.int64)
    for _ in range(len(fits)):
        single = np.flatnonzero((fits.sum(axis=1) == 1) & (place < 0))
        if not single.size:
            return None
        row = int(single[0])
        place[row] = int(np.argmax(fits[row]))
        fits[:, place[row]] = False
    return place


def recognised(sequence: Generalizations, group: Groups) -> tuple[int, ...]:
    """Which functions, counted from 1, put exactly those persons together who are published together.

    >>> recognised(Generalizations.of_groups([[[0, 1], [2]], [[0, 1, 2]], [[2], [0, 1]]], 3), np.array([7, 7, 1]))
    (1, 3)
    """
    wanted = dense_rank([group])
    groups = int(wanted.max(initial=-1)) + 1
    found = []
    for i, own in enumerate(sequence.functions, 1):
        same = int(own.max(initial=-1)) + 1 == groups == int(dense_rank([own, wanted]).max(initial=-1)) + 1
        found += [i] if same else []
    return tuple(found)


def conclude(seen: Seen, search: Search, *, limit: int = LIMIT) -> Conclusion:
    """All that the adversary can tell; `limit`: millions of steps that the exact answer may take.

    >>> clinic = Generalizations.of_groups([[[0, 1], [2, 3], [4, 5]], [[0, 1, 2], [3, 4, 5]]], 6)
    >>> half = np.array([0, 0, 0, 1, 1, 1])  # the groups of g2: flu, cold, cancer and cancer, headache, toothache
    >>> from voile.theory.set_properties import Distinct
    >>> seen = Seen(half, Bag.of(half, np.array([2, 1, 0, 0, 3, 4]), 2))
    >>> found = conclude(seen, Search(clinic, Distinct(2), Strategy.naive(2)))
    >>> found.functions, found.face.size, found.left.size, found.certain.tolist()
    ((2,), 36, 4, [False, False, True, True, False, False])
    """
    places = recognised(search.sequence, seen.group)
    if not places:
        raise _does_not_fit("no function of the sequence puts the published groups together")
    codes, values = _some_table(seen)
    face = permutation_set(search.sequence, values, search.wanted, places[0])
    rows = np.bincount(seen.group)[seen.group]
    left = _joined(list(_sets(search, places, values, face.holds, limit)), rows, search.wanted)
    if left is None:
        raise _does_not_fit("this search would not have disclosed this release, whatever the table")
    return Conclusion(places, face, left, codes, np.array(broken_for(left, rows.tolist(), search.wanted), bool))


def _some_table(seen: Seen) -> tuple[Integers, Integers]:
    """The values there are, and a table that looks like the release: any will do, since all of them give the same
    sets."""
    codes, number = distinct_values(seen.bag.codes)
    values = np.empty(seen.group.size, np.int64)
    order = np.argsort(seen.group, kind="stable")
    values[order] = np.repeat(number, seen.bag.counts)
    return codes, values


def _sets(
    search: Search, places: tuple[int, ...], values: Integers, passes: bool, limit: int
) -> Iterator[tuple[int, TableSet]]:
    """The tables of each way on which the search discloses what it has come to."""
    for way in _ways(search, places):
        if not passes and way.strategy.kind != "safe":
            continue
        tables = disclosure_set(way.sequence, values, search.wanted, way.strategy, way.function, limit=limit)
        if tables.size != 0 and (way.strategy.kind == "naive" or tables.holds):
            yield way.weight, tables


def _ways(search: Search, places: tuple[int, ...]) -> Iterator[Way]:
    sequence, n = search.sequence, len(search.sequence)
    if search.strategy is None and places[-1] > MOST_CHOSEN:
        raise BeyondReach(
            f"secret choices among the {places[-1] - 1} functions before the one disclosed",
            where="minimality attack",
            rule=f"every choice is looked at, up to function {MOST_CHOSEN}",
            remedy="take fewer functions, or begin later",
        )
    for i in places:
        if search.strategy is not None or n == 1:
            yield Way(1, sequence, search.strategy or Strategy.naive(1), i)
            continue
        for size in range(i):
            for tried in combinations(range(i - 1), size):  # before it; what was chosen after it is all the same
                chosen = tuple(sequence.functions[j] for j in (*tried, i - 1))
                weight = 2 ** (n - i) - (size == 0)  # at least two are chosen
                if weight:
                    yield Way(weight, Generalizations(chosen), Strategy.naive(size + 1), size + 1)


def _joined(sets: list[tuple[int, TableSet]], rows: Integers, wanted: SetProperty) -> TableSet | None:
    """Tables of several ways together."""
    if not sets:
        return None
    if len(sets) == 1:
        return sets[0][1]
    if not all(tables.counted for _, tables in sets):
        raise BeyondReach(
            "several ways to the release, with more tables than were counted",
            where="minimality attack",
            rule="ways are weighed by how many tables each has",
            remedy="allow more with a larger limit; or take fewer or coarser functions",
        )
    kind = dense_rank([np.asarray(tables.kind, np.int64) for _, tables in sets] + [rows])
    first = np.unique(kind, return_index=True)[1]
    counts = []
    for row in first.tolist():
        lines = [[weight * count for count in tables.counts[int(tables.kind[row])]] for weight, tables in sets]
        counts.append(tuple(map(sum, zip(*lines, strict=True))))
    holds = all(wanted.holds(line, int(rows[row])) for line, row in zip(counts, first.tolist(), strict=True))
    return TableSet(sum(weight * tables.size for weight, tables in sets), tuple(counts), kind, holds)


def _does_not_fit(what: str) -> ParameterError:
    return ParameterError(
        what,
        where="release",
        rule="an adversary reasons about the search that found the release",
        remedy="give the sequence, the property and the strategy it was made with, and exactly the persons in it",
    )


@dataclass(frozen=True)
class Score:
    """The adversary's guesses against the truth."""

    told: int  # persons with one value left
    told_right: int
    above: int  # persons for whom the property is broken
    above_right: int  # of those, whose likeliest value is the true one


def score(found: Conclusion, truth: Integers) -> Score:
    """Grade the guesses; `truth` is the code of each person's value. Who knows the search is never wrong about a
    value that is told."""
    right = found.guess == truth
    told, above = found.certain, found.above
    return Score(int(told.sum()), int((told & right).sum()), int(above.sum()), int((above & right).sum()))
