"""Being found: how likely is it to pick a person's row? Prosecutor, journalist and marketer together."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voile.core.attack import Attack, Finding, View
from voile.errors import counted

_AS_THEY_ARE = "quasi-identifiers are published as they are: use an algorithm that generalises them, such as rda"
_ANYBODY = "publish it in groups of at least k persons, for example -a mondrian -p property=k_anonymity -p k=5"
RISKS = ("prosecutor_risk", "journalist_risk", "marketer_risk")


@dataclass(frozen=True, kw_only=True)
class Reidentification(Attack):
    """The three risks of El Emam and Dankar, as their models count them.

    >>> from voile.core.bags import Bags
    >>> found = Reidentification().run(View(Bags.of(np.array([0, 0, 1, 1, 1]), [])))
    >>> found.successes, found.trials, found.highest
    (2, 5, Fraction(1, 2))
    """

    key = "reidentification"
    title = "being found"
    paper = "El Emam and Dankar 2008"
    meaning = "picks a row of the group a person must be in: one known to be there (prosecutor), anybody of the "
    meaning += "population (journalist), everybody (marketer)"
    passes = "what was promised of group sizes holds (k-anonymity, or a risk)"

    def run(self, view: View, truth: NDArray[np.int64] | None = None) -> Finding:
        """Exact, from the sizes of the crowds alone. A success is a right match to be expected: one per crowd."""
        crowds = view.bags.crowds
        least = int(crowds.sizes.min(initial=int(crowds.sizes.max(initial=0))))
        highest = Fraction(1, least) if least else Fraction(0)
        promised = [promise for promise in view.promises if promise.sizes_only]
        risks: dict[str, Any] = {key: view.achieved[key].shown() for key in RISKS if key in view.achieved}
        everybody, alone = crowds.persons, crowds.alone
        average = crowds.number / everybody if everybody else 0.0
        return self.found(
            f"a person known to be in the table is found with at most {float(highest):.1%}, on average "
            f"{average:.1%}; {counted(alone, 'person')} like nobody else",
            everybody,
            crowds.number,
            highest=highest,
            ok=all(promise.check(view.bags).ok for promise in promised) if promised else None,
            warning=alone > 0,
            remedy=_remedy(view) if alone and not promised else "",
            details={"alone": alone, **risks},
        )


def _remedy(view: View) -> str:
    """What fits how the release was made."""
    return _AS_THEY_ARE if view.bags.alike is not None else view.larger or _ANYBODY
