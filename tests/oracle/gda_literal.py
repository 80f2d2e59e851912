"""GDA as Liu and Wang 2012 write it (Table 7, with the resolutions of docs/facts/streamliner.md A5). Slow on
purpose.

Ties of colours and of distances go to the smaller value. Residual rows join the compatible group of the nearest
mean, the first of equals; means are those of the groups as formed. The guard is that of the facts, for
floor(n / l) groups: then the largest colour, too, waits while only critical colours may join.
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
    groups, largest = [], None
    while sum(map(bool, left.values())) >= ell:
        k = len(world) // ell - len(groups)
        critical = {c for c in left if len(left[c]) >= k}
        spare = sum(min(len(rows), k) for rows in left.values()) - len(critical) - ell * (k - 1)
        must_wait = guarded and largest is not None and largest not in critical and spare == 0
        if largest is None or not left[largest] or must_wait:
            largest = min(left, key=lambda c: (-len(left[c]), c))
        lead = left[largest][0]
        others = [c for c in left if c != largest and left[c]]
        others.sort(key=lambda c: (abs(rank[left[c][0]] - rank[lead]), c))
        if guarded:
            others = permitted(others, ell - 1, critical, spare - (largest not in critical))
        groups.append([left[c].pop(0) for c in [largest, *others[: ell - 1]]])
    return groups, left


def permitted(others, places, critical, spare):
    """The nearest colours, of which not too many are other than critical."""
    chosen = []
    for c in others:
        if len(chosen) < places and (c in critical or spare > 0):
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
            groups[min(free, key=lambda g: (abs(total[g] - ell * rank[row]), g))].append(row)
    return groups
