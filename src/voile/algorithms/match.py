"""MATCH, the fine tier: every bucket becomes groups of nearest rows, then swaps (docs/facts/safety.md 1.1).

Looks at quasi-identifiers and at which rows of a bucket have the same value, never at which value that is.
"""

import numpy as np
from numpy.typing import NDArray

from voile.algorithms.elig import NEAREST, NEAREST_OF_MANY, SMALL, affordable_passes, outliers_first, refined
from voile.core.algorithm import Progress
from voile.core.order import distinct_values
from voile.kernels.kd_forest import plant
from voile.kernels.loss import Loss
from voile.kernels.match import match_buckets
from voile.kernels.threads import Threads

Codes = NDArray[np.int64]
CONSIDERED = 10**7  # rows in place of others, in a pass over a large table: a few lose 1 % and save half the time


def matched(
    loss: Loss, values: NDArray[np.int32], bucket: Codes, place: NDArray[np.int32], progress: Progress
) -> Codes:
    """The group of each row. Rows stand along a curve, `bucket` numbers their buckets, `place` those of one
    value."""
    tree = distinct_values(bucket)[1]
    width = np.zeros(int(tree.max()) + 1, np.int64)
    np.maximum.at(width, tree, place + 1)
    alpha = np.bincount(tree) // width
    first_group = np.cumsum(alpha) - alpha
    curve = np.arange(tree.size)
    order = outliers_first(loss, values, curve)
    forest = plant(loss, values[order], tree[order], place[order, None])
    found = np.empty(tree.size, np.int64)
    with Threads(tree.size) as threads:
        jobs = []
        for t in range(threads.number):
            own = forest._replace(todo=forest.todo.copy(), todo_cost=forest.todo_cost.copy())
            buckets = np.arange(t, width.size, threads.number)
            jobs.append(threads.submit(match_buckets, own, loss, width, alpha, first_group, buckets, found))
        for job in jobs:
            job.result()
    group = np.empty_like(found)
    group[order] = found
    progress(0.5)
    passes = affordable_passes(tree.size, int(width.max()))
    if not passes:
        return group
    alike = (np.cumsum(width) - width)[tree] + place  # rows of one bucket and value: only these change places
    nothing_else = np.empty((tree.size, 0), np.int32)
    nearest = min(NEAREST_OF_MANY, max(8, CONSIDERED // tree.size)) if tree.size > SMALL else NEAREST
    return np.asarray(refined(loss, values, nothing_else, curve, group, passes, progress, alike, nearest))
