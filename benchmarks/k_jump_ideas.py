"""What each idea of the exact engine saves, counted and not timed: how many things there are to look at."""

from collections import Counter
from itertools import product
from math import factorial, prod
from typing import Any

import numpy as np

from benchmarks.nested_cuts import Codes, table

TABLES = [(32, [8, 6, 3, 1], 3), (32, [8, 6, 3, 1], 4), (48, [8, 6, 3, 1], 3)]  # rows, groups, values


def ideas() -> list[dict[str, Any]]:
    """For the disclosure set of the root: tables; matrices over leaves; over the groups of the finest function
    whose disclosure set is needed, which is g2 with k = 1, and g3 where those at g2 jump to nothing."""
    lines = []
    for rows, groups, s in TABLES:
        sequence, values = table(rows, groups, s)
        counts = np.bincount(values)
        line = {"rows": rows, "s": s, "tables": f"{tables(counts):.1e}"}
        names = ("matrices over leaves", "over groups of g2 (k = 1)", "over groups of g3 (k = 1,4,1,1)")
        found = zip(names, sequence.functions, strict=False)
        lines.append({**line, **{name: f"{matrices(np.bincount(f), counts):.1e}" for name, f in found}})
    return lines


def tables(counts: Codes) -> int:
    """How many tables have these frequencies."""
    return factorial(int(counts.sum())) // prod(map(factorial, counts.tolist()))


def matrices(sizes: Codes, counts: Codes) -> int:
    """How many matrices of whole numbers have these row and column sums.

    >>> matrices(np.array([1, 1]), np.array([1, 1])), matrices(np.array([2, 2]), np.array([3, 1]))
    (2, 2)
    """
    left = Counter({tuple(counts.tolist()): 1})
    for size in sizes.tolist():
        after: Counter[tuple[int, ...]] = Counter()
        for rest, ways in left.items():
            for first in product(*(range(min(size, most) + 1) for most in rest[:-1])):
                last = size - sum(first)
                if 0 <= last <= rest[-1]:
                    after[(*(a - b for a, b in zip(rest, first, strict=False)), rest[-1] - last)] += ways
        left = after
    return sum(left.values())
