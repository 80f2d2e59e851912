"""Self-contained partitions and family sets (Definitions 2 and 3): groups that break no bijection.

The paper says that every family set is strongly globally safe. It is not: from six persons on there are
family sets whose release tells more than 1/l (docs/theory.md). What saves it is the meet: a set that holds its
own meet discloses what the meet alone does, every exchange inside the meet's groups is equally likely, and
a mixture of probabilities within the bound is within the bound.
"""

from collections.abc import Collection, Iterable
from typing import TypeAlias

from voile.theory.candidates import colours
from voile.theory.l_candidates import Can, require_every_colour
from voile.theory.partitions import Partition, coarsenings, meet, merged, partition, partitions, require_persons
from voile.theory.worlds import World

Pair: TypeAlias = tuple[int, int]


def pairs(table: World, can: Can) -> list[Pair]:
    """Who is mapped to whom by the bijections of the l-candidates.

    >>> pairs((1, 1, 2, 2), {1: ((2, 3),), 2: ((0, 1),)})
    [(0, 2), (1, 3), (2, 0), (3, 1)]
    """
    require_every_colour(table, can)
    return [
        pair
        for value, colour in colours(table).items()
        for image in can[value]
        for pair in zip(colour, image, strict=True)
    ]


def minimal_self_contained_partition(n: int, pairs: Iterable[Pair]) -> Partition:
    """Merge what shares a person until no pair is broken (Table 9).

    >>> minimal_self_contained_partition(4, [(0, 2), (1, 3)])
    ((0, 2), (1, 3))
    """
    pairs = list(pairs)
    require_persons((person for pair in pairs for person in pair), n)
    return merged([*((person,) for person in range(n)), *pairs])


def is_self_contained(groups: Partition, pairs: Iterable[Pair]) -> bool:
    """Does every pair lie in one group?

    >>> is_self_contained(((0, 3), (1, 2)), [(0, 2), (1, 3)])
    False
    """
    groups, pairs = partition(groups), list(pairs)
    require_persons((person for pair in pairs for person in pair), sum(map(len, groups)))
    home = {person: group for group in groups for person in group}
    return all(home[first] == home[second] for first, second in pairs)


def self_contained_partitions(n: int, pairs: Iterable[Pair]) -> list[Partition]:
    """The whole family: by Lemma 2, all unions of groups of the minimal self-contained partition.

    >>> self_contained_partitions(4, [(0, 2), (1, 3)])
    [((0, 1, 2, 3),), ((0, 2), (1, 3))]
    """
    return coarsenings(minimal_self_contained_partition(n, pairs))


def is_family_set(sp: Collection[Partition], pairs: Collection[Pair]) -> bool:
    """Is every partition of the set self-contained?

    >>> is_family_set([((0, 1, 2, 3),), ((0, 3), (1, 2))], [(0, 2), (1, 3)])
    False
    """
    return all(is_self_contained(groups, pairs) for groups in partitions(sp))


def contains_meet(sp: Collection[Partition]) -> bool:
    """Does the set hold its own meet? A family set that does is strongly globally safe.

    >>> without = [((0, 1, 3, 5), (2, 4)), ((0, 2, 3, 4), (1, 5))]
    >>> contains_meet(without), contains_meet([*without, ((0, 3), (1, 5), (2, 4))])
    (False, True)
    """
    return meet(sp) in partitions(sp)
