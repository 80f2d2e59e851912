"""Liu et al. 2015 table by table: naive, safe and k-jump searches, reuse, the empty outcome and secret choice.

A second implementation for comparison: slow, and nothing of it is the product's. Tables are tuples, sets are sets,
shares are fractions. A table has a sensitive value for each row; a function is a list of groups of
row numbers; functions are counted from 1. Corrections are those of docs/facts/k_jump.md: Table 13 with k[j] for
k[i] (`as_printed` keeps the misprint), and the empty outcome looked at like any other.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import chain, combinations, product
from math import gcd
from operator import itemgetter

# Properties of one person: how often each value occurs in a set of tables, and the size of the person's group.


def max_ratio(delta):
    """Section 5.1: the highest ratio of a value is no greater than delta."""
    return lambda counts, size: Fraction(max(counts), sum(counts)) <= delta


def distinct(ell):
    """Distinct l-diversity: at least l different values."""
    return lambda counts, size: len([count for count in counts if count > 0]) >= ell


def k_anonymity(k):
    """Each group has at least k rows."""
    return lambda counts, size: size >= k


def recursive(c, ell):
    """Recursive (c,l)-diversity: r_1 < c (r_l + ... + r_m), r_1 the most frequent."""
    return lambda counts, size: max(counts) < c * sum(sorted(counts, reverse=True)[ell - 1 :])


def entropy(ell):
    """Entropy l-diversity: - sum q ln q >= ln l, as powers of whole numbers: l^N prod c^c <= N^N."""

    def holds(counts, size):
        least = gcd(*counts)
        kept = [count // least for count in counts if count]
        total = sum(kept)
        reached = Fraction(ell) ** total
        for count in kept:
            reached *= count**count
        return reached <= total**total

    return holds


class Search:
    """A search over functions g_1 .. g_n for a property: naive (Table 6), safe (Table 7) or jump (Table 9)
    with a distance or a vector of distances."""

    def __init__(self, functions, p, kind, k=1, as_printed=False):
        self.functions, self.p, self.kind, self.as_printed = functions, p, kind, as_printed
        self.n = len(functions)
        self.k = [None, *([k] * self.n if isinstance(k, int) else k)]  # counted from 1
        everybody = sorted(chain(*functions[0]))
        self.groups = [None, *functions, [everybody]]  # n + 1: nothing is disclosed
        self.pick = [None, *([_picker(group) for group in groups] for groups in self.groups[1:])]
        self.back = [None, *(_picker(_places(groups)) for groups in self.groups[1:])]
        self.known = {}  # verdicts, by kind of set, function and generalization

    def g(self, i, t):
        """The generalization g_i(t): the multiset of values of each group."""
        return tuple(tuple(sorted(pick(t))) for pick in self.pick[i])

    def per(self, i, t):
        """Definition 1: the tables that have the same generalization."""
        return frozenset(self._tables(i, self.g(i, t)))

    def _tables(self, i, generalization):
        back = self.back[i]
        for parts in product(*(_arrangements(bag) for bag in generalization)):
            yield back(tuple(chain.from_iterable(parts)))

    def p_per(self, i, t):
        """Whether the property holds for per(g_i(t)): everybody's values there are those of the group."""
        shown = self.g(i, t)
        key = ("per", i, shown)
        if key not in self.known:
            self.known[key] = all(self.p(list(Counter(bag).values()), len(bag)) for bag in shown)
        return self.known[key]

    def p_of(self, i, tables):
        """Whether the property holds for a set of tables after g_i: for everybody's values in all of them."""
        if not tables:
            return False
        size = {row: len(group) for group in self.groups[i] for row in group}
        return all(self.p(list(counts.values()), size[row]) for row, counts in enumerate(persons(tables)))

    def ds(self, i, t):
        """Definition 3 by Table 13: the tables of per(g_i(t)) whose search arrives at g_i. With i = n + 1: the
        tables of these values whose search ends in nothing."""
        return frozenset(u for u in self._tables(i, self.g(i, t)) if self.arrives(i, u))

    def p_ds(self, i, t):
        """Whether the property holds for ds(g_i(t))."""
        key = ("ds", i, self.g(i, t))
        if key not in self.known:
            self.known[key] = self.p_of(i, self.ds(i, t))
        return self.known[key]

    def arrives(self, i, t):
        """Lines 3 to 18 of Table 13, with k[j] in line 10. Where t jumps over g_i if it is not disclosed, it need
        not be known whether it is (section 4.2.1)."""
        j = 1
        while j <= i - 1:
            after = min(self.after(j, t, self.k[i] if self.as_printed else self.k[j]), self.n + 1)
            if after > i or self.discloses(j, t):
                return False
            j = after
        return True

    def discloses(self, j, t):
        """Line 4 of Tables 6 and 7, lines 5 and 7 of Table 9."""
        if self.kind == "naive":
            return self.p_per(j, t)
        if self.kind == "safe":
            return self.p_ds(j, t)
        return self.p_per(j, t) and self.p_ds(j, t)

    def after(self, j, t, distance):
        """Where a search goes on that does not disclose g_j."""
        return j + distance if self.kind == "jump" and self.p_per(j, t) else j + 1

    def path(self, t):
        """Tables 6, 7 and 9, as they stand there; and what is disclosed, None if nothing."""
        path, i = [], 1
        while i <= self.n:
            path.append(i if self.kind != "jump" else (i, 0))
            if self.kind == "jump" and self.p_per(i, t):
                path.append((i, 1))
            if self.discloses(i, t):
                return path, i
            i = self.after(i, t, self.k[i])
        return path, None

    def ds_by_path(self, i, t):
        """Definition 3 word by word: per(g_i(t)) without the tables that have not i, or (i, 1), on their path."""
        step = i if self.kind != "jump" else (i, 1)
        return frozenset(u for u in self.per(i, t) if step in self.path(u)[0])


