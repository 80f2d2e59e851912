"""How far the frequencies of each group are from a line."""

import numpy as np

from voile.kernels.compiled import kernel


@kernel
def sort_descending(numbers, size):
    """Sort the first few numbers in place, by Shell's method: groups are small, and numba's own sort takes
    seconds to compile."""
    gap = 1
    while gap < size // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, size):
            own, place = numbers[i], i
            while place >= gap and numbers[place - gap] < own:
                numbers[place] = numbers[place - gap]
                place -= gap
            numbers[place] = own
        gap //= 3


@kernel
def distances_from_line(start, counts, sizes, line, values):
    """Per group the sum over k = 1 .. values of the distance between line[k - 1], which is 1 beyond its end, and
    the share of the k largest counts in the group's size, at most 1."""
    distance = np.zeros(sizes.size, np.float64)
    most = 0
    for group in range(sizes.size):
        most = max(most, start[group + 1] - start[group])
    own = np.empty(most, np.int64)
    for group in range(sizes.size):
        held, together = start[group + 1] - start[group], 0
        own[:held] = counts[start[group] : start[group + 1]]
        sort_descending(own, held)
        for k in range(min(values, max(held, line.size))):  # beyond, both are 1
            if k < held:
                together += own[k]
            height = line[k] if k < line.size else 1.0
            distance[group] += abs(height - min(1.0, together / sizes[group]))
    return distance
