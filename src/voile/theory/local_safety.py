"""Local safety: the privacy property of one partition, and the locally safe set (LSS) of a table.

The property is a bound on the top ratio: in no group does a value hold a larger share. The bound is a
Fraction, not an l, because the paper's first example asks for 2/3, which is no 1/l.
"""

from fractions import Fraction
from numbers import Rational

from voile.errors import ParameterError
from voile.theory.partitions import Partition, partitions, set_partitions
from voile.theory.worlds import World


def require_exact(bound: Fraction) -> None:
    """Refuse a bound that is not exact: as a float, 2/3 is less than two thirds.

    >>> require_exact(Fraction(2, 3))
    """
    if not isinstance(bound, Rational) or not 0 < bound <= 1:
        raise ParameterError(
            "not an accepted value",
            where="parameter bound",
            rule="a Fraction above 0 and at most 1",
            remedy="write Fraction(2, 3), or Fraction(1, l) for l-diversity",
        )


def top_ratio(groups: Partition, table: World) -> Fraction:
    """The largest share of a value in a group.

    >>> top_ratio(((0, 2), (1, 3, 4)), ("flu", "flu", "cold", "flu", "HIV"))
    Fraction(2, 3)
    """
    (groups,) = partitions((groups,), len(table))
    return max((Fraction(_top_count(group, table), len(group)) for group in groups), default=Fraction(0))


def is_locally_safe(groups: Partition, table: World, bound: Fraction) -> bool:
    """Does a reader who takes the release as it is stay within the bound?

    >>> is_locally_safe(((0, 1), (2, 3)), (1, 1, 2, 2), Fraction(1, 2))
    False
    """
    require_exact(bound)
    (groups,) = partitions((groups,), len(table))
    return keeps_bound(groups, table, bound)


def keeps_bound(groups: Partition, table: World, bound: Fraction) -> bool:
    """The same for a canonical partition, without looking whether it is one: for enumerations.

    >>> keeps_bound(((0, 2), (1, 3)), (1, 1, 2, 2), Fraction(1, 2))
    True
    """
    most, of = bound.numerator, bound.denominator
    return all(_top_count(group, table) * of <= most * len(group) for group in groups)


def _top_count(group: tuple[int, ...], table: World) -> int:
    bag = [table[person] for person in group]
    return max(map(bag.count, bag))


def locally_safe_set(table: World, bound: Fraction) -> list[Partition]:
    """All partitions within the bound for this table, the paper's ss_l.

    >>> locally_safe_set((1, 1, 2, 2), Fraction(1, 2))
    [((0, 1, 2, 3),), ((0, 2), (1, 3)), ((0, 3), (1, 2))]
    """
    require_exact(bound)
    return [each for each in set_partitions(len(table)) if keeps_bound(each, table, bound)]
