"""Intersection of releases: a value must be in the person's group every time (Ganta et al. 2008)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.attacks.candidate_sets import Intersections, words_for
from voile.core.attack import Attack, Finding, View
from voile.core.bags import Bag, Bags
from voile.core.privacy_model import PrivacyModel
from voile.errors import counted
from voile.kernels.candidate_sets import value_bits

Integers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class Intersection(Attack):
    """Who is left with one value when releases of the same persons are laid side by side.

    It sees a view with a group for each person, of the values that are left (`intersected`, `values_left`).

    >>> first = View(Bags.of(np.array([0, 0, 1, 1]), [np.array([1, 2, 3, 4])]), np.array([0, 0, 1, 1]))
    >>> second = View(Bags.of(np.array([0, 1, 0, 1]), [np.array([1, 2, 3, 4])]), np.array([0, 1, 0, 1]))
    >>> Intersection().run(intersected([first, second])).successes
    4
    """

    key = "intersection"
    title = "intersection of releases"
    paper = "Ganta et al. 2008; Xiao and Tao 2007"
    meaning = "keeps, of the values of a person's groups in several releases, those that are in all of them"
    passes = "of a promised series, everybody is left with m values; nothing else promises it"
    releases = 2

    def run(self, view: View, truth: Integers | None = None) -> Finding:
        """Exact: a bag of `view` holds what is left for one person, each value once."""
        left = view.bags.columns[0].distinct()
        left = left[left > 0]  # with nothing left somebody's value changed: nothing is concluded
        told = int((left == 1).sum())
        least = int(left.min(initial=int(left.max(initial=0))))
        allowed = view.bound()
        highest = Fraction(1, least) if least else Fraction(0)
        ok = None if allowed is None else highest <= allowed
        return self.found(
            f"{counted(told, 'person')} of {left.size} left with one value, told for certain; "
            f"everybody has at least {counted(least, 'value')} left",
            int(left.size),
            told,
            highest=highest,
            allowed=allowed,
            ok=ok,
            warning=told > 0,
            remedy=""
            if ok or not told
            else "publish persons again only as a series with a ledger (voile publish)",
            details={"values_left": {str(n): int(c) for n, c in enumerate(np.bincount(left)) if c}},
        )


def intersected(views: Sequence[View], promises: Sequence[PrivacyModel] = ()) -> View:
    """What releases leave for persons whose groups are known in each: row i is the same person in all views. Who
    is not in a release (group -1) loses nothing by it. `promises` are those of the series: what a release promises
    by itself says nothing about several."""
    values = 1 + max(int(view.bags.columns[0].codes.max(initial=0)) for view in views)
    left = np.full((views[0].group.size, words_for(values)), -1, np.int64)
    for view in views:
        bag = view.bags.columns[0]
        bits = value_bits(bag.start, bag.codes, words_for(values))
        there = view.group >= 0
        left[there] &= bits[view.group[there]]
    left[np.all([view.group < 0 for view in views], axis=0)] = 0
    return View(_bags(left), np.arange(len(left)), promises=tuple(promises))


def values_left(seen: Intersections, promises: Sequence[PrivacyModel] = ()) -> View:
    """What a series leaves for everybody it has met."""
    met = seen.first > 0
    return View(_bags(seen.left[met]), np.arange(int(met.sum())), promises=tuple(promises))


def _bags(left: Integers) -> Bags:
    """Words of bits as a bag for each person."""
    flags = np.unpackbits(left.astype("<i8").view(np.uint8), axis=1, bitorder="little")
    person, code = np.nonzero(flags)
    start = np.concatenate(([0], np.cumsum(np.bincount(person, minlength=len(left)))))
    ones = np.ones(len(left), np.int64)
    return Bags(ones, (Bag(start, code, np.ones(code.size, np.int64)),), ones)
