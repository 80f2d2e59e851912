"""Identifier partitions: all ways to put n persons into groups, and how two of them compare.

Persons are 0..n-1. A partition is a tuple of sorted tuples, itself sorted, so that equal partitions are
equal values. (`core.partition.Partition` is the noun for a table of any size; this one is for thinking.)
"""

from collections.abc import Collection, Iterable, Sequence
from numbers import Integral
from typing import TypeAlias

from voile.errors import ParameterError

Partition: TypeAlias = tuple[tuple[int, ...], ...]

MOST_PERSONS = 9  # Bell(9) = 21,147 partitions; the next number is 115,975


def partition(groups: Iterable[Iterable[int]]) -> Partition:
    """Groups as a canonical partition; refuses what does not hold each person 0..n-1 exactly once.

    >>> partition([[3, 1], [2, 0]])
    ((0, 2), (1, 3))
    """
    given = [tuple(group) for group in groups]
    persons = [person for group in given for person in group]
    whole = all(isinstance(person, Integral) for person in persons)
    if not whole or sorted(persons) != list(range(len(persons))) or () in given:
        raise ParameterError(
            "not a partition",
            where="groups of persons",
            rule="every person 0..n-1 in exactly one group, no group empty",
            remedy="number the persons from 0 and name each of them once",
        )
    return tuple(sorted(tuple(sorted(group)) for group in given))


def partitions(sp: Iterable[Iterable[Iterable[int]]], n: int | None = None) -> tuple[Partition, ...]:
    """Canonical partitions, all of the same persons: of n, or of as many as the first has.

    >>> partitions([[[1, 0], [2]], [[0, 1, 2]]])
    (((0, 1), (2,)), ((0, 1, 2),))
    """
    canonical = tuple(map(partition, sp))
    sizes = [sum(map(len, each)) for each in canonical]
    wanted = next(iter(sizes), 0) if n is None else n
    for size in sizes:
        if size != wanted:
            raise ParameterError(
                f"a partition of {size} persons where there are {wanted}",
                rule="a partition holds every person of the table once",
                remedy="make it with partition(groups)",
            )
    return canonical


def require_persons(persons: Iterable[int], n: int) -> None:
    """Refuse persons that are not among 0..n-1.

    >>> require_persons((0, 2), 3)
    """
    if not all(isinstance(person, Integral) and 0 <= person < n for person in persons):
        raise ParameterError(
            "a person who is not in the table", rule=f"persons are 0..n-1, here n = {n}", remedy="count from 0"
        )


def require_enumerable(n: int, thing: str) -> None:
    """Refuse to enumerate the partitions of too many things.

    >>> require_enumerable(9, "persons")
    """
    if n > MOST_PERSONS:
        raise ParameterError(
            f"{n} {thing} are too many to enumerate all partitions",
            rule=f"at most {MOST_PERSONS}",
            remedy="take a smaller table",
        )


def set_partitions(n: int) -> list[Partition]:
    """All partitions of n persons: Bell(n) of them.

    >>> set_partitions(3)
    [((0,), (1,), (2,)), ((0,), (1, 2)), ((0, 1), (2,)), ((0, 1, 2),), ((0, 2), (1,))]
    >>> [len(set_partitions(n)) for n in range(7)]
    [1, 1, 2, 5, 15, 52, 203]
    """
    require_enumerable(n, "persons")
    found: list[Partition] = [()]
    for person in range(n):
        found = [bigger for smaller in found for bigger in _with_one_more(smaller, person)]
    return sorted(tuple(sorted(groups)) for groups in found)


def _with_one_more(groups: Partition, person: int) -> Iterable[Partition]:
    """The person in each group in turn, then alone."""
    for i, group in enumerate(groups):
        yield (*groups[:i], (*group, person), *groups[i + 1 :])
    yield (*groups, (person,))


def merged(parts: Iterable[Iterable[int]]) -> Partition:
    """Merge what shares a person, until nothing does (the last step of the paper's Table 9).

    >>> merged([[0, 2], [1, 3], [2, 4], [5]])
    ((0, 2, 4), (1, 3), (5,))
    """
    groups: list[set[int]] = []
    for part in parts:
        joined = set(part)
        apart = [group for group in groups if not group & joined]
        groups = [*apart, joined.union(*(group for group in groups if group & joined))]
    return partition(groups)


def coarsenings(fine: Partition) -> list[Partition]:
    """All partitions whose groups are unions of the groups of this one, itself among them.

    >>> coarsenings(partition([[0, 2], [1, 3]]))
    [((0, 1, 2, 3),), ((0, 2), (1, 3))]
    """
    fine = partition(fine)
    require_enumerable(len(fine), "groups")
    return sorted(
        partition([[person for i in union for person in fine[i]] for union in unions])
        for unions in set_partitions(len(fine))
    )


def refines(fine: Partition, coarse: Partition) -> bool:
    """Does every group of the one lie inside a group of the other?

    >>> refines(partition([[0, 2], [1, 3]]), partition([[0, 1, 2, 3]]))
    True
    """
    fine, coarse = partitions((fine, coarse))
    return all(any(set(group) <= set(whole) for whole in coarse) for group in fine)


def meet(sp: Collection[Partition]) -> Partition:
    """The coarsest partition that refines all of them: together only who is together in each.

    >>> meet([partition([[0, 1, 3, 5], [2, 4]]), partition([[0, 2, 3, 4], [1, 5]])])
    ((0, 3), (1, 5), (2, 4))
    """
    if not sp:
        raise ParameterError("no partition, no meet", rule="at least one partition", remedy="pass the set itself")
    together: dict[Sequence[int], list[int]] = {}
    homes = [{person: i for i, group in enumerate(each) for person in group} for each in partitions(sp)]
    for person in sorted(homes[0]):
        together.setdefault(tuple(home[person] for home in homes), []).append(person)
    return partition(together.values())
