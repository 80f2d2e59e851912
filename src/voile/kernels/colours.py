"""Colours: the rows of each value (Liu and Wang 2012, section 2.1)."""

import numpy as np

from voile.kernels.compiled import kernel


@kernel
def rows_by_colour(colour, colours):
    """The rows in order of their colour, and where each colour begins (one more at the end)."""
    start = np.zeros(colours + 1, np.int64)
    for c in colour:
        start[c + 1] += 1
    for c in range(colours):
        start[c + 1] += start[c]
    rows = np.empty(colour.size, np.int64)
    at = start[:-1].copy()
    for row in range(colour.size):
        rows[at[colour[row]]] = row
        at[colour[row]] += 1
    return rows, start


@kernel
def place_runs(rows, order, places):
    """The group of each row, if the row at position order[p] of `rows` takes place p."""
    group = np.empty(rows.size, np.int64)
    for p in range(rows.size):
        group[rows[order[p]]] = places[p]
    return group
