"""The possible-worlds oracle, first form: what an adversary who knows the algorithm infers.

A world is a table with the same persons, the same QI and the same multiset of sensitive values.
The adversary sees a publication (groups with their bags), runs the algorithm on every world, and
keeps those that would have led to the same publication. Posteriors are exact fractions.
"""

from collections import Counter, defaultdict
from fractions import Fraction

from voile.theory.worlds import worlds


def publication(groups, world):
    """What is seen: for each group of persons, its bag of values."""
    return tuple(sorted((tuple(sorted(g)), tuple(sorted(world[p] for p in g))) for g in groups))


def posteriors(algorithm, values):
    """Every publication some world leads to, with each person's posterior for each value.

    `algorithm(world)` returns groups of persons, or None when it refuses to publish.
    """
    seen = defaultdict(list)
    for world in worlds(values):
        groups = algorithm(world)
        if groups is not None:
            seen[publication(groups, world)].append(world)
    return {
        shown: [
            {v: Fraction(c, len(kept)) for v, c in Counter(world[p] for world in kept).items()}
            for p in range(len(values))
        ]
        for shown, kept in seen.items()
    }


def worst_posterior(algorithm, values):
    """The most an adversary can be sure of, over all publications and persons."""
    found = posteriors(algorithm, values)
    return max((p for person in found.values() for each in person for p in each.values()), default=Fraction(0))


def bag_posterior(algorithm, values):
    """The most a reader who does not think about the algorithm can be sure of."""
    worst = Fraction(0)
    for world in worlds(values):
        for group in algorithm(world) or ():
            top = max(Counter(world[p] for p in group).values())
            worst = max(worst, Fraction(top, len(group)))
    return worst
