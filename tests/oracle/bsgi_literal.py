"""BSGI as Ye et al. 2008 write it, with fractions and full scans. Slow on purpose; equal on purpose.

Rows are taken in the given order: the first row of the largest bucket begins a group, ties go to
the lower row, bucket ties to the lower value code (docs/facts/bsgi.md A4.5).
"""

from fractions import Fraction

from voile.core.axis import Axis


def cell_cost(domain, codes):
    """NCP of one column of one group."""
    if isinstance(domain, Axis):
        return Fraction(max(codes) - min(codes), max(1, domain.high - domain.low))
    node = domain.ancestor(min(codes), max(codes))
    size = domain.size(node)
    return Fraction(size, domain.leaves) if size > 1 else Fraction(0)


def row_cost(columns, rows, weights=None):
    """What one row of a group costs."""
    weights = weights or [1] * len(columns)
    return sum(
        (
            w * cell_cost(domain, [codes[r] for r in rows])
            for w, (domain, codes) in zip(weights, columns, strict=True)
        ),
        Fraction(0),
    )


def select_and_group(columns, sensitive, ell):
    """Groups in order of formation, members in order of joining; and the residual rows."""
    buckets = {}
    for row, value in enumerate(sensitive):
        buckets.setdefault(value, []).append(row)
    groups = []
    while len(buckets) >= ell:
        largest = sorted(buckets, key=lambda v: (-len(buckets[v]), v))[:ell]
        members = [buckets[largest[0]][0]]
        for value in largest[1:]:
            members.append(min(buckets[value], key=lambda t: (row_cost(columns, [*members, t]), t)))
        for value, row in zip(largest, members, strict=True):
            buckets[value].remove(row)
            if not buckets[value]:
                del buckets[value]
        groups.append(members)
    return groups, sorted(row for bucket in buckets.values() for row in bucket)


def incorporate(columns, sensitive, groups, residual):
    """Each residual row joins the group lacking its value where the total loss grows least."""
    groups = [list(group) for group in groups]
    suppressed = []
    for row in residual:

        def growth(g, row=row):
            group = groups[g]
            after = (len(group) + 1) * row_cost(columns, [*group, row])
            return after - len(group) * row_cost(columns, group), g

        lacking = [g for g, group in enumerate(groups) if all(sensitive[m] != sensitive[row] for m in group)]
        if lacking:
            groups[min(lacking, key=growth)].append(row)
        else:
            suppressed.append(row)
    return groups, suppressed
