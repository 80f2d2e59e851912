"""Similarity: values differ, but mean the same some levels up."""

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

Integers = NDArray[np.int64]
HALF = Fraction(1, 2)  # of a group, for one meaning (docs/known-limits.md)


@dataclass(frozen=True, kw_only=True)
class Similarity(Attack):
    """The bags read at every level of the sensitive column's hierarchy (Li et al. 2007).

    >>> lines = [["gastritis", "stomach", "*"], ["ulcer", "stomach", "*"], ["flu", "lung", "*"]]
    >>> bags = Bags.of(np.array([0, 0, 1, 1]), [np.array([0, 1, 1, 2])], domains=[Hierarchy.from_lines(lines)])
    >>> found = Similarity().run(View(bags))
    >>> found.successes, found.ok, found.details["levels"]
    (2, None, [{'level': 1, 'l': 1, 'persons_told': 2, 'groups': 1, 'of_the_table': 0.75}])
    """

    key = "similarity"
    title = "similarity"
    paper = "Li et al. 2007"
    meaning = (
        "reads values higher up in their hierarchy: a group of stomach diseases tells of a stomach disease; the "
        "worst level counts"
    )
    passes = (
        "at no level a meaning has more than half of a group (l = 2); one with more than half of the table, not "
        "more than there, by whole persons"
    )

    def run(self, view: View, truth: NDArray[np.int64] | None = None) -> Finding:
        """Exact, from the bags and the hierarchy alone."""
        everybody = int(view.bags.persons.sum())
        levels = _levels(view.bags)
        judged = [level for level in levels if level.table < 1]
        details = {"levels": [level.document() for level in levels]}
        if not levels:
            return self.found(
                "no hierarchy says which sensitive values are alike in meaning",
                everybody,
                0,
                remedy="name a hierarchy of the sensitive column in the spec to see this",
            )
        if not judged:
            return self.found(
                "the whole table has one meaning: no group tells more than that", everybody, 0, details=details
            )
        worst = max(judged, key=_Level.badness)
        return self.found(
            worst.words(),
            everybody,
            worst.persons,
            highest=worst.share,
            allowed=HALF if worst.table <= HALF else None,
            ok=None if worst.above else True,
            warning=worst.above,
            remedy="publish the coarser column, or say in the data's description that meanings are told"
            if worst.above
            else "",
            details=details | {"worst_level": worst.number},
        )


@dataclass(frozen=True)
class _Level:
    """What groups tell at a level: the greatest share of a meaning in one, and what that meaning has of the table;
    who is in groups of one meaning; whether any group is above the line; and how many persons more are told than
    would be by guessing that meaning for everybody."""

    number: int
    share: Fraction
    table: Fraction
    persons: int
    groups: int
    above: bool
    gained: float

    def badness(self) -> tuple[bool, float, Fraction, int]:
        """Higher up shares grow, and so do those of the table: first counts how much more groups tell."""
        return self.above, self.gained, self.share, -self.number

    def words(self) -> str:
        """In words."""
        up = "one level up" if self.number == 1 else f"{self.number} levels up"
        return (
            f"{up}, one meaning has up to {float(self.share):.1%} of a group, and {float(self.table):.1%} of the "
            f"table; {counted(self.persons, 'person')} in {counted(self.groups, 'group')} of one meaning"
        )

    def document(self) -> dict[str, Any]:
        """For the certificate."""
        ell = 1 / self.share if self.share else Fraction(0)
        shown = int(ell) if ell.denominator == 1 else round(float(ell), 4)
        return {
            "level": self.number,
            "l": shown,
            "persons_told": self.persons,
            "groups": self.groups,
            "of_the_table": round(float(self.table), 4),
        }


def _levels(bags: Bags) -> list[_Level]:
    """By level from 1 up, without the root; the worst column counts, and a shorter tree's highest level stands
    on. A column that has one meaning in the whole table counts only where all have."""
    trees = [bag for bag in bags.columns if isinstance(bag.domain, Hierarchy) and not bag.domain.is_flat]
    nodes = [(bag, levels) for bag in trees if len(levels := bag.domain.levels()[1:-1])]  # type: ignore[union-attr]
    found = []
    for number in range(max((len(levels) for _, levels in nodes), default=0)):
        read = [_Meanings.of(bag, levels[min(number, len(levels) - 1)]) for bag, levels in nodes]
        some = [each for each in read if not each.alike] or read
        found.append(_level(number + 1, bags, some))
    return found


@dataclass(frozen=True, repr=False, eq=False)
class _Meanings:
    """What each group holds of each node of a level: the group, how much, and how much of it the table holds."""

    group: Integers
    held: Integers
    table: Integers
    everything: int
    unit: int

    @classmethod
    def of(cls, bag: Bag, node: Integers) -> "_Meanings":
        """Leaves stand depth first, so those of a node are neighbours."""
        of, owner = node[bag.codes], bag.owner
        new = (of[1:] != of[:-1]) | (owner[1:] != owner[:-1])
        first = np.flatnonzero(np.append(True, new)[: of.size])
        held = np.add.reduceat(bag.counts, first) if first.size else bag.counts
        table = np.bincount(of, weights=bag.counts).astype(np.int64)  # exact below 2**53
        return cls(owner[first], held, table[of[first]], int(bag.counts.sum()), bag.unit)

    @property
    def alike(self) -> bool:
        """Whether the whole table has one meaning."""
        return bool((self.table == self.everything).all())

    def above(self, size: Integers) -> bool:
        """Whether a meaning has more than half of a group, and more than the table has of it: a table of which it
        has 60 % cannot be put into groups of four without one that has three of it. All of a group is above."""
        held, table = self.held, self.table
        if max(self.everything, 1) * int(size.max(initial=1)) >= 2**63:
            held, table, size = held.astype(object), table.astype(object), size.astype(object)
        frequent, whole = 2 * table > self.everything, held >= size
        more = (held - self.unit) * self.everything >= size * table
        return bool(((2 * held > size) & (~frequent | whole | more)).any())

    def worst(self, size: Integers) -> tuple[Fraction, Fraction]:
        """The greatest share of a meaning in a group, and what the table has of it; of several in groups of their
        own, the rarest."""
        if not self.held.size:
            return Fraction(0), Fraction(0)
        told = np.flatnonzero(self.held >= size)
        if told.size:
            at = int(told[np.argmin(self.table[told])])
        else:
            at = extreme_ratio(self.held, size, greatest=True)
        return (
            Fraction(int(self.held[at]), int(size[at])),
            Fraction(int(self.table[at]), self.everything),
        )


def _level(number: int, bags: Bags, read: list[_Meanings]) -> _Level:
    told, above, gained = np.zeros(bags.sizes.size, bool), False, 0.0
    shares = [(Fraction(0), Fraction(0))]
    for each in read:
        size = bags.sizes[each.group] * each.unit
        whole = each.held >= size
        told[each.group[whole]] = True
        above |= each.above(size)
        rare = 1 - each.table[whole] / max(1, each.everything)
        gained = max(gained, float((bags.persons[each.group[whole]] * rare).sum()))
        shares.append(each.worst(size))
    share, table = max(shares, key=lambda pair: (pair[0], -pair[1]))
    return _Level(number, share, table, int(bags.persons[told].sum()), int(told.sum()), above, gained)
