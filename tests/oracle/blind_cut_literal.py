"""FREE with RDA's leaves as docs/facts/safety.md 1.3 corrects it. Slow on purpose, equal on purpose."""

from tests.oracle import rda_literal
from tests.oracle.glass_literal import Tree
from tests.oracle.safe_blocks_literal import bag_of, cut


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
        if taken is None or self.part(bag, taken) > (len(rows) - sum(taken.values())) // 2:
            self.leaf(rows, bag, numbers)
            return []
        apart = self.skimmed(rows, dict(taken), numbers)
        rest = [r for r in rows if r not in apart]
        self.events += ["skim"] * bool(apart) + ["cut"]
        parts = cut(self.looks, rest, True) or (rest[: len(rest) // 2], rest[len(rest) // 2 :])
        return [(apart, False)] * bool(apart) + [(part, True) for part in parts]

    def quotas(self, bag, size, may_grow):
        """How many rows of each value are skimmed; None: that is not allowed, and there will be no cut."""
        allowed = self.may_be_cut(size, may_grow)
        return self.skim(bag, size, self.rule.tau, self.rule.limit) if allowed else None

    def part(self, bag, taken):
        """How many rows a part must have to be diverse whoever is in it."""
        return max(count - taken[v] for v, count in bag) * self.rule.ell

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
