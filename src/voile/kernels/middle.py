"""The code in the middle of a column of some rows, without sorting them."""

from voile.kernels.compiled import kernel

BINS = 1024  # of a histogram, at most


@kernel
def middle(bins, rows, begin, end, j, low, high):
    """The code in the middle of column j, which runs from low to high, and how many rows are below it and up to
    it: the first code with half of the rows up to it. Found by histograms, each of one bin of the one before;
    `bins` is room for BINS of them.

    >>> import numpy as np
    >>> middle(np.empty(BINS, np.int64), np.array([[7], [1], [7], [9]]), 0, 4, 0, 1, 9)
    (7, 1, 3)
    """
    below, size = 0, end - begin
    most = 16
    while most < min(BINS, 2 * size):
        most *= 2
    while True:
        shift = 0
        while (high - low) >> shift >= most:
            shift += 1
        for place in range(((high - low) >> shift) + 1):
            bins[place] = 0
        for i in range(begin, end):
            code = rows[i, j]
            if low <= code <= high:
                bins[(code - low) >> shift] += 1
        place = 0
        while 2 * (below + bins[place]) < size:
            below += bins[place]
            place += 1
        low += place << shift
        if shift == 0:
            return low, below, below + bins[place]
        high = min(high, low + (1 << shift) - 1)
