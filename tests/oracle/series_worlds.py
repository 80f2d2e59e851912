"""The possible-worlds oracle over a series: what an adversary who knows the algorithm infers from all releases.

A *series* says who is in the table at each release: a tuple of tuples of persons. A *world* says which value each
of them has there, in the same shape. Before anything is published all worlds of a prior are equally likely:

* `known_counts`: the multiset of the persons who come at each release is known, everything else is not. Nobody's
  value changes. This is the prior of docs/facts/m_invariance.md, where refusals and waiting tell nothing.
* `unknown_counts`: every person has any value of the domain. Now it tells something that new rows had to wait.

* `changing`: every person has any value of the domain, and another at every release.

Everybody's place, on a line or in a plane, is known, and so are the members of every published group. A
publication is, for each group, its members, its bag of values and its number of counterfeits; nothing at all when
refused.
Posteriors are exact fractions.
"""

from collections import defaultdict
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, product

import numpy as np

from tests.oracle import m_invariant_literal as literal
from tests.oracle.every_draw import distribution
from tests.oracle.possible_worlds import in_whole_numbers, shares
from tests.oracle.small_runs import small_runs
from tests.small_tables import axis_of, column
from voile import catalog
from voile.core.hierarchy import Hierarchy
from voile.core.history import NEW, WITHHELD, History
from voile.core.schema import Role
from voile.core.table import Table
from voile.errors import Infeasible
from voile.theory.worlds import worlds

LINE = (0, 1, 3, 7, 8, 12, 20, 21, 25, 33, 40, 41)  # places of persons 0, 1, ...
MIXED = (0, 20, 3, 12, 1, 21, 7, 8)  # newcomers stand among those who were there


def newcomers(series):
    """The persons who come first at each release."""
    met = set()
    for present in series:
        yield tuple(p for p in present if p not in met)
        met |= set(present)


def known_counts(series, values):
    """All worlds in which the newcomers of each release share out the values given for it."""
    for dealt in product(*(worlds(tuple(v)) if v else [()] for v in values)):
        value = {p: v for come, share in zip(newcomers(series), dealt, strict=True)
                 for p, v in zip(come, share, strict=True)}  # fmt: skip
        yield tuple(tuple(value[p] for p in present) for present in series)


def unknown_counts(series, domain):
    """All worlds in which everybody has any value, and keeps it."""
    persons = sorted({p for present in series for p in present})
    for share in product(range(domain), repeat=len(persons)):
        value = dict(zip(persons, share, strict=True))
        yield tuple(tuple(value[p] for p in present) for present in series)


def changing(series, domain):
    """All worlds in which everybody has any value at any time."""
    return product(*(product(range(domain), repeat=len(present)) for present in series))


def shipped(algorithm, line=LINE, domain=4):
    """One release by an algorithm of the catalog, on every draw; a place may have several coordinates."""
    labels = Hierarchy.flat([f"s{v}" for v in range(domain)])
    places = list(zip(*(place if isinstance(place, tuple) else (place,) for place in line), strict=True))

    def of(present, values, memory):
        table = Table(
            [
                *(column(f"q{i}", axis_of(axis), [axis[p] for p in present]) for i, axis in enumerate(places)),
                column("secret", labels, list(values), Role.SENSITIVE),
                column("person", Hierarchy.flat([f"p{p:02}" for p in range(len(line))]), present, Role.SUBJECT),
            ]
        )
        persons = table.with_role(Role.SUBJECT)[0].codes.tolist()
        secret = table.sensitive[0].codes.tolist()
        history = history_of(persons, secret, memory)

        def run(draws):
            part = algorithm.partition(table, draws=draws, history=history)
            members = [([], []) for _ in range(part.groups)]
            for row, group in enumerate(part.group.tolist()):
                if group >= 0:
                    members[group][0].append(persons[row])
            for group, value in zip(part.counterfeit_group.tolist(), part.counterfeit_value.tolist(), strict=True):
                members[group][1].append(value)
            return published(members, dict(zip(persons, secret, strict=True)))

        try:
            with small_runs():
                return distribution(run)
        except Infeasible:
            return {(): Fraction(1)}

    return of


def history_of(persons, values, memory):
    """As the ledger tells it: a person whose value has left the signature must not be published."""
    sets = sorted(set(memory.values()))
    known = [
        NEW if p not in memory else sets.index(memory[p]) if value in memory[p] else WITHHELD
        for p, value in zip(persons, values, strict=True)
    ]
    return History(np.array(known, np.int64), tuple(np.array(s, np.int64) for s in sets))


