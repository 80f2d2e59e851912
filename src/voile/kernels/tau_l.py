"""Classes under the line of (tau,l)-diversity: what the greedy removal leaves, and what raising values takes.

The line is `limit[k - 1] / scale` for k = 1 .. l-1. All counts are integers; products fit 63 bits by the caller's
choice of scale and unit.
"""

import numpy as np

from voile.kernels.compiled import inlined_kernel, kernel
from voile.kernels.frequency_line import sort_descending


@inlined_kernel
def keeps_line(largest, size, limit, scale):
    """Whether counts in descending order, of a group of this size, keep the line."""
    together = 0
    for k in range(min(largest.size, limit.size)):
        together += largest[k]
        if together * scale > limit[k] * size:
            return False
    return True


@inlined_kernel
def keeps_line_capped(largest, cap, limit, scale):
    """The same if every count above `cap` were `cap`."""
    size = 0
    for count in largest:
        size += min(count, cap)
    together = 0
    for k in range(min(largest.size, limit.size)):
        together += min(largest[k], cap)
        if together * scale > limit[k] * size:
            return False
    return True


@kernel
def capped(count, held, limit, scale):
    """Reduce the counts of the values `held`, the last one first, to what the greedy removal leaves; returns how
    many rows that are.

    The greedy takes a row of the most frequent value, the first of equal ones, until the line is kept. Its states
    pass through all full caps min(n, c), of which the feasible ones are the low ones; so the largest feasible cap
    is searched, and the states between it and the next are tried one by one (docs/facts/sweep.md B5).

    >>> count = np.array([1, 1, 2, 0, 3, 2, 40])
    >>> int(capped(count, np.array([6, 5, 4, 2, 1, 0]), np.array([2, 4]), 6)), count.tolist()
    (13, [1, 1, 2, 0, 3, 2, 4])
    """
    largest = count[held]
    sort_descending(largest, held.size)
    low, high = 0, largest[0]
    if keeps_line_capped(largest, high, limit, scale):
        low = high
    while low + 1 < high:
        middle = (low + high) // 2
        if keeps_line_capped(largest, middle, limit, scale):
            low = middle
        else:
            high = middle
    above = 0  # values that are still one above the cap when all are first lowered to the cap above
    for n in largest:
        above += n > low
    lowered = lowered_at_cap(largest, low, above, limit, scale) if above else 0
    kept = 0
    for v in held[::-1]:
        if count[v] > low:
            count[v] = low + (lowered <= 0)
            lowered -= 1
        kept += count[v]
    return kept


@inlined_kernel
def lowered_at_cap(largest, cap, above, limit, scale):
    """How many of the values above a feasible cap are lowered to it before the line is kept; the others keep one
    row more."""
    size = 0
    for n in largest:
        size += min(n, cap)
    for lowered in range(1, above + 1):
        more = above - lowered
        together, kept = 0, True
        for k in range(min(largest.size, limit.size)):
            together += min(largest[k], cap) + (k < more)
            if together * scale > limit[k] * (size + more):
                kept = False
                break
        if kept:
            return lowered
    return above


@inlined_kernel
def share(values, v, a):
    """The parts of a person of value v that base value a gets, rounded up."""
    return -(-values.unit * values.weight[a] // values.total[v])


@inlined_kernel
def induced(count, held, values, frequency):
    """Fill in the parts of each base value."""
    frequency[:] = 0
    for v in held:
        for a in range(values.first[v], values.after[v]):
            frequency[a] += count[v] * share(values, v, a)


@inlined_kernel
def keeps_line_unsorted(frequency, size, limit, scale, largest):
    """Whether frequencies in any order keep the line; `largest` is room for l - 1 of them."""
    held = 0
    for a in range(frequency.size):
        part = frequency[a]
        if part == 0 or (held == largest.size and part <= largest[held - 1]):
            continue
        place = min(held, largest.size - 1)
        while place > 0 and largest[place - 1] < part:
            largest[place] = largest[place - 1]
            place -= 1
        largest[place] = part
        held = min(held + 1, largest.size)
    return keeps_line(largest[:held], size, limit, scale)


@kernel
def thinned(count, held, values, limit, scale):
    """As `capped`, one row after the other, where values are generalised: of the dominant base value the row that
    induces it most is removed (Tian and Zhang 2009, section III.D)."""
    frequency, largest = np.empty(values.weight.size, np.int64), np.empty(limit.size, np.int64)
    induced(count, held, values, frequency)
    size = 0
    for v in held:
        size += count[v]
    while size > 0 and not keeps_line_unsorted(frequency, size * values.unit, limit, scale, largest):
        a = np.argmax(frequency)
        best = -1
        for v in held:
            covers = count[v] > 0 and values.first[v] <= a < values.after[v]
            if covers and (best < 0 or values.total[v] < values.total[best]):
                best = v
        count[best] -= 1
        size -= 1
        for b in range(values.first[best], values.after[best]):
            frequency[b] -= share(values, best, b)
    return size


@kernel
def raised(count, values, above, limit, scale):
    """Raise values, one row after the other, until all rows together keep the line
    (Tian and Zhang 2009, section III.C).

    Of the dominant base value that a row below the root covers, the row of the least general value is published as
    `above` it. Returns the values that rows were raised from, in turn; `count` is changed. -1 at the end: stuck.
    """
    frequency, largest = np.empty(values.weight.size, np.int64), np.empty(limit.size, np.int64)
    every = np.arange(count.size)
    induced(count, every, values, frequency)
    size = 0
    for n in count:
        size += n
    moves, made = np.empty(1024, np.int64), 0
    while size > 0 and not keeps_line_unsorted(frequency, size * values.unit, limit, scale, largest):
        best, best_leaf, most = -1, -1, -1
        for v in every:  # children come before parents: the first that covers a base value is the least general
            if count[v] > 0 and above[v] >= 0:
                for a in range(values.first[v], values.after[v]):
                    if frequency[a] > most or (frequency[a] == most and best >= 0 and a < best_leaf):
                        best, best_leaf, most = v, a, frequency[a]
        if made == moves.size:
            longer = np.empty(2 * made, np.int64)
            longer[:made] = moves
            moves = longer
        moves[made] = best
        made += 1
        if best < 0:
            break
        higher = above[best]
        count[best] -= 1
        count[higher] += 1
        for a in range(values.first[best], values.after[best]):
            frequency[a] -= share(values, best, a)
        for a in range(values.first[higher], values.after[higher]):
            frequency[a] += share(values, higher, a)
    return moves[:made]
