"""Covers and l-covers (Definitions 4 and 5): sets of persons a set of partitions does not tell apart.

Exchange two sets of persons by a bijection: if every group of SP becomes a group of SP again, the two are
covers for each other. SP is an l-cover if every colour has l - 1 disjoint covers that give each of its
persons partners of different colours and are as many in each group as the colour is. (That the covers are
disjoint is said only in the proof of Lemma 1; that the partitions are l-diverse then follows.)

**An l-cover need not be safe**: the paper says it is strongly globally safe, docs/theory.md shows one that is not.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations, permutations
from math import perm
from typing import Any

from voile.errors import ParameterError
from voile.theory.candidates import Persons, colours
from voile.theory.l_candidates import Can, Images, is_row_distinct, require_every_colour
from voile.theory.partitions import Partition, partitions, require_persons
from voile.theory.worlds import World

MOST_BIJECTIONS = 10_000


def is_cover(first: Persons, image: Persons, sp: Collection[Partition]) -> bool:
    """Definition 4 for a given bijection, person by person: does the exchange turn groups into groups?

    >>> is_cover((0, 1), (2, 3), [((0, 2), (1, 3, 4))]), is_cover((0, 1), (3, 2), [((0, 2), (1, 3, 4))])
    (True, False)
    """
    sp = _partitions_with(sp, (*first, *image))
    return _exchanges(first, image, sp)


def _partitions_with(sp: Collection[Partition], persons: Persons) -> Collection[Partition]:
    """The set in canonical form, if it has these persons."""
    sp = partitions(sp)
    for each in sp[:1]:
        require_persons(persons, sum(map(len, each)))
    return sp


def _exchanges(first: Persons, image: Persons, sp: Collection[Partition]) -> bool:
    if len(first) != len(image) or len({*first, *image}) != 2 * len(first):
        return False
    exchange = dict(zip((*first, *image), (*image, *first), strict=True))
    groups = {group for each in sp for group in each}
    return all(tuple(sorted(exchange.get(person, person) for person in group)) in groups for group in groups)


def cover(first: Persons, second: Persons, sp: Collection[Partition]) -> Persons | None:
    """A bijection by which the two sets are covers for each other, as images of the first; None if none is.

    >>> cover((0, 1), (2, 3), [((0, 3), (1, 2, 4))])
    (3, 2)
    """
    sp = _partitions_with(sp, (*first, *second))
    if len(first) != len(second):
        return None
    _require_searchable(len(first), len(second))
    return next((image for image in permutations(second) if _exchanges(first, image, sp)), None)


def is_l_cover_with(table: World, sp: Collection[Partition], can: Can, ell: int) -> bool:
    """Definition 5 for given bijections: is SP an l-cover by these?

    >>> is_l_cover_with((1, 1, 2, 2), [((0, 2), (1, 3))], {1: ((2, 3),), 2: ((0, 1),)}, 2)
    True
    """
    require_every_colour(table, can)
    sp = partitions(sp, len(table))
    return all(
        len(can[value]) >= ell - 1
        and all(_covers_evenly(colour, image, sp) for image in can[value])
        and all(not set(one) & set(other) for one, other in combinations(can[value], 2))
        and is_row_distinct(table, colour, can[value])
        for value, colour in colours(table).items()
    )


def l_cover(table: World, sp: Collection[Partition], ell: int) -> dict[Any, Images] | None:
    """For each colour, l - 1 covers that make SP an l-cover; None if it is not one.

    >>> l_cover((1, 1, 2, 2), [((0, 2), (1, 3)), ((0, 1, 2, 3),)], 2)
    {1: ((2, 3),), 2: ((0, 1),)}
    >>> l_cover((1, 1, 2, 2), [((0, 1), (2, 3))], 2) is None
    True
    """
    sp, found = partitions(sp, len(table)), {}
    for value, colour in colours(table).items():
        others = [person for person in range(len(table)) if person not in colour]
        _require_searchable(len(colour), len(others))
        single = [image for image in permutations(others, len(colour)) if _covers_evenly(colour, image, sp)]
        images = next(_joint(table, colour, single, ell - 1), None)
        if images is None:
            return None
        found[value] = images
    return found


def is_l_cover(table: World, sp: Collection[Partition], ell: int) -> bool:
    """Is SP an l-cover, by any bijections?

    >>> is_l_cover((0, 0, 1, 2, 3, 4), [((0, 1, 3, 5), (2, 4)), ((0, 2, 3, 4), (1, 5))], 2)
    True
    """
    return l_cover(table, sp, ell) is not None


def _covers_evenly(colour: Persons, image: Persons, sp: Collection[Partition]) -> bool:
    """A cover with as many members in each group as the colour has."""
    groups = [set(group) for each in sp for group in each]
    return all(
        len(group.intersection(colour)) == len(group.intersection(image)) for group in groups
    ) and _exchanges(colour, image, sp)


def _joint(table: World, colour: Persons, single: Sequence[Persons], wanted: int) -> Iterator[Images]:
    """Every choice of so many disjoint covers whose rows have different colours."""
    if not wanted:
        yield ()
        return
    for i, image in enumerate(single):
        fitting = [
            other
            for other in single[i + 1 :]
            if not set(image) & set(other) and is_row_distinct(table, colour, (image, other))
        ]
        for rest in _joint(table, colour, fitting, wanted - 1):
            yield (image, *rest)


def _require_searchable(size: int, places: int) -> None:
    if perm(places, size) > MOST_BIJECTIONS:
        raise ParameterError(
            f"{perm(places, size)} bijections from {size} to {places} persons are too many to try",
            rule=f"at most {MOST_BIJECTIONS}",
            remedy="take a smaller table, or check given bijections with is_l_cover_with",
        )
