"""Similarity: values differ, but mean the same one level up."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voile.core.attack import Attack, Finding, View
from voile.core.bags import Bag, Bags
from voile.core.hierarchy import Hierarchy
from voile.core.privacy_model import extreme_ratio
from voile.errors import counted


@dataclass(frozen=True, kw_only=True)
class Similarity(Attack):
    """The bags read at every level of the sensitive column's hierarchy (Li et al. 2007).

    >>> lines = [["gastritis", "stomach", "*"], ["ulcer", "stomach", "*"], ["flu", "lung", "*"]]
    >>> bags = Bags.of(np.array([0, 0, 1, 1]), [np.array([0, 1, 1, 2])], domains=[Hierarchy.from_lines(lines)])
    >>> found = Similarity().run(View(bags))
    >>> found.successes, found.ok, found.details["levels"]
    (2, None, [{'level': 1, 'l': 1, 'persons_told': 2, 'groups': 1}])
    """

    key = "similarity"
    title = "similarity"
    paper = "Li, Li, Venkatasubramanian 2007"
    meaning = (
        "reads values one level up in their hierarchy: a group of stomach diseases tells of a stomach disease"
    )
    passes = "one level up no meaning has more than half of a group (l = 2)"

    def run(self, view: View, truth: NDArray[np.int64] | None = None) -> Finding:
        """Exact, from the bags and the hierarchy alone."""
        everybody = int(view.bags.persons.sum())
        levels = _levels(view.bags)
        if not levels:
            return self.found(
                "no hierarchy says which sensitive values are alike in meaning",
                everybody,
                0,
                remedy="name a hierarchy of the sensitive column in the spec to see this",
            )
        _, share, persons, groups = levels[0]
        low = share <= Fraction(1, 2)
        return self.found(
            f"one level up, one meaning has up to {float(share):.1%} of a group; "
            f"{counted(persons, 'person')} in {counted(groups, 'group')} of one meaning",
            everybody,
            persons,
            highest=share,
            allowed=Fraction(1, 2),
            ok=True if low else None,
            warning=not low,
            remedy=""
            if low
            else "publish the coarser column, or say in the data's description that meanings are told",
            details={"levels": [_document(*each) for each in levels]},
        )


def _document(level: int, share: Fraction, persons: int, groups: int) -> dict[str, Any]:
    ell = 1 / share if share else Fraction(0)
    shown = int(ell) if ell.denominator == 1 else round(float(ell), 4)
    return {"level": level, "l": shown, "persons_told": persons, "groups": groups}


def _levels(bags: Bags) -> list[tuple[int, Fraction, int, int]]:
    """By level from 1 up, without the root: the greatest share of a node in a group, and how many persons and
    groups have one node throughout; the worst column counts, and a shorter tree's highest level stands on."""
    trees = [bag for bag in bags.columns if isinstance(bag.domain, Hierarchy) and not bag.domain.is_flat]
    nodes = [(bag, levels) for bag in trees if len(levels := bag.domain.levels()[1:-1])]  # type: ignore[union-attr]
    found = []
    for number in range(max((len(levels) for _, levels in nodes), default=0)):
        share, told = Fraction(0), np.zeros(bags.sizes.size, bool)
        for bag, levels in nodes:
            top = _top(bag, levels[min(number, len(levels) - 1)])
            size = bags.sizes * bag.unit
            told |= top >= size
            if size.size:
                worst = extreme_ratio(top, size, greatest=True)
                share = max(share, Fraction(int(top[worst]), int(size[worst])))
        found.append((number + 1, share, int(bags.persons[told].sum()), int(told.sum())))
    return found


def _top(bag: Bag, node: NDArray[np.int64]) -> NDArray[np.int64]:
    """The most that one node holds of each group. Leaves stand depth first, so those of a node are neighbours."""
    if not bag.codes.size:
        return bag.totals
    of, owner = node[bag.codes], bag.owner
    first = np.flatnonzero(np.concatenate(([True], (of[1:] != of[:-1]) | (owner[1:] != owner[:-1]))))
    held = np.add.reduceat(bag.counts, first)
    begin = np.searchsorted(owner[first], np.arange(bag.start.size - 1))
    top: NDArray[np.int64] = np.maximum.reduceat(held, begin)
    return top
