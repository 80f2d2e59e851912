"""The possible-worlds oracle: what an adversary who knows the algorithm infers, exactly.

A world is a table with the same persons, the same QI and the same multiset of sensitive values. The adversary
sees a publication (groups with their bags), knows with which probability the algorithm makes it of each world, and
weighs the worlds by that. Posteriors are exact fractions.

An algorithm is here a function of a world that returns the distribution of its groupings: a mapping from a
partition (canonical tuple of tuples of persons; None when it refuses) to its probability. One that generalises
sensitive values returns Generalised instead: then the bags hold what is published, not the values.
"""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product
from math import lcm
from typing import NamedTuple

from voile.theory.worlds import worlds


class Node(NamedTuple):
    """A published sensitive value: which node it is, and the share of a person that a reader who does not think
    counts for each base value under it (Tian and Zhang 2009, Definition 2)."""

    number: int
    induced: tuple


class Generalised(NamedTuple):
    """A grouping, and the Node that is published for each person."""

    groups: tuple
    nodes: tuple


def canonical(groups):
    """Groups of persons as a canonical tuple; None stays None."""
    return None if groups is None else tuple(sorted(tuple(sorted(group)) for group in groups))


def certain(algorithm):
    """A deterministic function of the world that returns groups, or None, as a distribution."""
    return lambda world: {canonical(algorithm(world)): Fraction(1)}


def publication(partition, world):
    """What is seen: for each group of persons, its bag of values, or of nodes."""
    groups, shown = partition if isinstance(partition, Generalised) else (partition, world)
    return tuple((group, tuple(sorted(shown[p] for p in group))) for group in groups)


def worlds_with(values):
    """All tables of as many persons in which the same values occur, however often each: for a reader who has not
    been told the counts."""
    return [world for world in product(sorted(set(values)), repeat=len(values)) if set(world) == set(values)]


def weighed_worlds(algorithm, values, possible=worlds):
    """Every publication, with the worlds that lead to it and their weights."""
    seen = defaultdict(list)
    for world in possible(values):
        for partition, chance in algorithm(world).items():
            if partition is not None and chance:
                seen[publication(partition, world)].append((world, chance))
    return {shown: in_whole_numbers(kept) for shown, kept in seen.items()}


def in_whole_numbers(kept):
    """The same worlds with weights in the same proportions: posteriors are exact without sums of fractions."""
    whole = lcm(*(chance.denominator for _, chance in kept))
    return [(world, chance.numerator * (whole // chance.denominator)) for world, chance in kept]


def shares(weighed, person, column=lambda value: value):
    """The posterior of one person over values (of one column of them), among weighed worlds."""
    found = Counter()
    for world, weight in weighed:
        found[column(world[person])] += weight
    total = found.total()
    return {value: Fraction(weight, total) for value, weight in found.items()}


def posteriors(algorithm, values, possible=worlds):
    """Every publication, with each person's posterior for each value."""
    seen = weighed_worlds(algorithm, values, possible)
    return {shown: [shares(kept, p) for p in range(len(values))] for shown, kept in seen.items()}


def worst_posterior(algorithm, values):
    """The most an adversary can be sure of who knows the algorithm: the marginal rung."""
    found = posteriors(algorithm, values)
    return max((p for person in found.values() for each in person for p in each.values()), default=Fraction(0))


def worst_given_outsiders(algorithm, values, column=lambda value: value):
    """The most an adversary can be sure of who also knows everyone outside the victim's group: the strong rung.
    `column` picks one of several sensitive values."""
    worst = Fraction(0)
    for shown, kept in weighed_worlds(algorithm, values).items():
        for group, _ in shown:
            alike = defaultdict(list)
            for world, chance in kept:
                outside = tuple(v for p, v in enumerate(world) if p not in group)
                alike[outside].append((world, chance))
            for weighed in alike.values():
                worst = max(worst, *(share for p in group for share in shares(weighed, p, column).values()))
    return worst


def bag_posterior(algorithm, values):
    """The most a reader who does not think about the algorithm can be sure of."""
    return max(
        (
            share
            for shown in weighed_worlds(algorithm, values)
            for _, bag in shown
            for share in counted(bag).values()
        ),
        default=Fraction(0),
    )


def counted(bag):
    """The frequencies in a bag, of values or of what nodes induce."""
    found = Counter()
    for shown in bag:
        for value, share in shown.induced if isinstance(shown, Node) else ((shown, Fraction(1)),):
            found[value] += share / len(bag)
    return found


def count_vectors(n, ell):
    """All l-eligible count vectors of n persons, largest first, as multisets of values.

    >>> list(count_vectors(4, 2))
    [(0, 0, 1, 1), (0, 0, 1, 2), (0, 1, 2, 3)]
    """

    def parts(left, most):
        if left == 0:
            yield ()
        for part in range(min(left, most), 0, -1):
            for rest in parts(left - part, part):
                yield (part, *rest)

    for counts in parts(n, n // ell):
        yield tuple(value for value, count in enumerate(counts) for _ in range(count))
