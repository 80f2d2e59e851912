"""What `glass` and `blind_cut` must not do: variants of their literals, each with one step wrong, that the oracle
catches (docs/facts/safety.md, section 8).
"""

from fractions import Fraction
from functools import cache
from unittest.mock import patch

import numpy as np

from tests.oracle import subjects
from tests.oracle.blind_cut_literal import BlindCut, rda_leaf
from tests.oracle.every_draw import Script, distribution
from tests.oracle.glass_literal import Glass
from tests.oracle.possible_worlds import canonical, certain, worst_given_outsiders, worst_posterior
from tests.oracle.safe_blocks_literal import Looks, Rule, bag_of, cut, passes_unturned, plan, without
from tests.oracle.shapes import SHAPES, standing
from tests.oracle.verdicts import smallest_breach
from tests.small_tables import axis_of

HALF = Fraction(1, 2)


class PlainTest(Glass):
    """Cut where both parts are diverse as they are."""

    def passes(self, signatures, seat, parts):
        return passes_unturned(signatures, seat, parts, self.rule.ell)


class RdaInCells(Glass):
    """The test of shifts, then other groups than those of its buckets."""

    def publish(self, rows, signatures, seat):
        numbers = dict(zip(rows, self.draws.below([self.to_come(rows, i) for i in range(len(rows))]), strict=True))
        self.found += rda_leaf(bag_of(self.values, rows), self.values, rows, self.rule.ell, numbers)


class RdaInPlainCells(PlainTest, RdaInCells):
    """The plain test and RDA."""


class FreshBuckets(Glass):
    """After a failed test buckets are drawn anew."""

    def failed(self, rows, signatures, seat):
        return [(rows, False)]


