"""ELIG as docs/facts/bsgi.md A6 writes it, with fractions and full scans. Slow on purpose; equal on purpose.

Rows are numbered as they begin groups: ties go to the lower number.
"""

from collections import Counter

from tests.oracle.bsgi_literal import row_cost


def form_groups(columns, marks, ell, groups):
    """Groups in order of formation. `marks[row]` is a tuple of what must differ inside a group."""
    left = list(range(len(marks)))
    formed = []
    for to_go in range(groups, 0, -1):
        critical = [
            {mark for mark, count in Counter(marks[row][c] for row in left).items() if count >= to_go}
            for c in range(len(marks[0]))
        ]
        members = []
        for place in range(ell):
            around = members or left[:1]  # the first row, where another must be taken in its stead
            used = [{marks[m][c] for m in members} for c in range(len(marks[0]))]
            wanted = [crit - use for crit, use in zip(critical, used, strict=True)]
            forced = [len(want) >= ell - place for want in wanted]
            free = [r for r in left if all(marks[r][c] not in used[c] for c in range(len(used)))]
            serving = [r for r in free if all(marks[r][c] in wanted[c] for c in range(len(used)) if forced[c])]
            if place == 0 and not any(forced):
                serving = left[:1]
            choice = serving or free
            if not choice:
                break
            nearest = min(choice, key=lambda r, around=around: (row_cost(columns, [*around, r]), r))
            members.append(nearest)
            left.remove(nearest)
        formed.append(members)
    return formed


def refine(columns, marks, groups, turn, blocks, candidates, passes):
    """Passes of swaps over groups (lists of rows); `turn` is the order in which groups are looked at."""
    groups = [list(group) for group in groups]
    stale = set(range(len(groups)))
    for _ in range(passes):
        for b in range(blocks):
            block = [g for g in turn[b::blocks] if g in stale]
            proposed = {g: [best_swap(columns, marks, groups, g, i, candidates) for i in range(len(groups[g]))]
                        for g in block}  # fmt: skip
            stale -= set(block)
            for g in block:
                for i, partner in enumerate(proposed[g]):
                    if partner is not None:
                        stale.add(g)  # if another exchange came first, look again
                    if partner is not None and partner not in groups[g]:
                        stale |= exchange(columns, marks, groups, g, i, partner)
    return groups


def total(columns, group):
    return len(group) * row_cost(columns, group)


def differ(marks, group):
    return all(len({marks[r][c] for r in group}) == len(group) for c in range(len(marks[0])))


def put(group, gone, row):
    return [row if r == gone else r for r in group]


def saving(columns, marks, groups, g, t, u):
    """What exchanging t of group g and u saves in all; None if that breaks a group."""
    h = next(h for h, group in enumerate(groups) if u in group)
    one, other = put(groups[g], t, u), put(groups[h], u, t)
    if not (differ(marks, one) and differ(marks, other)):
        return None
    before = total(columns, groups[g]) + total(columns, groups[h])
    return before - total(columns, one) - total(columns, other)


def best_swap(columns, marks, groups, g, i, candidates):
    """The row whose exchange with the i-th row of a group saves most, among the nearest ones."""
    t = groups[g][i]
    rest = [r for r in groups[g] if r != t]
    limit = row_cost(columns, groups[g])
    seated = [r for group in groups for r in group]
    near = [(row_cost(columns, [*rest, u]), u) for u in seated if u != t and differ(marks, [*rest, u])]
    best, most = None, 0
    for _, u in sorted((cost, u) for cost, u in near if cost < limit)[:candidates]:
        saved = saving(columns, marks, groups, g, t, u)
        if saved is not None and saved > most:
            best, most = u, saved
    return best


def exchange(columns, marks, groups, g, i, u):
    """Make a swap if it still saves something; the groups that changed."""
    t = groups[g][i]
    saved = saving(columns, marks, groups, g, t, u)
    if saved is None or saved <= 0:
        return set()
    h = next(h for h, group in enumerate(groups) if u in group)
    groups[h][groups[h].index(u)] = t
    groups[g][i] = u
    return {g, h}
