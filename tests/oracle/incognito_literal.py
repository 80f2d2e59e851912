"""Every combination of levels, judged by the definitions with fractions. Slow on purpose; equal on purpose."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import floor

from tests.models.test_models import closeness
from voile.core.axis import Axis
from voile.core.logarithms import entropy_reaches


def levels_of(column):
    """For each level, finest first, what is published of each code: the least and the greatest code it may be."""
    domain = column.domain
    if not isinstance(domain, Axis):
        return [
            {leaf: (int(domain.low[node]), int(domain.high[node])) for leaf, node in enumerate(level)}
            for level in domain.levels().tolist()
        ]
    steps = domain.high - domain.low + 1
    codes = range(domain.low, domain.high + 1)
    found = [{code: (code, code) for code in codes}]
    for parts in (parts for parts in (64, 16, 4, 1) if parts < steps):
        cells = {}
        for code in codes:
            cells.setdefault((code - domain.low) * parts // steps, []).append(code)
        found.append({code: (cell[0], cell[-1]) for cell in cells.values() for code in cell})
    return found


def keeps(rule, values, everybody, domain):
    """Whether the values of a group keep a promise: a name and its bounds."""
    name, bounds = rule
    counts = sorted(Counter(values).values(), reverse=True)
    size = len(values)
    if name == "k_anonymity":
        return size >= bounds["k"]
    if name == "alpha_k":
        return size >= bounds["k"] and counts[0] <= Fraction(bounds["alpha"]) * size
    if name == "distinct":
        return len(counts) >= bounds["l"]
    if name == "frequency":
        return counts[0] * bounds["l"] <= size
    if name == "recursive":
        return counts[0] < Fraction(bounds["c"]) * sum(counts[bounds["l"] - 1 :])
    if name == "entropy":
        return entropy_reaches(tuple(counts), bounds["l"], 1)
    if name == "tau_l":
        tau, ell = Fraction(bounds["tau"]), bounds["l"]
        return all(
            Fraction(sum(counts[:k]), size) <= tau + (1 - tau) * Fraction(k - 1, ell - 1) for k in range(1, ell)
        )
    return closeness(values, everybody, domain) <= Fraction(bounds["t"])


def loss(by, columns, groups, boxes, suppressed, rows):
    """What is lost by some groups, each published as a box."""
    if by == "dm":
        return sum(len(group) ** 2 for group in groups) + suppressed * rows
    if by == "aecs":
        return Fraction(sum(map(len, groups)), len(groups))
    total = suppressed * sum(column.weight for column in columns)
    for group, box in zip(groups, boxes, strict=True):
        for column, (low, high) in zip(columns, box, strict=True):
            total += len(group) * column.weight * cell_loss(by, column.domain, low, high)
    return Fraction(total)


def widened(domain, low, high):
    """The ends of an interval as they are published: not narrower than the least width, and on the grid."""
    if domain.min_width is not None and high - low + 1 < domain.min_width:
        low -= low % domain.min_width
        high = max(high, low + domain.min_width - 1)
    if domain.grid is not None:
        low -= low % domain.grid
        high += domain.grid - 1 - high % domain.grid
    return low, high


def cell_loss(by, domain, low, high):
    """NCP of a cell; ends that are widened beyond the domain cost no more than all of it."""
    if isinstance(domain, Axis):
        low, high = widened(domain, low, high)
        across = domain.high - domain.low
        return Fraction(min(high - low, across), across) if across else Fraction(0)
    leaves, size = domain.leaves, high - low + 1
    if by == "gcp_minus1":
        return Fraction(size - 1, max(1, leaves - 1))
    return Fraction(size if size > 1 else 0, leaves)


def search(table, rule, suppress, by):
    """The best node's levels and its groups with their boxes, or None; and every node that passes."""
    columns, secret, domain = table.quasi, table.sensitive[0].codes.tolist(), table.sensitive[0].domain
    trees = [levels_of(column) for column in columns]
    passing = {}
    for levels in product(*(range(len(tree)) for tree in trees)):
        cells = {}
        for row in range(table.n):
            codes = (int(column.codes[row]) for column in columns)
            box = tuple(tree[level][code] for tree, level, code in zip(trees, levels, codes, strict=True))
            cells.setdefault(box, []).append(row)
        good = {box: g for box, g in cells.items() if keeps(rule, [secret[r] for r in g], secret, domain)}
        suppressed = table.n - sum(map(len, good.values()))
        if good and suppressed <= floor(Fraction(suppress) * table.n):
            lost = (
                sum(levels)
                if by == "height"
                else loss(by, columns, list(good.values()), list(good), suppressed, table.n)
            )
            passing[levels] = (lost, sum(levels), tuple(-level for level in levels)), good
    if not passing:
        return None, None, set()
    best = min(passing, key=lambda levels: passing[levels][0])
    return best, passing[best][1], set(passing)
