"""PLAN: how the rows of a bag can be dealt to balanced buckets, from the counts of its values alone
(facts/safety.md 1.1).

A signature is a list of at least l different values, and alpha says how many groups have it. All groups together
use up the bag. The values, most frequent first, are laid on a strip that is wrapped around l machines of length
K = n / l (McNaughton 1959): no value has more than K rows, so none stands twice in a column of the machines. A
run of columns that look alike is a signature. One row of each of the n mod l most frequent values is reserved,
and joins a column that lacks its value.
"""

import numpy as np

from voile.kernels.compiled import kernel


@kernel
def plan_signatures(counts, ell):
    """Signatures of values whose counts descend, none above n / ell: alpha of each, where its values begin in a
    list (one more at the end), and that list.

    >>> alpha, start, listed = plan_signatures(np.array([2, 2, 1]), 2)
    >>> alpha.tolist(), start.tolist(), listed.tolist()
    ([1, 1], [0, 2, 5], [0, 1, 1, 2, 0])
    """
    total = counts.sum()
    groups = total // ell
    reserved = total - groups * ell
    ends = np.empty(counts.size, np.int64)  # of each value on the strip
    end = 0
    for v in range(counts.size):
        end += counts[v] - (v < reserved)
        ends[v] = end
    breaks = _column_breaks(ends, groups)
    runs = breaks.size - 1
    columns = np.empty((runs, ell), np.int64)
    for machine in range(ell):
        v = np.searchsorted(ends, machine * groups, "right")
        for b in range(runs):
            while ends[v] <= machine * groups + breaks[b]:
                v += 1
            columns[b, machine] = v
    alpha = np.empty(runs + reserved, np.int64)
    alpha[:runs] = np.diff(breaks)
    joined = _seat_reserved(columns, alpha, runs, reserved)
    return _listed(columns, alpha, joined, runs)


@kernel
def _column_breaks(ends, groups):
    """Where columns begin to look different, from 0 to `groups`."""
    cuts = np.empty(ends.size + 2, np.int64)
    cuts[0], cuts[1] = 0, groups
    for v in range(ends.size):
        cuts[v + 2] = ends[v] % groups
    cuts.sort()
    kept = 1
    for i in range(1, cuts.size):
        if cuts[i] > cuts[kept - 1]:
            cuts[kept] = cuts[i]
            kept += 1
    return cuts[:kept].copy()


@kernel
def _seat_reserved(columns, alpha, runs, reserved):
    """For each reserved value a column without it: the run of columns it is taken from, and which seat it shares.

    Line i of the answer is (run, seat) of value i: values of one seat join the same column. Short runs come first,
    since a column that is taken out of a run is matched alone.
    """
    joined = np.full((reserved, 2), -1, np.int64)
    seats = 0
    for v in range(reserved):
        best = -1
        for b in range(runs):
            if alpha[b] > 0 and (best < 0 or alpha[b] < alpha[best]) and not _holds(columns, b, v):
                best = b
        if best >= 0:
            alpha[best] -= 1
            joined[v, 0], joined[v, 1] = best, seats
            seats += 1
            continue
        for other in range(v):  # every column that lacks it has been taken out already
            if not _holds(columns, joined[other, 0], v):
                joined[v, 0], joined[v, 1] = joined[other, 0], joined[other, 1]
                break
    return joined


@kernel
def _holds(columns, b, v):
    for machine in range(columns.shape[1]):
        if columns[b, machine] == v:
            return True
    return False


@kernel
def _listed(columns, alpha, joined, runs):
    """The signatures one after the other: what is left of each run, then the columns with reserved values."""
    ell, reserved = columns.shape[1], joined.shape[0]
    seats = 0
    for v in range(reserved):
        seats = max(seats, joined[v, 1] + 1)
    kept = 0
    for b in range(runs):
        kept += alpha[b] > 0
    many = np.empty(kept + seats, np.int64)
    start = np.zeros(kept + seats + 1, np.int64)
    listed = np.empty((kept + seats) * ell + reserved, np.int64)
    at = made = 0
    for b in range(runs):
        if alpha[b] > 0:
            listed[at : at + ell] = columns[b]
            at += ell
            many[made] = alpha[b]
            made += 1
            start[made] = at
    for seat in range(seats):
        first = True
        for v in range(reserved):
            if joined[v, 1] == seat:
                if first:
                    listed[at : at + ell] = columns[joined[v, 0]]
                    at += ell
                    first = False
                listed[at] = v
                at += 1
        many[made] = 1
        made += 1
        start[made] = at
    return many, start, listed
