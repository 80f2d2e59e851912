"""Disclosure sets: what an adversary concludes who knows which partitions were fit to publish.

Told that every partition of a set SP is locally safe for the secret table, the adversary keeps the worlds for
which that is true: the disclosure set of SP. SP is a globally safe set (GSS) if those worlds keep the bound.
Then one partition of SP is published, and its bags rule out more worlds: SP is strongly globally safe (SGSS)
if, besides, the worlds that are left keep the bound whichever partition of SP it is.
"""

from collections import Counter
from collections.abc import Collection
from fractions import Fraction
from typing import Any

from voile.errors import ParameterError
from voile.theory.local_safety import keeps_bound, require_exact
from voile.theory.partitions import Partition, partitions
from voile.theory.worlds import World, shown_bags, worlds


def disclosure_set(sp: Collection[Partition], table: World, bound: Fraction) -> list[World]:
    """The worlds for which every partition of the set is locally safe.

    >>> disclosure_set([((0, 2), (1, 3)), ((0, 3), (1, 2))], (1, 1, 2, 2), Fraction(1, 2))
    [(1, 1, 2, 2), (2, 2, 1, 1)]
    """
    require_exact(bound)
    sp = partitions(sp, len(table))
    return [world for world in worlds(table) if all(keeps_bound(each, world, bound) for each in sp)]


def after_release(groups: Partition, table: World, tables: Collection[World]) -> list[World]:
    """The tables that would show the same bags as this one, were this partition published.

    >>> after_release(((0, 2), (1,)), (1, 1, 2), worlds((1, 1, 2)))
    [(1, 1, 2), (2, 1, 1)]
    """
    (groups,) = partitions((groups,), len(table))
    if any(len(each) != len(table) for each in tables):
        raise ParameterError("tables of other persons", rule="all tables have the same persons")
    shown = shown_bags(groups, table)
    return [each for each in tables if shown_bags(groups, each) == shown]


def posteriors(tables: Collection[World]) -> list[dict[Any, Fraction]]:
    """For each person, the probability of each value, all these tables being equally likely.

    >>> posteriors([(1, 1, 2), (2, 1, 1)])[1]
    {1: Fraction(1, 1)}
    """
    return [
        {value: Fraction(count, len(tables)) for value, count in Counter(values).items()}
        for values in zip(*tables, strict=True)
    ]


def highest_ratio(tables: Collection[World]) -> Fraction:
    """The most an adversary who is left with these tables can be sure of, over all persons and values.

    >>> highest_ratio([(1, 1, 2, 2), (2, 2, 1, 1)])
    Fraction(1, 2)
    """
    tops = (max(Counter(values).values()) for values in zip(*tables, strict=True))
    return Fraction(max(tops, default=0), len(tables) or 1)


def release_ratios(sp: Collection[Partition], table: World, bound: Fraction) -> dict[Partition, Fraction]:
    """For each partition of the set: the highest ratio once the set is known and this one is published.

    >>> release_ratios([((0, 2), (1, 3)), ((0, 1, 2, 3),)], (1, 1, 2, 2), Fraction(1, 2))
    {((0, 2), (1, 3)): Fraction(1, 2), ((0, 1, 2, 3),): Fraction(1, 2)}
    """
    sp = partitions(sp, len(table))
    left = disclosure_set(sp, table, bound)
    if tuple(table) not in left:
        raise ParameterError(
            "a partition of the set is not locally safe for this table",
            rule="only locally safe partitions may be published",
            remedy="take them from locally_safe_set(table, bound)",
        )
    return {each: highest_ratio(after_release(each, table, left)) for each in sp}


def is_globally_safe(sp: Collection[Partition], table: World, bound: Fraction) -> bool:
    """Is the set a GSS: locally safe for this table, and its disclosure set within the bound?

    >>> is_globally_safe([((0, 2), (1, 3)), ((0, 3), (1, 2))], (1, 1, 2, 2), Fraction(1, 2))
    True
    """
    left = disclosure_set(sp, table, bound)
    return tuple(table) in left and highest_ratio(left) <= bound


def is_strongly_globally_safe(sp: Collection[Partition], table: World, bound: Fraction) -> bool:
    """Is the set an SGSS: a GSS that stays within the bound after the release of any of its partitions?

    >>> counterexample = [((0, 1, 3, 5), (2, 4)), ((0, 2, 3, 4), (1, 5))]
    >>> is_strongly_globally_safe(counterexample, (0, 0, 1, 2, 3, 4), Fraction(1, 2))
    False
    """
    left = disclosure_set(sp, table, bound)
    known = [left, *(after_release(each, table, left) for each in sp)]
    return tuple(table) in left and all(highest_ratio(tables) <= bound for tables in known)
