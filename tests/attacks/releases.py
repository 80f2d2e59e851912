"""Random small releases as the adversary reads them, and candidate sets by the letter of Definition 15."""

import numpy as np
from hypothesis import strategies as st

from voile.attacks.candidate_sets import CoveredPlaces, PublishedGroups

VALUES = 70  # more than one word has bits


@st.composite
def columns(draw, places, groups):
    """A column: labels that are intervals, empty ones, and sets; and which label each group has."""
    low, high, first, members = [], [], [0], []
    for _ in range(draw(st.integers(1, 4))):
        listed = draw(st.lists(st.integers(0, places - 1), unique=True, max_size=3))
        a, b = draw(st.integers(0, places - 1)), draw(st.integers(-1, places - 1))
        low.append(min(listed) if listed else a)
        high.append(max(listed) if listed else b)
        members += sorted(listed)
        first.append(len(members))
    label = draw(st.lists(st.integers(0, len(low) - 1), min_size=groups, max_size=groups))
    arrays = (np.array(numbers, np.int64) for numbers in (low, high, first, members))
    return CoveredPlaces(*arrays), np.array(label, np.int64)


@st.composite
def releases(draw, places=(3, 6, 700), groups=None):
    """Groups over columns of so many places; 700 are more than a column has cells."""
    number = draw(st.integers(0, 12)) if groups is None else groups
    values = [draw(st.lists(st.integers(0, VALUES - 1), unique=True, max_size=3)) for _ in range(number)]
    start = np.cumsum([0, *map(len, values)])
    codes = np.array([code for codes in values for code in codes], np.int64)
    return PublishedGroups(tuple(draw(columns(p, number)) for p in places), start, codes)


def covers(groups, g, point):
    """Whether every column's label of a group covers the point."""
    for (places, label), place in zip(groups.columns, point, strict=True):
        at = label[g]
        members = places.members[places.first[at] : places.first[at + 1]]
        if members.size and place not in members:
            return False
        if not members.size and not places.low[at] <= place <= places.high[at]:
            return False
    return True


def literal_candidate_set(groups, point):
    """The union of the values of all groups that cover a point."""
    found = set()
    for g in range(groups.groups):
        if covers(groups, g, point):
            found |= set(groups.codes[groups.start[g] : groups.start[g + 1]].tolist())
    return found


def as_set(words):
    """Bits of words as numbers."""
    return {64 * w + bit for w, word in enumerate(words) for bit in range(64) if (int(word) >> bit) & 1}
