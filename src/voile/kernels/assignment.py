"""How m-invariance plans its buckets from counts alone: filling shortages, and Assign
(Xiao and Tao 2007, Figure 3).

Neither sees a row. Which rows of a value go where is drawn by the caller.
"""

import numpy as np

from voile.kernels.compiled import inlined_kernel, kernel
from voile.kernels.most_frequent import sift_down, sift_up


@inlined_kernel
def most_steps(taken, count, total, m, following):
    """The largest alpha that inequalities 5 to 7 allow for beta = count values, 0 or less if there is none.

    `taken` holds their counts from the most to the least frequent, `following` is the count of the next one
    (docs/facts/m_invariance.md B2, closed form).
    """
    alpha = min(taken[count - 1], (total - m * following) // count)
    if count > m:
        alpha = min(alpha, (total - m * taken[0]) // (count - m))
    elif m * taken[0] > total:
        alpha = 0
    return alpha


@kernel
def assign(counts, m):
    """The steps of Assign for values with these counts: alpha of each step, where its values begin in a list
    (one more at the end), and that list of values, the most frequent first, ties by value.

    A step takes alpha rows of each of its beta >= m values, and leaves the rest m-eligible. Counts that are not
    m-eligible end with a step of alpha 0: Figure 3 would then never end, beta is bounded by the values there are.
    """
    values = counts.size
    heap = np.empty(values, np.int64)  # count * values + (values - 1 - value)
    size, total = 0, 0
    for value in range(values):
        if counts[value] > 0:
            heap[size] = counts[value] * values + values - 1 - value
            sift_up(heap, size)
            size += 1
            total += counts[value]
    alphas, starts, listed = [np.int64(0) for _ in range(0)], [np.int64(0)], [np.int64(0) for _ in range(0)]
    keys, taken = np.empty(values, np.int64), np.empty(values, np.int64)
    while total > 0:
        beta, alpha = 0, np.int64(0)
        while size > 0 and alpha < 1:
            keys[beta] = heap[0]
            taken[beta] = heap[0] // values
            size -= 1
            heap[0] = heap[size]
            sift_down(heap, size, 0)
            beta += 1
            if beta >= m:
                alpha = most_steps(taken, beta, total, m, heap[0] // values if size > 0 else 0)
        alphas.append(max(alpha, 0))
        for i in range(beta):
            listed.append(values - 1 - keys[i] % values)
            if taken[i] > alpha:
                heap[size] = keys[i] - alpha * values
                sift_up(heap, size)
                size += 1
        starts.append(len(listed))
        total -= alpha * beta
        if alpha < 1:
            break
    return np.array(alphas, np.int64), np.array(starts, np.int64), np.array(listed, np.int64)


@kernel
def fill_shortages(counts, m, start, values, shortage):
    """How many new rows of each value each bucket gets: bucket b lacks shortage[i] rows of values[i], for i from
    start[b] to start[b+1]-1. `counts` are the new rows of each value, and are lowered by what is moved.

    Buckets are served in turn, as long as the new rows that stay are m-eligible: first all that a bucket lacks
    (docs/facts/m_invariance.md B4: one at a time refuses what works together), else one row after the other.
    """
    moved = np.zeros(values.size, np.int64)
    total = counts.sum()
    having = np.zeros(counts.max() + 1 if counts.size else 1, np.int64)  # how many values have each count
    for count in counts:
        having[count] += 1
    for b in range(start.size - 1):
        for i in range(start[b], start[b + 1]):
            moved[i] = min(shortage[i], counts[values[i]])
            total -= _take(counts, having, values[i], moved[i])
        if m * _most(having) <= total:
            continue
        for i in range(start[b], start[b + 1]):
            total -= _take(counts, having, values[i], -moved[i])
            moved[i] = 0
        for i in range(start[b], start[b + 1]):
            while moved[i] < shortage[i] and counts[values[i]] > 0:
                _take(counts, having, values[i], 1)
                if m * _most(having) > total - 1:
                    _take(counts, having, values[i], -1)
                    break
                total -= 1
                moved[i] += 1
    return moved


@inlined_kernel
def _take(counts, having, value, number):
    having[counts[value]] -= 1
    counts[value] -= number
    having[counts[value]] += 1
    return number


@inlined_kernel
def _most(having):
    most = having.size - 1
    while most > 0 and having[most] == 0:
        most -= 1
    return most
