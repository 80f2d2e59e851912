"""Small searches at random: tables, sequences of functions, properties and strategies of every kind.

Each kind of sequence is there for a way in which an exact engine may be clever: nested chains (cells, and finer
functions inside them), symmetric trees (everybody in a group is alike), values of equal frequency (they can be
exchanged), functions that straddle the groups of others, functions that are incomparable inside a third, functions
that come twice. Left to chance a disclosure set is hardly ever turned down: so groups have mostly two rows or
more, properties are such that some tables have them or have them just so, and tables such that are turned down.
"""

from collections import Counter
from fractions import Fraction
from math import exp, factorial, floor, log, prod
from random import Random
from typing import NamedTuple

import numpy as np
from hypothesis import Phase
from hypothesis import strategies as st

from tests.nights import NIGHT
from tests.oracle import k_jump_literal as literal
from tests.theory.liu_et_al import strategy_of
from voile.core.generalizations import Generalizations
from voile.theory import set_properties as product

NIGHTLY = 40 if NIGHT else 1  # so many times as many searches
SEEDS = (Phase.explicit, Phase.generate)  # a smaller seed is not a smaller search


class Searched(NamedTuple):
    """A table and a search for it: the group of each row in each function, the values, the property by name, and
    the strategy."""

    labels: list
    values: list
    wanted: tuple
    kind: str
    k: list

    def product(self):
        """The first four arguments of voile.theory.evaluation."""
        name, *bounds = self.wanted
        sequence = Generalizations(tuple(np.array(line) for line in self.labels))
        strategy = strategy_of(self.kind, self.k, len(self.labels))
        return sequence, np.array(self.values), PROPERTIES[name][0](*bounds), strategy

    def literal(self):
        """The literal search, and the table."""
        name, *bounds = self.wanted
        functions = [groups_of(line) for line in self.labels]
        return literal.Search(functions, PROPERTIES[name][1](*bounds), self.kind, self.k), tuple(self.values)


PROPERTIES = {
    "frequency": (product.HighestRatio, literal.max_ratio),
    "distinct": (product.Distinct, literal.distinct),
    "k_anonymity": (product.CrowdSize, literal.k_anonymity),
    "recursive": (product.Recursive, literal.recursive),
    "entropy": (product.Entropy, literal.entropy),
}
RATIOS = [Fraction(a, b) for a, b in ((1, 2), (1, 3), (2, 3), (3, 5), (2, 5), (3, 4), (5, 6), (1, 1))]
NAMES = ["frequency", "frequency", "distinct", "k_anonymity", "recursive", "entropy"]
COUNTS = [Fraction(a, b) for a, b in ((1, 1), (5, 4), (3, 2), (2, 1), (5, 2), (3, 1))]


def any_property(random):
    """One of the five, with one bound or two."""
    name = random.choice(NAMES)
    if name == "recursive":
        return name, random.choice([Fraction(1, 2), *COUNTS]), random.randint(1, 3)
    return name, random.choice({"frequency": RATIOS, "entropy": COUNTS}.get(name, [1, 2, 2, 3, 4]))


def tight_property(random, labels, values):
    """One that a group of some function has just so: where ties are decided."""
    group = random.choice(groups_of(random.choice(labels[1:] or labels)))
    counts = sorted(Counter(values[row] for row in group).values(), reverse=True)
    name, size = random.choice(NAMES), len(group)
    if name == "frequency":
        return name, Fraction(counts[0], size)
    if name == "recursive":
        ell = random.randint(1, len(counts))
        return name, Fraction(counts[0], sum(counts[ell - 1 :])) + Fraction(1, 50), ell
    if name == "entropy":
        return name, Fraction(floor(10 * exp(-sum(c / size * log(c / size) for c in counts)) + 1e-9), 10)
    return name, len(counts) if name == "distinct" else size


def fitting_property(random, labels, values):
    """One that holds for the whole table, and for the first function with some tables but not with all, if that is
    soon found."""
    tables = [tuple(random.sample(values, len(values))) for _ in range(8)]
    for _ in range(20):
        wanted = random.choice([any_property(random), tight_property(random, labels, values)])
        search, t = Searched(labels, values, wanted, "naive", [1] * len(labels)).literal()
        if search.p_per(search.n + 1, t) and 0 < sum(search.p_per(1, u) for u in tables) < len(tables):
            break
    return wanted


def groups_of(labels):
    """Groups of row numbers from the label of each row."""
    return [[row for row, label in enumerate(labels) if label == each] for each in sorted(set(labels))]


def tables_of(values):
    """How many tables have these values."""
    return factorial(len(values)) // prod(factorial(values.count(value)) for value in set(values))