class SecondCut(Glass):
    """After a failed test another cut is tried: a third of the rows."""

    def failed(self, rows, signatures, seat):
        parts = rows[: len(rows) // 3], rows[len(rows) // 3 :]
        if all(parts) and self.passes(signatures, seat, parts):
            return [(part, True) for part in parts]
        return super().failed(rows, signatures, seat)


class Nearest(Glass):
    """MATCH: the outermost row begins a group, and takes the nearest row of each value."""

    def match(self, slots, many):
        slots, formed = [list(slot) for slot in slots], []
        for _ in range(many):
            group = self.one_group(slots)
            formed.append(group)
            slots = [[r for r in slot if r not in group] for slot in slots]
        return formed

    def one_group(self, slots):
        first = self.first(slots)
        group = [first]
        while len(group) < len(slots):
            open_ = [slot for slot in slots if not set(slot) & set(group)]
            near = [min(slot, key=lambda r: (self.looks.cost([*group, r]), r)) for slot in self.looked_at(open_)]
            group.append(min(near, key=lambda r: (self.looks.cost([*group, r]), r)))
        return group

    def first(self, slots):
        return min(r for slot in slots for r in slot)

    def looked_at(self, open_):
        return open_


class InOrderOfSlots(Nearest):
    """Values are taken in the order of the list."""

    def looked_at(self, open_):
        return open_[:1]


class AnchoredAtFirstSlot(Nearest):
    """A row of the first value begins each group."""

    def first(self, slots):
        return min(slots[0])


class SkimByLowestId(Glass):
    """The first rows of a value are skimmed."""

    def chosen(self, places, number):
        return 0 if places[0] is None else number


class BucketsByLowestId(Glass):
    """The first row of a value takes the first place."""

    def chosen(self, places, number):
        return 0


class SkimPutBack(Glass):
    """Where what is left cannot be cut, the whole node is published."""

    def no_cut(self, rows, apart, signatures, seat):
        return [(sorted(rows + apart), False)] if apart else super().no_cut(rows, apart, signatures, seat)

    def grow(self, rows, may_grow, numbers):
        children = super().grow(rows, may_grow, numbers)
        whole = [child for child in children if len(child[0]) == len(rows)]
        return whole or children


class UncertainCut(BlindCut):
    """FREE as it was first written: between two codes, and if that cut is not certain the skim is put back."""

    def grow(self, rows, may_grow, numbers):
        bag = bag_of(self.values, rows)
        taken = self.quotas(bag, len(rows), may_grow)
        if taken is None:
            self.leaf(rows, bag, numbers)
            return []
        apart = self.skimmed(rows, dict(taken), numbers)
        rest = [r for r in rows if r not in apart]
        parts = cut(self.looks, rest, False, 1)
        top = max(count for _, count in without(bag, taken))
        if parts is None or top * self.rule.ell > min(map(len, parts)):
            return self.uncertain(rows, apart, rest)
        return [(apart, False)] * bool(apart) + [(part, True) for part in parts]

    def uncertain(self, rows, apart, rest):
        return [(rows, False)]


class UncertainCutRepaired(UncertainCut):
    """The same, and the skim stays apart."""

    def uncertain(self, rows, apart, rest):
        return [(part, False) for part in (apart, rest) if part]


class MatchedLeaves(BlindCut):
    """FREE with the leaves of GLASS."""

    def leaf(self, rows, bag, numbers):
        glass = Glass(self.looks, self.values, self.rule, self.draws)
        signatures = plan(bag, self.rule.ell)
        glass.publish(rows, signatures, glass.bucket(rows, signatures, {}, numbers))
        self.found += glass.found


@cache
def looks_of(shape, n):
    columns = SHAPES[shape](n)
    return Remembering([(axis_of(c), c) for c, _ in columns], [w for _, w in columns], 10**6)


class Remembering(Looks):
    """The same rows cost the same in every world and on every draw."""

    def cost(self, rows):
        seen = vars(self)
        if (key := tuple(rows)) not in seen:
            seen[key] = super().cost(rows)
        return seen[key]


def literal(kind, rule, shape="line"):
    """A literal on every draw."""

    def of(world):
        looks = looks_of(shape, len(world))
        return distribution(lambda draws: canonical(kind(looks, world, rule, draws).groups()))

    return of


def on(kind, shape="line", **rule):
    """The same by l, as controls are registered."""
    return lambda ell: literal(kind, Rule(ell, **rule), shape)


def lowest_id(key, **parameters):
    """A shipped algorithm whose random choices are public."""

    def by(ell):
        chosen = subjects.catalog.algorithm(key).configure({"l": ell, **parameters})

        def groups(world):
            table = standing("line")(world)
            return subjects.persons_in(chosen.partition(table, draws=subjects.LowestId()), table, world)

        return certain(groups)

    return by


def unshuffled(key, **parameters):
    """A shipped algorithm that leaves persons who look alike where the table has them: in order of value."""

    def by(ell):
        algorithm = subjects.catalog_algorithm(key, table=standing("triplets"), l=ell, **parameters)

        def of(world):
            with patch.object(Script, "shuffled", lambda self, start: np.arange(int(start[-1]))):
                return algorithm(world)

        return of

    return by


def best_of_two(algorithm):
    """The release that loses less of two that were drawn."""

    def of(world):
        drawn, found = algorithm(world), {}
        for one, chance in drawn.items():
            for other, chance_too in drawn.items():
                best = min(one, other, key=lost)
                found[best] = found.get(best, 0) + chance * chance_too
        return found

    return of


def lost(groups):
    """What groups of persons on an even line lose."""
    return sum(len(group) * (max(group) - min(group)) for group in groups)


def shipped(key, **parameters):
    return lambda ell: subjects.catalog_algorithm(key, table=standing("line"), l=ell, **parameters)


CUT = {"tau": 1, "limit": Fraction(3, 5), "least": 1}
MOST = Fraction(3, 4)
CONTROLS = {  # what must be caught: the attack, l, the smallest table, and how sure a reader is there
    "plain test": (on(PlainTest), worst_posterior, 2, (0, 0, 1, 2, 3), 1),
    "plain test, one to two": (on(PlainTest, "third", exact=False), worst_posterior, 2, (0, 0, 1, 1, 2, 2), 1),
    "RDA in cells, plain test": (on(RdaInPlainCells), worst_posterior, 2, (0, 0, 1, 2, 3), 1),
    "RDA in cells": (on(RdaInCells), worst_posterior, 2, (0, 0, 1, 2, 3), Fraction(6, 11)),
    "fresh buckets after a failure": (on(FreshBuckets), worst_posterior, 2, (0, 0, 1, 2, 3), Fraction(6, 11)),
    "second cut after a failure": (on(SecondCut), worst_posterior, 2, (0, 0, 1, 1, 2, 2), Fraction(3, 5)),
    "MATCH in order of slots": (
        on(InOrderOfSlots, "crossing"),
        worst_posterior,
        3,
        (0, 0, 1, 1, 2, 2),
        Fraction(2, 3),
    ),
    "MATCH anchored at a slot": (on(AnchoredAtFirstSlot), worst_posterior, 2, (0, 0, 1, 1), 1),
    "buckets by lowest id": (on(BucketsByLowestId), worst_posterior, 2, (0, 0, 1, 2), 1),
    "skim by lowest id": (on(SkimByLowestId, tau=MOST), worst_posterior, 2, (0, 0, 1, 1, 2), 1),
    "glass by lowest id": (
        lowest_id("glass", match="fast", cuts="middle", **CUT),
        worst_posterior,
        2,
        (0, 0, 1, 2),
        1,
    ),
    "blind_cut by lowest id": (lowest_id("blind_cut", **CUT), worst_posterior, 2, (0, 0, 1, 2), 1),
    "glass, triplets in order": (
        unshuffled("glass", match="fast", cuts="middle", **CUT),
        worst_posterior,
        2,
        (0, 0, 1, 2),
        1,
    ),
    "blind_cut, triplets in order": (unshuffled("blind_cut", **CUT), worst_posterior, 2, (0, 1, 2, 3), 1),
    "GLASS, skim put back": (
        on(SkimPutBack, "bits", exact=False, tau=MOST),
        worst_posterior,
        2,
        (0, 0, 1, 2, 3),
        Fraction(7, 13),
    ),
    "FREE, skim put back": (
        on(UncertainCut, "bits", exact=False, tau=HALF),
        worst_posterior,
        2,
        (0, 0, 1, 2, 3, 4),
        Fraction(2, 3),
    ),
    "FREE, skim put back, others known": (
        on(UncertainCut, "bits", exact=False, tau=HALF),
        worst_given_outsiders,
        2,
        (0, 0, 1, 1, 2, 3),
        1,
    ),
    "FREE with MATCH, others known": (on(MatchedLeaves, tau=HALF), worst_given_outsiders, 2, (0, 0, 1, 1), 1),
    "glass, others known": (
        shipped("glass", match="fast", cuts="middle", **CUT),
        worst_given_outsiders,
        2,
        (0, 0, 1, 1),
        1,
    ),
    "symb, others known": (shipped("symb", match="fast"), worst_given_outsiders, 2, (0, 0, 1, 1), 1),
    "best of two, RDA": (
        lambda ell: best_of_two(shipped("rda")(ell)),
        worst_posterior,
        2,
        (0, 0, 1, 2, 3),
        Fraction(7, 11),
    ),
    "best of two, GLASS": (
        lambda ell: best_of_two(on(Glass)(ell)),
        worst_posterior,
        2,
        (0, 0, 1, 2, 3),
        Fraction(7, 11),
    ),
}
RIGHT = {  # the same without the mistake: as literals, on the tables on which controls are caught
    "GLASS": (on(Glass), worst_posterior),
    "GLASS, one to two": (on(Glass, "third", exact=False), worst_posterior),
    "GLASS, skimmed": (on(Glass, "bits", exact=False, tau=MOST), worst_posterior),
    "GLASS, nearest rows": (on(Nearest, "crossing"), worst_posterior),
    "FREE": (on(BlindCut, tau=HALF), worst_given_outsiders),
    "FREE, between codes": (on(UncertainCutRepaired, "bits", exact=False, tau=HALF), worst_given_outsiders),
    "FREE with MATCH": (on(MatchedLeaves, tau=HALF), worst_posterior),
}


def main():
    """The smallest table on which each control is caught."""
    for name, (control, attack, ell, _, _) in CONTROLS.items():
        values, posterior = smallest_breach(control, attack, ell)
        print(f"{name:35} l = {ell}, values {values}, posterior {posterior}")


if __name__ == "__main__":
    main()
