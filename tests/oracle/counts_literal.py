"""Counts from a release and from the source, transcribed literally with fractions: no codes, no blocks."""

from fractions import Fraction
from statistics import median

from voile.core.axis import Axis
from voile.core.boxes import LONGEST_SET


def cell_values(column, rows):
    """All values that the published cell of some rows may stand for."""
    codes = sorted({int(column.codes[row]) for row in rows})
    if isinstance(column.domain, Axis):
        low, high = column.domain.snap(codes[0], codes[-1])
        return range(int(low), int(high) + 1)
    if column.domain.is_flat and 1 < len(codes) <= LONGEST_SET:
        return codes
    node = column.domain.ancestor(codes[0], codes[-1])
    return range(int(column.domain.low[node]), int(column.domain.high[node]) + 1)


def estimate(groups, quasi, sensitive):
    """Xiao and Tao 2007: per group the rows whose sensitive value qualifies, times the share of the box.

    Conditions are (column, accepts) with a function of a code; `sensitive` is one of them.
    """
    return sum((rows * chance for rows, chance in parts(groups, quasi, sensitive)), Fraction(0))


def parts(groups, quasi, sensitive):
    """Per group the rows that may qualify, and the chance of each."""
    for rows in groups:
        column, accepts = sensitive
        qualified = sum(bool(accepts(int(column.codes[row]))) for row in rows)
        chance = Fraction(1)
        for column, accepts in quasi:
            cell = cell_values(column, rows)
            chance *= Fraction(sum(bool(accepts(value)) for value in cell), len(cell))
        yield qualified, chance


def truth(n, conditions):
    """Rows of the source that meet all conditions."""
    return sum(all(accepts(int(c.codes[row])) for c, accepts in conditions) for row in range(n))


def answers(n, groups, queries):
    """(actual, estimated) of each query, a list of conditions, the sensitive one last."""
    return [(truth(n, query), estimate(groups, query[:-1], query[-1])) for query in queries]


def mean_error(n, answered, delta):
    """Liu and Wang 2012, section 4.2."""
    return sum(abs(act - est) / max(act, delta * n) for act, est in answered) / len(answered)


def median_error(answered):
    """Xiao and Tao 2007, section 6; queries that count nothing are left out."""
    errors = [abs(act - est) / act for act, est in answered if act > 0]
    return median(errors) if errors else 0
