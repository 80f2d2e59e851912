"""Ten thousands of runs of a shipped algorithm on a handful of rows, without what takes long there.

MATCH, the loss and the curve, which see quasi-identifiers, buckets and places only, are not computed again for
what they have seen.
"""

from collections import Counter
from contextlib import contextmanager
from functools import lru_cache
from unittest.mock import patch

from voile.algorithms import glass, tree_levels
from voile.algorithms.hilbert import curve_order
from voile.algorithms.match import matched
from voile.algorithms.tree_levels import grown
from voile.core.information_loss import loss_of
from voile.kernels.node_bags import GROWING, KIND, LEAF

_seen = {}


def remembered_matched(loss, values, bucket, place, progress):
    """MATCH, from memory where it can be."""
    key = tuple(part.tobytes() for part in (*loss, values, bucket, place))
    if key not in _seen:
        _seen[key] = matched(loss, values, bucket, place, progress)
    return _seen[key]


def remembered_curve_order(values, axes):
    """The curve, from memory where it can be."""
    key = values.tobytes(), values.shape, axes
    if key not in _seen:
        _seen[key] = curve_order(values, axes)
    return _seen[key]


@contextmanager
def small_runs():
    """Inside, algorithms run fast on small tables, and give the same groups."""
    patches = [
        (glass, "matched", remembered_matched),
        (tree_levels, "curve_order", remembered_curve_order),
        (tree_levels, "loss_of", lru_cache(1)(loss_of)),  # of one table
    ]
    usual = [(place, name, getattr(place, name)) for place, name, _ in patches]
    try:
        for place, name, other in patches:  # by hand: `patch` takes as long as a run
            setattr(place, name, other)
        yield
    finally:
        for place, name, own in usual:
            setattr(place, name, own)


@contextmanager
def counted_children():
    """Inside, trees count their children: how many nodes were cut, and how many were skimmed."""
    found = Counter()

    def grown_and_counted(rows, grow, *others):
        def grow_and_count(*arguments):
            born, children = grow(*arguments), arguments[-1]
            kinds = children[:born, KIND].tolist()
            found.update(cuts=kinds.count(GROWING) // 2, skims=kinds.count(LEAF))
            return born

        grown(rows, grow_and_count, *others)

    with (
        patch("voile.algorithms.glass.grown", grown_and_counted),
        patch("voile.algorithms.blind_cut.grown", grown_and_counted),
    ):
        yield found
