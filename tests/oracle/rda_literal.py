"""RDA's plan as Liu and Wang 2012 write it (Table 6), on counts: which colours each group takes. Slow on purpose.

Ties of colours go to the smaller value, of groups to the first. `keep_first` is the paper's text: the largest
colour stays until it is exhausted, even when it is no longer the largest (docs/facts/streamliner.md A5).
"""


def plan(counts, ell, keep_first=False):
    """Groups as lists of colours."""
    left = list(counts)
    groups = []
    first = None
    while sum(n > 0 for n in left) >= ell:
        order = sorted((c for c in range(len(left)) if left[c]), key=lambda c: (-left[c], c))
        if not keep_first or first is None or left[first] == 0:
            first = order[0]
        taken = [first, *[c for c in order if c != first][: ell - 1]]
        for c in taken:
            left[c] -= 1
        groups.append(taken)
    for c, n in enumerate(left):
        for _ in range(n):
            compatible = [g for g in range(len(groups)) if c not in groups[g]]
            groups[min(compatible, key=lambda g: (len(groups[g]), g))].append(c)
    return groups
