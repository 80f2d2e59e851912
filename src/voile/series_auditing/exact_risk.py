"""Exact risk of a small series, by counting reasonable surjections (Xiao and Tao 2007, Definition 14)."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.attacks.candidate_sets import PublishedGroups
from voile.theory.surjections import Group, Reconstructions, reconstructions

MOST_PERSONS = 2_000
_STATES = 5_000

Integers = NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class View:
    """One release: its groups with their counterfeits, and the persons in it with their places and true values."""

    groups: PublishedGroups
    counterfeits: Integers
    repeats: Integers  # of each value of each group
    points: NDArray[np.int32]
    persons: Integers
    truth: Integers


@dataclass(frozen=True)
class ExactRisk:
    """What counting says. `certain` are persons whose true value is told beyond doubt, `impossible` those for whom
    no surjection is left: a value changed, or a table names others than the release."""

    counted: int
    too_large: int
    impossible: int
    certain: int
    highest: Fraction


def exact_risk(views: Sequence[View], *, invariant: bool) -> ExactRisk:
    """Count the surjections of a series; a person's risk is the highest of the person's true values."""
    found = reconstructions([_covered(view) for view in views], invariant=invariant, states=_STATES)
    truth: dict[Hashable, set[int]] = {}
    for view in views:
        for person, value in zip(view.persons.tolist(), view.truth.tolist(), strict=True):
            truth.setdefault(person, set()).add(value)
    possible = [person for person in found.counts if found.totals[person]]
    risks = [_risk(found, person, truth[person]) for person in possible]
    unmet = len(truth) - len(found.counts) - len(found.unknown)  # persons whom no group covers
    return ExactRisk(
        len(possible),
        len(found.unknown),
        len(found.counts) - len(possible) + unmet,
        sum(risk == 1 for risk in risks),
        max(risks, default=Fraction(0)),
    )


def _risk(found: Reconstructions, person: Hashable, values: set[int]) -> Fraction:
    return max(found.risk(person, value) for value in values)


def _covered(view: View) -> list[Group]:
    """The groups of a release with the persons they cover."""
    inside = np.ones((view.groups.groups, view.persons.size), bool)
    for (places, label), place in zip(view.groups.columns, view.points.T, strict=True):
        fits = (places.low[:, None] <= place) & (place <= places.high[:, None])
        for at in np.flatnonzero(np.diff(places.first)):
            fits[at] = np.isin(place, places.members[places.first[at] : places.first[at + 1]])
        inside &= fits[label]
    found = []
    for g in range(view.groups.groups):
        a, b = view.groups.start[g], view.groups.start[g + 1]
        values = np.repeat(view.groups.codes[a:b], view.repeats[a:b])
        persons = view.persons[inside[g]].tolist()
        found.append(Group(tuple(persons), tuple(values.tolist()), int(view.counterfeits[g])))
    return found