def labelling(random, rows, most):
    """A partition of the rows into at most so many groups, mostly none of them of one row."""
    pairs = [row for group in range(min(most, rows // 2)) for row in (group, group)]
    if not pairs or random.random() < 0.2:
        return [random.randrange(most) for _ in range(rows)]
    return random.sample(pairs + [random.choice(pairs) for _ in range(rows - len(pairs))], rows)


def any_functions(random, rows):
    """Partitions that have nothing to do with each other."""
    return [labelling(random, rows, random.randint(1, 4)) for _ in range(random.randint(1, 5))]


def nested_chain(random, rows, finest=6):
    """Every function joins groups of the one before; not always down to one group."""
    chain, most = [labelling(random, rows, finest)], finest
    while len(chain) < 5 and most > 1:
        fewer = random.randint(1, most)
        to = [random.randrange(fewer) for _ in range(finest)]
        chain.append([to[label] for label in chain[-1]])
        most = min(most - 1, fewer)
    return chain


def nested_cuts(random, rows):
    """Of one ordered line: each function removes boundaries of the one before."""
    at = range(2, rows - 1, 2) if random.random() < 0.5 else range(1, rows)
    chain = [random.sample(at, min(len(at), random.randint(2, 5)))]
    while chain[-1] and len(chain) < 5:
        chain.append(chain[-1][: random.randrange(len(chain[-1]))])
    return [[sum(row >= cut for cut in each) for row in range(rows)] for each in chain]


def symmetric_tree(random, rows):
    """Leaves of one size, joined by twos or threes: every row of a group can stand for every other."""
    leaf, arity = random.randint(1, 3), random.randint(2, 3)
    return [[row // (leaf * arity**level) for row in range(rows)] for level in range(random.randint(2, 4))]


def forest(random, rows):
    """Trees side by side, each of equal branches, but of one kind here and of another there."""
    paths = []
    for tree in range(rows):
        branches, twigs, leaf = random.randint(1, 3), random.randint(1, 2), random.randint(1, 2)
        paths += [(tree, b, twig) for b in range(branches) for twig in range(twigs) for _ in range(leaf)]
    paths = random.sample(paths[:rows], rows)
    chain = [[sorted(set(paths)).index(path) for path in paths]]
    for depth in (2, 1):
        chain.append([sorted({path[:depth] for path in paths}).index(path[:depth]) for path in paths])
    return chain


def straddling(random, rows):
    """A nested chain with functions in between that fit nowhere."""
    chain = nested_chain(random, rows, 4)
    for _ in range(random.randint(1, 2)):
        chain.insert(random.randint(0, len(chain)), labelling(random, rows, random.randint(2, 3)))
    return chain[:5]


def inside_a_third(random, rows):
    """Functions that are incomparable, both finer than a later one, and perhaps the whole."""
    coarse = labelling(random, rows, 2)
    fine = [labelling(random, rows, random.randint(2, 3)) for _ in range(random.randint(2, 3))]
    inside = [[3 * a + b for a, b in zip(coarse, line, strict=True)] for line in fine]
    return [*inside, coarse, *random.choice([[], [[0] * rows]])]


def reused(random, rows):
    """Functions that come again: later, at once, at the end."""
    few = random.choice([any_functions, nested_chain, nested_cuts])(random, rows)[:3]
    again = [random.choice(few) for _ in range(random.randint(1, 2))]
    return random.sample([*few, *again], len(few) + len(again)) if random.random() < 0.3 else [*few, *again]


SEQUENCES = {
    "any": any_functions,
    "nested": nested_chain,
    "cuts": nested_cuts,
    "symmetric": symmetric_tree,
    "forest": forest,
    "straddling": straddling,
    "inside a third": inside_a_third,
    "reused": reused,
}


def table(random, rows, most):
    """Values of any frequencies, of equal ones, or all the same; not more tables than a plain search can follow.
    Values that nobody has may leave gaps in the numbers."""
    while True:
        few = random.choice([1, 2, 2, 3, 3, 3, 4, 4])
        values = random.choice([[row % few for row in range(rows)], [random.randrange(few) for _ in range(rows)]])
        if tables_of(values) <= most:
            return random.sample(values, rows)


def distances(random, n):
    """Mostly a vector; sometimes one distance for all, sometimes all jumps end in nothing."""
    vector = [random.randint(1, max(2, n - 1)) for _ in range(n)]
    return random.choice([vector, vector, [vector[0]] * n, [1] * n, [n] * n])


def searched(random, functions, rows, most):
    """A search over a sequence of one kind."""
    values = table(random, rows, most)
    labels = functions(random, rows)
    if random.random() < 0.7:
        labels = [*labels, [0] * rows][:6]
    wanted = fitting_property(random, labels, values) if random.random() < 0.9 else any_property(random)
    kind = random.choice(["jump", "jump", "jump", "safe", "naive"])
    k = distances(random, len(labels)) if kind == "jump" else [1] * len(labels)
    found = Searched(labels, values, wanted, kind, k)
    return _turned_down(random, found) if random.random() < 0.7 else found


def _turned_down(random, found):
    """The same search for a table whose search turns a function down for its disclosure set, if one is soon found;
    else for the table that it looks at longest."""
    search, _ = found.literal()
    tables = [random.sample(found.values, len(found.values)) for _ in range(20)]
    return found._replace(values=max(tables, key=lambda values: turned_down(search, tuple(values))))


def turned_down(search, t):
    """How many functions that pass on their face a search turns down, and how long it is."""
    path, outcome = search.path(t)
    looked = [step[0] for step in path if step[1]] if search.kind == "jump" else path
    return sum(i != outcome and search.p_per(i, t) for i in looked), len(path)


def kept(labels, values, wanted, kind, k):
    """A search from the text in which it is kept (turned_down.py)."""
    name, *bounds = wanted.split()
    whole = {"distinct": [int], "recursive": [Fraction, int]}.get(name, [Fraction])
    wanted = (name, *(read(bound) for read, bound in zip(whole, bounds, strict=True)))
    functions = [[int(label) for label in line] for line in labels.split()]
    return Searched(functions, [int(value) for value in values], wanted, kind, [int(distance) for distance in k])


def searches(functions, least=3, largest=8, most=3000):
    """Searches of so many rows for hypothesis, which chooses the seed: its own choices are too often trivial."""

    def of(seed):
        random = Random(seed)
        rows = random.randint(least, largest) if random.random() < 0.9 else random.randint(1, largest)
        return searched(random, functions, rows, most)

    return st.integers(0, 2**40).map(of)
