"""l-candidates: for a colour, l - 1 sets that can all stand in for it at once (Definition 1, Theorem 2).

The definition as printed asks only that every two of the sets are candidates for each other. From l = 4 on
that is too little: three persons of one colour, each in another set, cannot sit in two rows. What is needed
is a row-distinct arrangement: each person of the colour gets one partner from every set, all of different
colours. Theorem 2's third condition (no colour has more members in the sets together than the colour itself
has) is exactly when there is one, by Koenig's edge colouring, so it is part of the definition here.

The bijections are written as images: `images[i][j]` is the partner of the colour's j-th person in the i-th
set. `Can` maps each value to the images of its colour.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias

from voile.errors import ParameterError, counted
from voile.theory.candidates import Persons, are_candidates, colours, lemma_3, most_of_a_colour
from voile.theory.koenig import edge_colouring
from voile.theory.partitions import Partition, partitions, require_persons
from voile.theory.worlds import World

Images: TypeAlias = tuple[Persons, ...]
Can: TypeAlias = Mapping[Any, Images]


def require_every_colour(table: World, can: Can) -> None:
    """Refuse images that leave out a colour or hold foreign persons, without naming a value.

    >>> require_every_colour((1, 1, 2, 2), {1: ((2, 3),), 2: ((0, 1),)})
    """
    require_persons((person for images in can.values() for ids in images for person in ids), len(table))
    missing = len(set(table) - set(can))
    if missing:
        raise ParameterError(
            f"{counted(missing, 'value')} of the table without images",
            rule="one l-candidate for every colour",
            remedy="give the images of every colour",
        )


def is_pairwise_candidate(table: World, sets: Sequence[Persons]) -> bool:
    """Definition 1 as printed: every two of the sets are candidates for each other.

    >>> table = (0, 0, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8)
    >>> is_pairwise_candidate(table, [(0, 1), (2, 5), (3, 6), (4, 7)])
    True
    """
    return all(are_candidates(table, first, second) for first, second in combinations(sets, 2))


def is_l_candidate(table: World, colour: Persons, sets: Sequence[Persons], ell: int) -> bool:
    """Do the colour and l - 1 sets form an l-candidate: all three conditions of Theorem 2?

    >>> table = (0, 0, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8)
    >>> is_l_candidate(table, (0, 1), [(2, 5), (3, 6), (4, 7)], 4)
    False
    """
    require_persons((person for ids in (colour, *sets) for person in ids), len(table))
    return (
        len(sets) == ell - 1
        and all(lemma_3(colour, ids) for ids in sets)
        and not any(set(first) & set(second) for first, second in combinations(sets, 2))
        and most_of_a_colour(table, sets) <= len(colour)
    )


def is_row_distinct(table: World, rows: Persons, images: Sequence[Persons]) -> bool:
    """Are everybody's partners of different colours, and none of the person's own?

    >>> is_row_distinct((0, 0, 1, 1, 2, 2), (4, 5), [(0, 2), (1, 3)])
    False
    """
    require_persons((person for ids in (rows, *images) for person in ids), len(table))
    return all(len({table[person] for person in row}) == len(row) for row in zip(rows, *images, strict=True))


def row_distinct_arrangement(table: World, rows: Persons, sets: Sequence[Persons]) -> Images | None:
    """The sets, each reordered so that the rows have different colours; None if no order does that.

    `rows` are persons of one colour; if a set holds one of that colour, no order does.

    >>> row_distinct_arrangement((0, 0, 1, 1, 2, 2), (4, 5), [(0, 2), (1, 3)])
    ((2, 0), (1, 3))
    """
    require_persons((person for ids in (rows, *sets) for person in ids), len(table))
    if any(len(ids) != len(rows) for ids in sets) or most_of_a_colour(table, sets) > len(rows):
        return None
    if {table[person] for person in rows} & {table[person] for ids in sets for person in ids}:
        return None
    persons = [(i, person) for i, ids in enumerate(sets) for person in ids]
    seats = edge_colouring([(i, table[person]) for i, person in persons], len(rows))
    at = {(i, seat): person for (i, person), seat in zip(persons, seats, strict=True)}
    return tuple(tuple(at[i, row] for row in range(len(rows))) for i in range(len(sets)))


def rechosen_bijections(table: World, can: Can, groups: Partition) -> dict[Any, Images] | None:
    """The same sets with bijections that stay inside the groups and are row-distinct; None if there are none.

    Lemma 1 says that the given bijections are row-distinct. They need not be (l >= 3); these are.

    >>> can = {0: ((2, 3), (4, 5)), 1: ((0, 1), (4, 5)), 2: ((0, 2), (1, 3))}
    >>> rechosen_bijections((0, 0, 1, 1, 2, 2), can, ((0, 1, 2, 3, 4, 5),))[2]
    ((2, 0), (1, 3))
    """
    require_every_colour(table, can)
    (groups,) = partitions((groups,), len(table))
    chosen = {}
    for value, colour in colours(table).items():
        partners: dict[int, Persons] = {}
        for group in groups:
            rows = tuple(person for person in colour if person in group)
            inside = [tuple(person for person in ids if person in group) for ids in can[value]]
            images = row_distinct_arrangement(table, rows, inside)
            if images is None:
                return None
            partners.update({person: tuple(ids[row] for ids in images) for row, person in enumerate(rows)})
        chosen[value] = tuple(zip(*(partners[person] for person in colour), strict=True))
    return chosen
