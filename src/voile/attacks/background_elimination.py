"""Background elimination: the adversary knows of a person that some values are not theirs."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.attack import Attack, Finding, View
from voile.core.bags import Bags
from voile.core.parameters import AUTO, parameter
from voile.errors import counted
from voile.kernels.elimination import rule_out


@dataclass(frozen=True, kw_only=True)
class BackgroundElimination(Attack):
    """The greatest confidence after ruling out any b values of the group (Machanavajjhala et al. 2006).

    Of all subsets of b values, ruling out the second to (b+1)-th most frequent leaves the greatest share:
    r1 / (r1 + the rest). So every subset of every group is judged, and none is enumerated.

    >>> from voile.core.bags import Bags
    >>> view = View(Bags.of(np.zeros(5, int), [np.array([1, 1, 2, 2, 3])]))
    >>> found = BackgroundElimination(b=1).run(view)
    >>> found.highest, found.successes
    (Fraction(2, 3), 0)
    """

    key = "background_elimination"
    title = "background elimination"
    paper = "Machanavajjhala et al. 2006"
    meaning = "rules out b values for a person, whichever help most, and guesses among the others of the group"
    passes = "nobody is told, and confidence stays at 1/(l-b) of a promised frequency l, c/(c+1) of (c,l)"

    b: int | str = parameter(
        "values ruled out; auto = as many as the promise covers (l-2), or 1",
        default=AUTO,
        minimum=0,
        choices=(AUTO,),
    )

    def run(self, view: View, truth: NDArray[np.int64] | None = None) -> Finding:
        """Exact, from the bags alone."""
        most = self._ruled_out(view)
        steps = _after(view.bags, most + 1)
        allowed = [view.confidence(b) for b in range(most + 1)]
        covered = [(step, bound) for step, bound in zip(steps, allowed, strict=False) if bound is not None]
        ok = all(highest <= bound and told == 0 for (highest, told), bound in covered) if covered else None
        highest, told = steps[most]
        more = steps[most + 1][1]
        return self.found(
            f"ruling out {counted(most, 'value')} of a person leaves a best guess of {float(highest):.1%} "
            f"and tells {counted(told, 'person')} for certain; ruling out one more tells {more}",
            int(view.bags.persons.sum()),
            told,
            highest=highest,
            allowed=view.bound(most),
            ok=ok,
            warning=told > 0,
            remedy="take a greater l: it is the number of values that must be ruled out, and one" if told else "",
            details={
                "values_ruled_out": most,
                "by_values_ruled_out": [
                    {"b": b, "highest": round(float(h), 4), "told": t} for b, (h, t) in enumerate(steps)
                ],
            },
        )

    def _ruled_out(self, view: View) -> int:
        if self.b != AUTO:
            return int(self.b)
        if view.confidence() is None:
            return 1
        most, there_are = 0, max((int(bag.distinct().max(initial=0)) for bag in view.bags.columns), default=0)
        while most < there_are and view.confidence(most + 1) is not None:
            most += 1
        return most


def _after(bags: Bags, most: int) -> list[tuple[Fraction, int]]:
    """For up to so many values ruled out: the greatest confidence left, and how many persons are then told for
    certain. A person with several values counts in each: then fewer may be left than say so, never more."""
    found = [(Fraction(0), 0)] * (most + 1)
    for bag in bags.columns:
        top, left, told = (np.full(most + 1, first, np.int64) for first in (0, 1, 0))
        rule_out(bag.start, bag.counts, bags.sizes * bag.unit, bags.persons, top, left, told)
        mine = [(Fraction(t, n), c) for t, n, c in zip(top.tolist(), left.tolist(), told.tolist(), strict=True)]
        found = [(max(a, share), max(b, persons)) for (a, b), (share, persons) in zip(found, mine, strict=True)]
    return found
