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


def estimate(groups, ranges, sensitive, accepted):
    """Paper 001: per group rows x share of the box x share of the sensitive values; `ranges` is a list of
    (column, low, high), `accepted` a pair of sensitive codes."""
    total = Fraction(0)
    for rows in groups:
        partial = Fraction(sum(accepted[0] <= int(sensitive.codes[row]) <= accepted[1] for row in rows))
        for column, low, high in ranges:
            cell = cell_values(column, rows)
            partial *= Fraction(sum(low <= value <= high for value in cell), len(cell))
        total += partial
    return total


def truth(n, ranges, sensitive, accepted):
    """Rows of the source that lie in all ranges."""
    conditions = [*ranges, (sensitive, *accepted)]
    return sum(all(low <= int(c.codes[row]) <= high for c, low, high in conditions) for row in range(n))


def answers(n, groups, queries, sensitive):
    """(actual, estimated) of each query."""
    return [(truth(n, q[:-1], sensitive, q[-1]), estimate(groups, q[:-1], sensitive, q[-1])) for q in queries]


def mean_error(n, answered, delta):
    """Paper 000, section 4.2."""
    return sum(abs(act - est) / max(act, delta * n) for act, est in answered) / len(answered)


def median_error(answered):
    """Paper 001, section 6; queries that count nothing are left out."""
    errors = [abs(act - est) / act for act, est in answered if act > 0]
    return median(errors) if errors else 0
