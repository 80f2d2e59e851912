"""Skewness: a value is much likelier in a group than in the whole table."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.attack import Attack, Finding, View
from voile.core.bags import Bag
from voile.core.parameters import in_decimals
from voile.core.privacy_model import extreme_ratio
from voile.errors import counted
from voile.kernels.bags import greatest_ratios

MOST_LIFT = 4  # times its share in the table; above, the certificate warns (docs/known-limits.md)


@dataclass(frozen=True, kw_only=True)
class Skewness(Attack):
    """The lift of values: their share in a group over their share in the table (Li et al. 2007).

    >>> from voile.core.bags import Bags
    >>> view = View(Bags.of(np.array([0, 0, 1, 1, 1, 1, 1, 1]), [np.array([7, 5, 5, 5, 5, 5, 5, 5])]))
    >>> found = Skewness().run(view)
    >>> found.details["lift"], found.state
    (4.0, 'not promised')
    """

    key = "skewness"
    title = "skewness"
    paper = "Li et al. 2007"
    meaning = "compares the values of a person's group with those of the table: how much likelier is one now?"
    passes = "a promised t-closeness holds; without one, a value more than 4 times as likely is a warning"

    def run(self, view: View, truth: NDArray[np.int64] | None = None) -> Finding:
        """Exact, from the bags alone."""
        bags = view.bags
        skewed, lift, share = np.zeros(bags.sizes.size, bool), Fraction(0), Fraction(0)
        for bag in bags.columns:
            if not bag.counts.size:
                continue
            here, fair, value = _lifts(bag)
            skewed |= here > MOST_LIFT * fair
            worst = extreme_ratio(here, fair, greatest=True)
            found = Fraction(int(here[worst]), int(fair[worst]))
            if found > lift:
                lift, share = found, Fraction(int(value[worst]), int(bag.totals[worst]))
        closeness = [promise for promise in view.promises if promise.key == "t_closeness"]
        kept = all(promise.check(bags).ok for promise in closeness)
        distance = view.achieved.get("t_closeness")
        persons, low = int(bags.persons[skewed].sum()), lift <= MOST_LIFT
        line = f"which is {'not ' if low else ''}above the warning line of {MOST_LIFT}"
        apart = "" if distance is None else f"; distance of a group from the table at most {distance.shown()}"
        return self.found(
            f"in a group a value is up to {float(lift):.3g} times as likely as in the table, {line}; "
            f"{counted(persons, 'person')} in groups above it{apart}",
            int(bags.persons.sum()),
            persons,
            highest=share,
            ok=kept if closeness else None,
            warning=not low,
            remedy=""
            if low or closeness
            else "merge rare values in the source; or keep t: -a mondrian -p property=t_closeness -p t=0.3",
            details={
                "lift": round(float(lift), 4),
                **({"t": in_decimals(min(promise.threshold() for promise in closeness))} if closeness else {}),
                **({} if distance is None else {"distance": distance.shown()}),
            },
        )


def _lifts(bag: Bag) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Of the value of each group that gained most: what there is of it, what would be fair, and its count. In
    Python's integers where 64 bits would not hold the products."""
    table = bag.whole[bag.ranks]
    best = greatest_ratios(bag.start, bag.counts, table)
    everything, count, fair, total = int(bag.whole.sum()), bag.counts[best], table[best], bag.totals
    if everything * int(max(count.max(), total.max())) * MOST_LIFT >= 2**63:
        count, fair, total = count.astype(object), fair.astype(object), total.astype(object)
    return count * everything, fair * total, count
