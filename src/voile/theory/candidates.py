"""Candidates: sets of persons that can stand in for each other (Definition 1, first part).

A colour is the set of all persons with the same value. Two sets are candidates for each other if they are
disjoint and there is a bijection between them that gives everybody a partner of another colour. Lemma 3
and Lemma 4 tell without searching. Lemma 4 is an "if and only if", by Hall's theorem: persons of two or more
colours have the whole second set to choose from; persons of one colour have all of it but that colour's
members, which is enough exactly if the colour has no more members in both sets than one set has places.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

from voile.theory.partitions import require_persons
from voile.theory.worlds import World

Persons: TypeAlias = tuple[int, ...]


def colours(table: World) -> dict[Any, Persons]:
    """The persons of each value.

    >>> colours((1, 1, 2, 2))
    {1: (0, 1), 2: (2, 3)}
    """
    found: dict[Any, Persons] = {}
    for person, value in enumerate(table):
        found[value] = (*found.get(value, ()), person)
    return found


def is_eligible(table: World, ell: int) -> bool:
    """Does no value belong to more than one in l of the persons?

    >>> is_eligible((0, 0, 1, 2), 2), is_eligible((0, 0, 1, 2), 3)
    (True, False)
    """
    return ell * max(Counter(table).values(), default=0) <= len(table)


def bijection(table: World, first: Persons, second: Persons) -> Persons | None:
    """A partner from the second set for each of the first, of another colour; None if there is no such bijection.

    >>> bijection((0, 0, 1, 1), (0, 2), (1, 3))
    (3, 1)
    """
    require_persons((*first, *second), len(table))
    if len(first) != len(second) or set(first) & set(second):
        return None
    taken: dict[int, int] = {}  # person of the second set -> its partner

    def seat(person: int, tried: set[int]) -> bool:
        for partner in second:
            if partner not in tried and table[partner] != table[person]:
                tried.add(partner)
                if partner not in taken or seat(taken[partner], tried):
                    taken[partner] = person
                    return True
        return False

    if not all(seat(person, set()) for person in first):
        return None
    partner_of = {person: partner for partner, person in taken.items()}
    return tuple(partner_of[person] for person in first)


def are_candidates(table: World, first: Persons, second: Persons) -> bool:
    """Are the two sets candidates for each other? By searching the bijection.

    >>> are_candidates((0, 0, 0, 1), (0, 3), (1, 2))
    False
    """
    return bijection(table, first, second) is not None


def lemma_3(colour: Persons, ids: Persons) -> bool:
    """Lemma 3: any set of the same size outside a colour is a candidate for it.

    >>> lemma_3((0, 1), (2, 3))
    True
    """
    return len(ids) == len(colour) and not set(ids) & set(colour)


def lemma_4(table: World, first: Persons, second: Persons) -> bool:
    """Lemma 4: disjoint, of the same size, and no colour with more members in both than one set has.

    >>> lemma_4((0, 0, 0, 1), (0, 3), (1, 2))
    False
    """
    require_persons((*first, *second), len(table))
    return lemma_3(first, second) and most_of_a_colour(table, [first, second]) <= len(first)


def most_of_a_colour(table: World, sets: Sequence[Persons]) -> int:
    """How many of the persons in these sets share the most frequent colour.

    >>> most_of_a_colour((0, 0, 0, 1), [(0, 3), (1, 2)])
    3
    """
    return max(Counter(table[person] for ids in sets for person in ids).values(), default=0)
