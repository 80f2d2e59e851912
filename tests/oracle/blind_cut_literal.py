"""FREE with RDA's leaves as facts/safety.md 1.3 corrects it. Slow on purpose, equal on purpose."""

from tests.oracle import rda_literal
from tests.oracle.glass_literal import Tree
from tests.oracle.safe_blocks_literal import bag_of, cut, without


def rda_leaf(bag, values, rows, ell, numbers):
    """RDA among some rows: the places of a value are its groups, those it joins late at the end. A row takes the
    place of its number, and the last place moves there."""
    planned = rda_literal.plan([count for _, count in bag], ell)
    places = {}
    for size in (range(ell), range(ell, len(rows))):  # as formed, then late
        for g, colours in enumerate(planned):
            for i in size:
                if i < len(colours):
                    places.setdefault(bag[colours[i]][0], []).append(g)
    groups = [[] for _ in planned]
    for r in rows:
        own = places[values[r]]
        groups[own[numbers[r]]].append(r)
        own[numbers[r]] = own[-1]
        own.pop()
    return groups


class BlindCut(Tree):
    """A node is cut where counts make it certain that both parts are diverse."""

    def grow(self, rows, may_grow, numbers):
        bag = bag_of(self.values, rows)
        taken = self.quotas(bag, len(rows), may_grow)
        if taken is None or not self.certain(without(bag, taken)):
            self.leaf(rows, bag, numbers)
            return []
        apart = self.skimmed(rows, dict(taken), numbers)
        rest = [r for r in rows if r not in apart]
        self.events += ["skim"] * bool(apart) + ["cut"]
        exact = self.rule._replace(exact=True)
        parts = cut(self.looks, rest, exact, 1) or (rest[: len(rest) // 2], rest[len(rest) // 2 :])
        return [(apart, False)] * bool(apart) + [(part, True) for part in parts]

    def certain(self, bag):
        """Whether both halves are diverse whoever is in them."""
        return bool(bag) and max(c for _, c in bag) * self.rule.ell <= sum(c for _, c in bag) // 2

    def skimmed(self, rows, quotas, numbers):
        """Of each value so many rows, drawn."""
        apart = []
        for r in rows:
            if numbers[r] < quotas[self.values[r]]:
                quotas[self.values[r]] -= 1
                apart.append(r)
        return apart

    def leaf(self, rows, bag, numbers):
        self.found += rda_leaf(bag, self.values, rows, self.rule.ell, numbers)
