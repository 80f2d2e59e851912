"""Candidate sets: which sensitive values are left for a person after several releases
(Xiao and Tao 2007, section 3.2).

The adversary knows who is in which release, and everybody's quasi-identifiers. A person's value in a release is in
one of the groups whose boxes cover the person: the union of their values is the candidate set CSS(j) of
Definition 15. Somebody who believes that values last intersects these sets over all releases the person is in
(Lemma 2); if one value is left, it is told beyond doubt (Lemma 1).
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voile.core.order import dense_rank
from voile.kernels.candidate_sets import (
    BLOCK,
    BoxTree,
    collect_values,
    count_bits,
    fill_cover,
    nodes_over,
    tree_order,
    unite_words,
    value_bits,
)

Integers = NDArray[np.int64]
_BITS = 64
_THREADS = 2
_CHUNK = 4096  # points that a thread takes at a time
_CELLS = 512  # of a column; with more places, several share one


@dataclass(frozen=True, repr=False, eq=False)
class CoveredPlaces:
    """What the distinct labels of a published column cover. A place is the rank of a value among those that
    anybody is known to have: label i covers places low[i] .. high[i], none if low is above high; of a set only
    members[first[i]:first[i + 1]], where that is not empty."""

    low: Integers
    high: Integers
    first: Integers
    members: Integers

    @classmethod
    def intervals(cls, low: Integers, high: Integers) -> "CoveredPlaces":
        """Labels that are no sets."""
        return cls(low, high, np.zeros(low.size + 1, np.int64), np.empty(0, np.int64))


@dataclass(frozen=True, repr=False, eq=False)
class PublishedGroups:
    """A release as the adversary reads it: in each column which label each group has and what labels cover; and
    the values of each group, codes[start[g]:start[g + 1]]."""

    columns: tuple[tuple[CoveredPlaces, Integers], ...]
    start: Integers
    codes: Integers

    @property
    def groups(self) -> int:
        """How many groups are published."""
        return int(self.start.size - 1)

    def boxes(self) -> tuple[NDArray[np.int32], Integers, Integers, Integers]:
        """Of each group low and high of every column; the label of every column, numbered over all columns; and
        of each label where its members begin, and the members."""
        ends = [(places.low[label], places.high[label]) for places, label in self.columns]
        boxes = np.stack([end for pair in ends for end in pair], axis=1).astype(np.int32)
        labels = np.cumsum([0, *(places.low.size for places, _ in self.columns)])
        label = np.stack([at + label for at, (_, label) in zip(labels, self.columns, strict=False)], axis=1)
        sizes = np.concatenate([np.diff(places.first) for places, _ in self.columns])
        first = np.concatenate(([0], np.cumsum(sizes)))
        return boxes, label, first, np.concatenate([places.members for places, _ in self.columns])

    def tree(self, points: NDArray[np.int32], words: int) -> BoxTree:
        """The groups in a tree in which points are quickly found."""
        boxes, label, first, members = self.boxes()
        order = tree_order(boxes)
        boxes, bits, label = boxes[order], value_bits(self.start, self.codes, words)[order], label[order]
        highest = [
            max(p.max(initial=0), side.high.max(initial=0))
            for p, (side, _) in zip(points.T, self.columns, strict=True)
        ]
        places = np.array(highest, np.int64) + 1
        row = np.concatenate(([0], np.cumsum(np.minimum(places, _CELLS))))
        cover = np.zeros((int(row[-1]), -(-self.groups // BLOCK)), np.int64)
        with ThreadPoolExecutor(_THREADS) as threads:
            columns = range(len(self.columns))
            list(threads.map(lambda c: fill_cover(cover, row, c, boxes, label, first, members), columns))
        node_boxes, node_bits, start, stop = nodes_over(boxes, bits)
        shared = places > _CELLS
        return BoxTree(boxes, bits, label, first, members, row, shared, cover, node_boxes, node_bits, start, stop)


def candidate_sets(
    groups: PublishedGroups, points: NDArray[np.int32], wanted: Integers | None = None, *, values: int
) -> Integers:
    """CSS of each point (a row of places), as bits of 64-bit words; of the `wanted` bits only, where given.

    >>> ages = CoveredPlaces.intervals(np.array([0, 1]), np.array([1, 2]))  # two groups: ages 21-22, ages 22-23
    >>> groups = PublishedGroups(((ages, np.array([0, 1])),), np.array([0, 2, 4]), np.array([0, 1, 1, 2]))
    >>> [f"{int(word):b}" for word in candidate_sets(groups, np.array([[0], [1], [2]], np.int32), values=3)[:, 0]]
    ['11', '111', '110']
    """
    words = words_for(values)
    points = np.ascontiguousarray(points, np.int32)
    if wanted is None:
        wanted = np.full((len(points), words), -1, np.int64)
    found = np.zeros((len(points), words), np.int64)
    tree = groups.tree(points, words)
    with ThreadPoolExecutor(_THREADS) as threads:
        starts = range(0, len(points), _CHUNK)
        list(
            threads.map(
                lambda a: collect_values(tree, points, wanted, found, a, min(a + _CHUNK, len(points))), starts
            )
        )
    return found


def words_for(values: int) -> int:
    """How many 64-bit words hold a bit for each of so many values.

    >>> words_for(50), words_for(65)
    (1, 2)
    """
    return max(1, -(-values // _BITS))


class Intersections:
    """What is left for each person, release by release.

    `left` are the words of values that all releases of a person allow; `first` is the number of the first release
    with the person (0: none yet), `told` that of the release after which a single value was left (0: not so).

    >>> ages = CoveredPlaces.intervals(np.array([0]), np.array([1]))
    >>> seen = Intersections(2)
    >>> for codes in ([0, 1], [1, 2]):
    ...     group = PublishedGroups(((ages, np.array([0])),), np.array([0, 2]), np.array(codes))
    ...     seen.see(group, np.array([[0], [1]], np.int32), np.array([0, 1]), values=3)
    >>> seen.sizes.tolist(), seen.told.tolist()
    ([1, 1], [2, 2])
    """

    def __init__(self, persons: int) -> None:
        self.releases = 0
        self.left = np.zeros((persons, 1), np.int64)
        self.sizes = np.zeros(persons, np.int64)
        self.first = np.zeros(persons, np.int64)
        self.told = np.zeros(persons, np.int64)

    def see(self, groups: PublishedGroups, points: NDArray[np.int32], persons: Integers, *, values: int) -> None:
        """One more release, with these persons at these points; `values` is how many are known by now."""
        self.releases += 1
        self._grow(persons, words_for(values))
        new = self.first[persons] == 0
        self.first[persons[new]] = self.releases
        place = dense_rank(list(points.T))
        some = np.zeros(int(place.max(initial=-1)) + 1, np.int64)
        some[place] = np.arange(place.size)
        wanted = np.zeros((some.size, self.left.shape[1]), np.int64)
        mine = self.left[persons]
        mine[new] = -1
        unite_words(place, mine, wanted)
        mine &= candidate_sets(groups, points[some], wanted, values=values)[place]
        self.left[persons] = mine
        self.sizes[persons] = count_bits(mine)
        fresh = persons[(self.sizes[persons] == 1) & (self.told[persons] == 0)]
        self.told[fresh] = self.releases

    def pass_by(self) -> None:
        """A release in which nobody is known to be."""
        self.releases += 1

    def _grow(self, persons: Integers, words: int) -> None:
        """Room for more persons and values. A value never published before is left for nobody who was."""
        more = max(0, int(persons.max(initial=-1)) + 1 - self.sizes.size)
        wider = max(0, words - self.left.shape[1])
        if more or wider:
            self.left = np.pad(self.left, ((0, more), (0, wider)))
            self.sizes, self.first, self.told = (np.pad(a, (0, more)) for a in (self.sizes, self.first, self.told))


@dataclass(frozen=True)
class Score:
    """The adversary's certainties against the truth."""

    told: int  # persons with one value left
    right: int  # of those, the ones who have, or had, that value
    none: int  # persons with no value left: theirs changed, or they were not in a release after all


def score(seen: Intersections, person: Integers, value: Integers) -> Score:
    """Grade what is left; `value` is a code that `person` truly has in some release, repeats allowed.

    Where every release holds a person's one true value, what is left always contains it: `right` equals `told`.
    """
    told = seen.sizes == 1
    asked = told[person]
    person, value = person[asked], value[asked]
    word = seen.left[person, value // _BITS]
    right = (word >> (value % _BITS)) & 1 == 1
    return Score(
        int(told.sum()), int(np.unique(person[right]).size), int(((seen.sizes == 0) & (seen.first > 0)).sum())
    )