def persons(tables):
    """How often each value occurs for each row, in a set of tables."""
    return [Counter(column) for column in zip(*tables, strict=True)]


def highest(tables):
    """The highest ratio of a value for anybody."""
    return max(Fraction(max(counts.values()), len(tables)) for counts in persons(tables))


def fewest(tables):
    """The fewest different values of anybody."""
    return min(len(counts) for counts in persons(tables))


class SecretChoice:
    """Section 7: naive over a subset of at least two functions, each subset equally likely, seen from outside."""

    def __init__(self, functions, p):
        self.functions, self.p = functions, p
        numbers = range(1, len(functions) + 1)
        self.subsets = [s for size in numbers if size >= 2 for s in combinations(numbers, size)]

    def ds(self, i, t):
        """The disclosure set of g_i(t) under each subset from which it can come."""
        found = {}
        for subset in (s for s in self.subsets if i in s):
            search = Search([self.functions[j - 1] for j in subset], self.p, "naive")
            tables = search.ds(subset.index(i) + 1, t)
            if tables:
                found[subset] = tables
        return found

    def uniform_average(self, i, t, row, value):
        """The ratio of a row with a value, averaged over the subsets (the paper's figure)."""
        found = self.ds(i, t).values()
        return sum((share(tables, row, value) for tables in found), Fraction(0)) / len(found)

    def posterior(self, i, t, row, value):
        """The same by Bayes: a subset is as likely as it has tables (docs/facts/k_jump.md, erratum 1)."""
        found = self.ds(i, t).values()
        held = sum(persons(tables)[row][value] for tables in found)
        return Fraction(held, sum(len(tables) for tables in found))


def share(tables, row, value):
    """In which part of the tables a row has a value."""
    return Fraction(persons(tables)[row][value], len(tables))


def _picker(places):
    """Those places of a tuple, as a tuple."""
    if len(places) == 1:
        return lambda t: (t[places[0]],)
    return itemgetter(*places)


def _places(groups):
    """Where each row is in the rows of the groups written one after the other."""
    place = {row: at for at, row in enumerate(chain(*groups))}
    return [place[row] for row in sorted(place)]


@cache
def _arrangements(bag):
    """The different orders of a sorted tuple of values."""
    firsts = [at for at, value in enumerate(bag) if not at or bag[at - 1] != value]
    return [(bag[at], *rest) for at in firsts for rest in _arrangements(bag[:at] + bag[at + 1 :])] or [()]
