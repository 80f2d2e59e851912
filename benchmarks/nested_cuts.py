"""Tables of one ordered quasi-identifier, and nested cuts of a binary tree over it as a sequence of functions.

The tables on which k-jump is measured (docs/facts/k_jump.md section 5). Leaves hold unevenly many rows, at
least two: in a tree that looks the same from everywhere nobody stands out, and a naive search would be safe
already.
"""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.generalizations import Generalizations

Codes = NDArray[np.int64]
SEED = 360  # with many others no table passes a finer function, where tables are small: nothing to find out
FEWEST = 2  # rows of a leaf


def table(rows: int, groups: list[int], s: int, seed: int = SEED) -> tuple[Generalizations, Codes]:
    """The functions, one with each number of groups from fine to coarse, and the sensitive value of each row.

    >>> sequence, values = table(12, [4, 3, 2, 1], s=3)
    >>> [int(function.max()) + 1 for function in sequence.functions], np.bincount(values).tolist()
    ([4, 3, 2, 1], [7, 3, 2])
    """
    draws = np.random.default_rng([seed, rows, groups[0], s])
    shares = draws.dirichlet(np.full(groups[0], 2.0))
    leaf = np.repeat(np.arange(groups[0]), FEWEST + draws.multinomial(rows - FEWEST * groups[0], shares))
    cut = [(one,) for one in range(groups[0])]
    functions = []
    for count in groups:
        while len(cut) > count:
            cut = _merged(cut, draws)
        group = np.array([number for number, leaves in enumerate(cut) for _ in leaves])
        functions.append(group[leaf])
    return Generalizations(tuple(functions)), draws.permutation(zipf(rows, s))


def zipf(rows: int, s: int) -> Codes:
    """Values 0 .. s - 1, value v as often as 1 / (v + 1) goes, rounded by largest remainder."""
    weights = [Fraction(1, v + 1) for v in range(s)]
    exact = [rows * weight / sum(weights) for weight in weights]
    counts = [int(share) for share in exact]
    by_remainder = sorted(range(s), key=lambda v: (counts[v] - exact[v], v))
    for v in by_remainder[: rows - sum(counts)]:
        counts[v] += 1
    return np.repeat(np.arange(s), counts)


def _merged(cut: list[tuple[int, ...]], draws: np.random.Generator) -> list[tuple[int, ...]]:
    """A random pair of siblings of the cut becomes their parent. The tree halves the leaves again and again."""
    parents = {node: _parent(node, cut) for node in cut}
    pairs = [i for i in range(len(cut) - 1) if parents[cut[i]] == parents[cut[i + 1]] == cut[i] + cut[i + 1]]
    i = int(draws.choice(pairs))
    return [*cut[:i], cut[i] + cut[i + 1], *cut[i + 2 :]]


def _parent(node: tuple[int, ...], cut: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The node above, in the tree over all leaves of the cut."""
    here = tuple(leaf for leaves in cut for leaf in leaves)
    parent = here
    while here != node:
        parent, middle = here, len(here) // 2
        here = here[:middle] if node[0] < here[middle] else here[middle:]
    return parent
