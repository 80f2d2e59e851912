"""GDA as paper 000 writes it (Table 7, with the resolutions of facts/streamliner.md A5). Slow on purpose.

Ties of colours and of distances go to the smaller value. Residual rows join the compatible group of the nearest
mean; means are those of the groups as formed.
"""


def gda(world, rank, ell, guarded=True):
    """Groups of rows, or None where the unguarded algorithm leaves a row that no group can take."""
    groups, left = form_groups(world, rank, ell, guarded)
    return append(world, rank, ell, groups, left)


def form_groups(world, rank, ell, guarded):
    """Groups in order of formation, and the rows left over in each colour."""
    left = {value: [] for value in sorted(set(world))}
    for row in sorted(range(len(world)), key=lambda r: (rank[r], r)):
        left[world[row]].append(row)
    most = max(map(len, left.values()), default=0)
    groups = []
    while sum(map(bool, left.values())) >= ell:
        largest = min(left, key=lambda c: (-len(left[c]), c))
        while left[largest] and sum(map(bool, left.values())) >= ell:
            lead = left[largest][0]
            others = [c for c in left if c != largest and left[c]]
            others.sort(key=lambda c: (abs(rank[left[c][0]] - rank[lead]), c))
            chosen = nearest(left, others, ell, most - len(groups)) if guarded else others[: ell - 1]
            groups.append([left[c].pop(0) for c in [largest, *chosen]])
    return groups, left


def nearest(left, others, ell, k):
    """The nearest colours, of which not too many may be other than critical."""
    if k <= 0:
        return others[: ell - 1]
    critical = {c for c in left if len(left[c]) >= k}
    spare = sum(min(len(rows), k) for rows in left.values()) - len(critical) - ell * (k - 1)
    chosen = []
    for c in others:
        if len(chosen) < ell - 1 and (c in critical or spare > 0):
            chosen.append(c)
            spare -= c not in critical
    return chosen


def append(world, rank, ell, groups, left):
    """Residual rows, colour by colour, to the group without their colour whose mean is nearest."""
    total = [sum(rank[r] for r in group) for group in groups]
    for colour, rows in left.items():
        for row in rows:
            free = [g for g, group in enumerate(groups) if all(world[r] != colour for r in group)]
            if not free:
                return None
            wanted = ell * rank[row]
            above = min((g for g in free if total[g] >= wanted), key=lambda g: (total[g], g), default=None)
            below = max((g for g in free if total[g] < wanted), key=lambda g: (total[g], g), default=None)
            if above is None or (below is not None and wanted - total[below] < total[above] - wanted):
                above = below
            groups[above].append(row)
    return groups
