"""The building blocks of docs/facts/safety.md 1.1, word by word: PLAN, SKIM, CUT and the test of shifts.

Slow on purpose, equal on purpose. Bags are lists of values with their counts, the most frequent first; rows are
numbered along the curve.
"""

from fractions import Fraction
from math import lcm
from typing import NamedTuple

from tests.oracle.bsgi_literal import row_cost
from tests.oracle.m_invariant_literal import steps


class Looks(NamedTuple):
    """Quasi-identifiers of rows along the curve: pairs of a domain and codes, and their weights."""

    columns: list
    weights: list
    unit: int = 1  # units of loss that make 1, in which costs are whole

    def cost(self, rows):
        return int(self.unit * row_cost(self.columns, rows, self.weights))


class Rule(NamedTuple):
    """What is fixed in advance."""

    ell: int
    least: int = 1
    tau: Fraction = Fraction(1)
    limit: Fraction = Fraction(3, 5)
    exact: bool = True
    sure: Fraction = Fraction(0)


def bag_of(values, rows):
    """Values of some rows with their counts: the most frequent first, then the smaller."""
    own = [values[r] for r in rows]
    return sorted(((v, own.count(v)) for v in set(own)), key=lambda pair: (-pair[1], pair[0]))


def plan(bag, ell):
    """Pairs of how many groups have a signature, and its values: Assign of Xiao and Tao 2007, ties in the order of
    the bag."""
    counts = {i: count for i, (_, count) in enumerate(bag)}
    return [(alpha, [bag[i][0] for i in order]) for alpha, order in steps(counts, ell)]


def skim(bag, ell, tau, most):
    """How many rows of each value are taken, and of how many that is 0; None if it fails."""
    left, taken = dict(bag), dict.fromkeys(dict(bag), 0)
    while max(left.values()) * ell > tau * sum(left.values()):
        frequent = sorted((v for v in left if left[v]), key=lambda v: -left[v])[:ell]
        rest = sum(left.values()) - ell
        if len(frequent) < ell or sum(taken.values()) + ell > most or rest <= 0:
            return None
        for v in frequent:
            left[v] -= 1
            taken[v] += 1
    return taken


def without(bag, taken):
    """What is left of a bag."""
    return [(v, count - taken.get(v, 0)) for v, count in bag if count > taken.get(v, 0)]


def pairs_of(size):
    """Pairs of places by which cuts are judged: those of Park and Miller's generator."""
    state, drawn = 1, []
    for _ in range(2 * min(300, 2 * size)):
        state = state * 48271 % (2**31 - 1)
        drawn.append(state % size)
    return list(zip(drawn[::2], drawn[1::2], strict=True))


def middle_cut(codes, exact):
    """How many rows go left, the code of the last ones, and how many of those: all below it go left too."""
    ordered = sorted(codes)
    code = ordered[(len(codes) - 1) // 2]
    below, upto = sum(c < code for c in codes), sum(c <= code for c in codes)
    if exact:
        return len(codes) // 2, code, len(codes) // 2 - below
    inner = [left for left in (below, upto) if 0 < left < len(codes)]
    left = min(inner, key=lambda left: (abs(2 * left - len(codes)), left))
    return left, code, upto - below if left == upto else 0


def cut(looks, rows, exact, between=None):
    """The two parts of some rows; None if there is no cut. In the middle if `exact`; between two codes if that
    leaves so many rows on both sides."""
    best, found = None, None
    for _, codes in looks.columns:
        own = [codes[r] for r in rows]
        if len(set(own)) == 1:
            continue
        apart = middle_cut(own, False)
        far = between is not None and between <= apart[0] <= len(rows) - between
        for left, code, ties in [middle_cut(own, True)] * exact + [apart] * far:
            run = own.count(code)
            likely = [c < code or (c == code and i * run < ties * len(rows)) for i, c in enumerate(own)]
            cost = judged(looks, rows, likely, left)
            if best is None or cost < best:
                best, found = cost, parted(rows, own, code, ties)
    return found


def judged(looks, rows, likely, left):
    """Mean loss of pairs inside the parts; floating point as in the product, where ties are concerned."""
    cost, count = {True: 0.0, False: 0.0}, {True: 0, False: 0}
    for a, b in pairs_of(len(rows)):
        if likely[a] == likely[b]:
            cost[likely[a]] += looks.cost([rows[a], rows[b]])
            count[likely[a]] += 1
    return cost[True] / max(1, count[True]) * left + cost[False] / max(1, count[False]) * (len(rows) - left)


def parted(rows, codes, code, ties):
    """Rows below a code and the first so many at it, and the others."""
    at = [r for r, c in zip(rows, codes, strict=True) if c == code][:ties]
    left = [r for r, c in zip(rows, codes, strict=True) if c < code or r in at]
    return left, [r for r in rows if r not in left]


def diverse(labels, ell):
    """Whether no label has more than 1/l of a list."""
    return all(labels.count(v) * ell <= len(labels) for v in set(labels))


def passes_unturned(signatures, seat, parts, ell):
    """Whether both parts are diverse as they are: the test that tells."""
    return all(diverse([signatures[b][1][j] for b, j in map(seat.get, part)], ell) for part in parts)


def passes(signatures, seat, parts, ell):
    """Whether both parts are diverse however often all signatures are turned; seat[row] is a bucket and a place
    in its list."""
    for k in range(lcm(*(len(listed) for _, listed in signatures))):
        turned = [(many, listed[k % len(listed) :] + listed[: k % len(listed)]) for many, listed in signatures]
        if not passes_unturned(turned, seat, parts, ell):
            return False
    return True
