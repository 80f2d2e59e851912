"""Mondrian as LeFevre et al. 2006 write it, and with free cuts: recursion, lists and fractions. Slow on purpose.

Rows are numbers. A part is a list of rows in ascending order. Costs are those of `bsgi_literal.cell_cost`.
"""

from collections import Counter
from fractions import Fraction

from tests.models.earth_mover import earth_movers_distance
from tests.oracle.bsgi_literal import cell_cost
from voile.core.logarithms import entropy_reaches

BINS = 256


def holds(property, numbers, counts, table=None, distance=None):
    """Whether a group of these counts has a property, as its definition says. `table` counts the whole."""
    line, size = sorted(counts.values(), reverse=True), sum(counts.values())
    if property == "k_anonymity":
        return size >= numbers["k"]
    if property == "alpha_k":
        return size >= numbers["k"] and line[0] <= numbers["alpha"] * size
    if property == "t_closeness":
        values = sorted(table)
        have = [Fraction(counts[v], size) for v in values]
        want = [Fraction(table[v], sum(table.values())) for v in values]
        return earth_movers_distance(have, want, distance) <= numbers["t"]
    ell = numbers["l"]
    if property == "distinct":
        return len(line) >= ell
    if property == "frequency":
        return line[0] * ell <= size
    if property == "recursive":
        return line[0] < numbers["c"] * sum(line[ell - 1 :])
    if property == "entropy":
        return entropy_reaches(tuple(line), ell, 1)
    psi = [numbers["tau"] + (1 - numbers["tau"]) * Fraction(k, ell - 1) for k in range(ell)]
    return all(Fraction(sum(line[: k + 1]), size) <= psi[k] for k in range(ell))


def mondrian(columns, sensitive, good, relaxed, free):
    """Parts in order, lower sides first. `columns` are (domain, codes), `good(counts)` the promise."""

    def bag(rows):
        return Counter(sensitive[r] for r in rows)

    def cost(j, rows):
        domain, codes = columns[j]
        return cell_cost(domain, [codes[r] for r in rows])

    def fine(left, right):
        return bool(left) and bool(right) and good(bag(left)) and good(bag(right))

    def median(rows, j):
        codes = columns[j][1]
        if relaxed:
            middle = sorted(codes[r] for r in rows)[(len(rows) - 1) // 2]
            below, run = ([r for r in rows if f(codes[r], middle)] for f in (int.__lt__, int.__eq__))
            ties = len(rows) // 2 - len(below)  # of the rows in the middle, spread evenly over them
            tied = {r for i, r in enumerate(run) if (i + 1) * ties // len(run) > i * ties // len(run)}
            left = sorted({*below, *tied})
            return left, [r for r in rows if r not in set(left)]
        cuts = sorted({codes[r] for r in rows})[1:]
        at = min(cuts, key=lambda c: (abs(len(rows) - 2 * sum(codes[r] < c for r in rows)), c))
        return sides(rows, j, at)

    def sides(rows, j, at):
        codes = columns[j][1]
        return [r for r in rows if codes[r] < at], [r for r in rows if codes[r] >= at]

    def free_cuts(rows, j):
        """Between any two codes, or between bins of a power of two codes where these are too many."""
        codes = sorted({columns[j][1][r] for r in rows})
        shift = 0
        while (codes[-1] - codes[0]) >> shift >= BINS:
            shift += 1
        bins = [(c - codes[0]) >> shift for c in codes]
        return [
            sides(rows, j, c) for c, bin, before in zip(codes[1:], bins[1:], bins, strict=False) if bin > before
        ]

    def cut(rows):
        turn = sorted((j for j in range(len(columns)) if cost(j, rows) > 0), key=lambda j: (-cost(j, rows), j))
        for j in turn:
            left, right = median(rows, j)
            if fine(left, right):
                return cut(left) + cut(right)
        found, most = None, Fraction(0)
        for j in turn if free else []:
            for left, right in free_cuts(rows, j):
                saved = len(rows) * cost(j, rows) - len(left) * cost(j, left) - len(right) * cost(j, right)
                if saved > most and fine(left, right):
                    found, most = (left, right), saved
        return cut(found[0]) + cut(found[1]) if found else [rows]

    return cut(list(range(len(sensitive))))
