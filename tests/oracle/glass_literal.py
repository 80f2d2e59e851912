"""GLASS as docs/facts/safety.md 1.2 writes it, row by row. Slow on purpose, equal on purpose.

Rows are numbered along the curve. A level draws one number for each of its rows, below the rows of its value that
are still to come in its node: the place it takes of those that its value has left. Methods are the steps that
controls do wrong.
"""

from fractions import Fraction

from tests.oracle.safe_blocks_literal import bag_of, cut, passes, plan, skim, without

APART = None  # the seat of a row that is skimmed


class Tree:
    """What GLASS and FREE have in common: nodes, level by level."""

    def __init__(self, looks, values, rule, draws):
        self.looks, self.values, self.rule, self.draws = looks, values, rule, draws
        self.found = []  # groups
        self.events = []

    def groups(self, roots=None):
        level = [(list(root), True) for root in roots or [range(len(self.values))]]
        while level:
            bounds = [self.to_come(rows, i) for rows, _ in level for i in range(len(rows))]
            numbers = iter(self.draws.below(bounds))
            level = [
                child
                for rows, may_grow in level
                for child in self.grow(rows, may_grow, {r: int(next(numbers)) for r in rows})
            ]
        return self.found

    def to_come(self, rows, i):
        """Rows of the same value, from the i-th on."""
        return sum(self.values[r] == self.values[rows[i]] for r in rows[i:])

    def may_be_cut(self, size, may_grow):
        return may_grow and size >= 2 * self.rule.least

    def skim(self, bag, size, tau, share):
        """How many rows of each value are skimmed; None if that would be more than a share of them."""
        return skim(bag, self.rule.ell, tau, int(size * share))

    def grow(self, rows, may_grow, numbers):
        raise NotImplementedError


class Glass(Tree):
    """A cut that passes forgets its buckets, one that fails publishes them."""

    def grow(self, rows, may_grow, numbers):
        bag = bag_of(self.values, rows)
        may_be_cut = self.may_be_cut(len(rows), may_grow)
        taken = self.quotas(bag, len(rows)) if may_be_cut else {}
        signatures = plan(without(bag, taken), self.rule.ell)
        seat = self.bucket(rows, signatures, taken, numbers)
        apart, rest = [r for r in rows if seat[r] is APART], [r for r in rows if seat[r] is not APART]
        leaf = [(apart, False)] if apart else []
        self.events += ["skim"] * len(leaf)
        parts = self.cut(rest) if may_be_cut else None
        if parts is None:
            return leaf + self.no_cut(rest, apart, signatures, seat)
        if self.passes(signatures, seat, parts):
            self.events.append("cut")
            return leaf + [(part, True) for part in parts]
        self.events.append("failed")
        return leaf + self.failed(rest, signatures, seat)

    def quotas(self, bag, size):
        """How many rows of each value are skimmed: so that a cut is certain, or likely, or none."""
        certain = self.skim(bag, size, Fraction(1, 2), self.rule.sure)
        likely = self.skim(bag, size, self.rule.tau, self.rule.limit)
        return next(taken for taken in (certain, likely, {}) if taken is not None)

    def bucket(self, rows, signatures, taken, numbers):
        """Where each row sits: rows of a value fill its places by their draws."""
        places = {}
        for v, count in taken.items():
            places[v] = [APART] * count
        for b, (many, listed) in enumerate(signatures):
            for j, v in enumerate(listed):
                places.setdefault(v, []).extend([(b, j)] * many)
        return {r: places[self.values[r]].pop(self.chosen(places[self.values[r]], numbers[r])) for r in rows}

    def chosen(self, places, number):
        """Which of the places left a row takes."""
        return number

    def cut(self, rows):
        return cut(self.looks, rows, self.rule.exact, None if self.rule.exact else self.rule.least)

    def passes(self, signatures, seat, parts):
        return passes(signatures, seat, parts, self.rule.ell)

    def no_cut(self, rows, apart, signatures, seat):
        """Skimmed rows stay apart."""
        self.publish(rows, signatures, seat)
        return []

    def failed(self, rows, signatures, seat):
        """The buckets that were tested are the buckets that are published."""
        self.publish(rows, signatures, seat)
        return []

    def publish(self, rows, signatures, seat):
        """MATCH in each bucket."""
        for b, (many, listed) in enumerate(signatures):
            self.found += self.match([[r for r in rows if seat[r] == (b, j)] for j in range(len(listed))], many)

    def match(self, slots, many):
        """The fast tier: rows of each value along the curve, zipped."""
        return [[slot[i] for slot in slots] for i in range(many)]


class Symb(Glass):
    """Without cuts."""

    def may_be_cut(self, size, may_grow):
        return False