def transcribed(m, balance, line=LINE):
    """One release by the literal, on every draw."""

    def of(present, values, memory):
        persons = sorted(present, key=lambda p: line[p])
        value = dict(zip(present, values, strict=True))
        known = [memory.get(p, literal.NEW) for p in persons]
        known = [
            s if s == literal.NEW or value[p] in s else literal.WITHHELD
            for p, s in zip(persons, known, strict=True)
        ]
        quasi = [(max(line) - min(line), [line[p] for p in persons])]

        def run(draws):
            shuffled = lambda start: draws.shuffled(np.array(start)).tolist()  # noqa: E731
            groups = literal.publish(quasi, [value[p] for p in persons], known, m, balance, shuffled) or []
            return published([([persons[r] for r in rows], list(fakes)) for rows, fakes in groups], value)

        return distribution(run)

    return of


def published(groups, value):
    """What is seen of one release, in canonical order."""
    return tuple(
        sorted(
            (tuple(sorted(rows)), tuple(sorted([*(value[p] for p in rows), *fakes])), len(fakes))
            for rows, fakes in groups
        )
    )


def releases(release, series):
    """A function of a world that returns the distribution of all its publications, one after another."""
    release = cache_by_content(release)

    def of(world):
        found = {(): Fraction(1)}
        for present, values in zip(series, world, strict=True):
            grown = defaultdict(Fraction)
            for seen, chance in found.items():
                for shown, more in release(present, values, signatures(seen)).items():
                    grown[*seen, shown] += chance * more
            found = grown
        return found

    return of


def cache_by_content(release):
    kept = cache(lambda present, values, memory: release(present, values, dict(memory)))

    def of(present, values, memory):
        return kept(present, values, tuple(sorted((p, s) for p, s in memory.items() if p in present)))

    return of


def signatures(seen):
    """What the ledger remembers: the signature of everybody ever published."""
    return {p: bag for shown in seen for members, bag, _ in shown for p in members}


def weighed(publications, prior):
    """Every sequence of publications, with the worlds that lead to it and their weights."""
    found = defaultdict(list)
    for world in prior:
        for seen, chance in publications(world).items():
            if chance:
                found[seen].append((world, chance))
    return {seen: in_whole_numbers(kept) for seen, kept in found.items()}


def posteriors(series, kept):
    """For one sequence of publications: the share of each value, of each person at each release."""
    return {
        (person, at): shares(kept, at, lambda values, i=i: values[i])
        for at, present in enumerate(series)
        for i, person in enumerate(present)
    }


def surest(series, publications, prior, when=lambda seen, person, at: True):
    """The most an adversary can be sure of about anybody in any release, and what tells it:
    (posterior, publications, person, release, value). `when` picks what counts."""
    worst = (Fraction(0),)
    for seen, kept in weighed(publications, prior).items():
        for (person, at), told_of in posteriors(series, kept).items():
            value = max(told_of, key=lambda v: (told_of[v], -v))
            if told_of[value] > worst[0] and when(seen, person, at):
                worst = (told_of[value], seen, person, at, value)
    return worst


def nobody_waited(series, seen):
    """Whether everybody was published when they came; who was later absent is held back."""
    return all(
        set(come) <= {p for members, _, _ in shown for p in members}
        for come, shown in zip(newcomers(series), seen, strict=True)
    )


def by(m, balance="counterfeit", line=LINE):
    """m-invariance as it is shipped, its releases kept from case to case."""
    return cache_by_content(shipped(catalog.algorithm("m_invariant")(m=m, balance=balance), line))


def eligible_values(n, domain, m):
    """All m-eligible multisets of n values."""
    for values in combinations_with_replacement(range(domain), n):
        if all(m * values.count(value) <= n for value in values):
            yield values


def two_releases(m, domain, first, second):
    """All series of two tables with so many persons at most at first, so many newcomers, and anybody gone."""
    for n, come in product(range(m, first + 1), range(second + 1)):
        for values, new in product(eligible_values(n, domain, m), eligible_values(come, domain, m)):
            for staying in range(n + 1):
                for stay in combinations(range(n), staying):
                    series = (tuple(range(n)), (*stay, *range(n, n + come)))
                    if series[1]:
                        yield series, (values, new)


def told(release, cases):
    """What is told at most in each case, and the case."""
    return [
        (surest(series, releases(release, series), known_counts(series, values))[0], series, values)
        for series, values in cases
    ]
