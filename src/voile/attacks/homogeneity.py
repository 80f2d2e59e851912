"""Homogeneity: everybody in a group has the same value, so nobody needs to be found in it."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.attack import Attack, Finding, View
from voile.core.privacy_model import extreme_ratio
from voile.errors import counted


@dataclass(frozen=True, kw_only=True)
class Homogeneity(Attack):
    """Persons in groups where one value holds everybody (Machanavajjhala et al. 2006).

    >>> from voile.core.bags import Bags
    >>> view = View(Bags.of(np.array([0, 0, 1, 1]), [np.array([5, 5, 5, 6])]))
    >>> found = Homogeneity().run(view)
    >>> found.successes, found.trials, found.highest
    (2, 4, Fraction(1, 1))
    """

    key = "homogeneity"
    title = "homogeneity"
    paper = "Machanavajjhala et al. 2006"
    meaning = "finds the group of a person; where one value holds the whole group, the person has it"
    passes = "nobody is in such a group, and no share of a value is above what is promised"

    def run(self, view: View, truth: NDArray[np.int64] | None = None) -> Finding:
        """Exact, from the bags alone."""
        bags = view.bags
        told = np.zeros(bags.sizes.size, bool)
        highest = Fraction(0)
        for bag in bags.columns:
            top, size = bag.top(), bags.sizes * bag.unit
            told |= top >= size
            if size.size:
                worst = extreme_ratio(top, size, greatest=True)
                highest = max(highest, Fraction(int(top[worst]), int(size[worst])))
        persons, everybody = int(bags.persons[told].sum()), int(bags.persons.sum())
        allowed = view.confidence()
        ok = None if allowed is None else persons == 0 and highest <= allowed
        certain = (
            f"{counted(persons, 'person')} in {counted(int(told.sum()), 'group')} of one value: told for certain"
            if persons
            else "no group has one value throughout"
        )
        return self.found(
            f"{certain}; the best guess anywhere is right with {float(highest):.1%}",
            everybody,
            persons,
            highest=highest,
            allowed=view.bound(),
            ok=ok,
            warning=persons > 0,
            remedy="publish with a promise about values, for example frequency l-diversity with l=2"
            if persons
            else "",
            details={"groups": int(told.sum())},
        )
