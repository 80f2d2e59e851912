"""All safe sets of a table: every set of locally safe partitions, tried one by one.

Neither kind of safety is inherited by subsets or supersets, so nothing shorter than trying them all is known.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

from voile.errors import ParameterError, counted
from voile.theory.disclosure import after_release, highest_ratio
from voile.theory.local_safety import keeps_bound, locally_safe_set
from voile.theory.partitions import Partition
from voile.theory.worlds import World, worlds

SetOfPartitions: TypeAlias = tuple[Partition, ...]

MOST_PARTITIONS = 16  # 65,535 sets


def globally_safe_sets(table: World, bound: Fraction) -> list[SetOfPartitions]:
    """Every GSS of the table, the small ones first.

    >>> len(globally_safe_sets(("flu", "flu", "cold", "cold", "HIV"), Fraction(2, 3)))
    479
    """
    return [sp for sp, _ in _globally_safe(table, bound)]


def strongly_globally_safe_sets(table: World, bound: Fraction) -> list[SetOfPartitions]:
    """Every SGSS of the table, the small ones first.

    >>> len(strongly_globally_safe_sets(("flu", "flu", "cold", "cold", "HIV"), Fraction(2, 3)))
    39
    """
    found = _globally_safe(table, bound)
    alike = {each: set(after_release(each, table, worlds(table))) for each in locally_safe_set(table, bound)}
    return [sp for sp, left in found if all(highest_ratio(left & alike[each]) <= bound for each in sp)]


def _globally_safe(table: World, bound: Fraction) -> Iterator[tuple[SetOfPartitions, set[World]]]:
    """Every GSS with its disclosure set."""
    lss = locally_safe_set(table, bound)
    if len(lss) > MOST_PARTITIONS:
        raise ParameterError(
            f"{counted(len(lss), 'locally safe partition')}: too many to try all sets of them",
            rule=f"at most {MOST_PARTITIONS}",
            remedy="take a smaller table or a tighter bound, or test one set with is_strongly_globally_safe",
        )
    everything = worlds(table)
    safe = {each: {world for world in everything if keeps_bound(each, world, bound)} for each in lss}
    for size in range(1, len(lss) + 1):
        for sp in combinations(lss, size):
            left = set.intersection(*(safe[each] for each in sp))
            if highest_ratio(left) <= bound:
                yield sp, left


def largest(sets: Sequence[SetOfPartitions]) -> list[SetOfPartitions]:
    """The sets with the most partitions: most to choose from when utility is optimised.

    >>> safe = strongly_globally_safe_sets(("flu", "flu", "cold", "cold", "HIV"), Fraction(2, 3))
    >>> [len(sp) for sp in largest(safe)]
    [5]
    """
    most = max(map(len, sets), default=0)
    return [sp for sp in sets if len(sp) == most]
