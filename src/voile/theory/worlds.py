"""Worlds: the tables an adversary cannot tell apart before anything is published.

A table here is a tuple: the sensitive value of person 0, of person 1, and so on. Who is in the table and
which values occur how often is known to everybody; who has which value is the secret. So the worlds of a
table are all tables with the same multiset of values, each as likely as any other.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import factorial, prod
from typing import Any, TypeAlias

from voile.errors import ParameterError
from voile.theory.partitions import Partition, partitions

World: TypeAlias = tuple[Any, ...]

MOST_WORLDS = 100_000


def count_worlds(table: Sequence[Any]) -> int:
    """How many worlds there are: n! divided by the factorial of every value's count.

    >>> count_worlds(("flu", "flu", "cold", "cold", "HIV"))
    30
    """
    return factorial(len(table)) // prod(factorial(count) for count in Counter(table).values())


def worlds(table: Sequence[Any]) -> list[World]:
    """All assignments of the table's multiset of values to its persons, in order.

    >>> worlds((1, 0, 0))
    [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    """
    count = count_worlds(table)
    if count > MOST_WORLDS:
        raise ParameterError(
            f"a table of {len(table)} persons has {count} worlds, too many to enumerate",
            rule=f"at most {MOST_WORLDS} worlds",
            remedy="take fewer persons or fewer different values",
        )
    return list(_assignments(Counter(table), len(table)))


def _assignments(left: Counter[Any], persons: int) -> Iterator[World]:
    if not persons:
        yield ()
        return
    for value in sorted(left):
        if left[value]:
            left[value] -= 1
            for rest in _assignments(left, persons - 1):
                yield (value, *rest)
            left[value] += 1


def bags(groups: Partition, table: World) -> tuple[World, ...]:
    """What a release with these groups shows of the table: each group's values, sorted.

    >>> bags(((0, 2), (1, 3)), (1, 1, 2, 2))
    ((1, 2), (1, 2))
    """
    (groups,) = partitions((groups,), len(table))
    return shown_bags(groups, table)


def shown_bags(groups: Partition, table: World) -> tuple[World, ...]:
    """The same for a canonical partition, without looking whether it is one: for enumerations.

    >>> shown_bags(((0, 2), (1, 3)), (1, 1, 2, 2))
    ((1, 2), (1, 2))
    """
    return tuple(tuple(sorted(table[person] for person in group)) for group in groups)
