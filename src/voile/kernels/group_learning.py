"""Naive Bayes learnt from groups: whose value of the group's is whose, by expectation and maximisation.

`cells[i, j]` numbers what row i has in column j, over all columns; group g holds rows begin[g] .. begin[g+1]-1 and
values codes[start[g]:start[g+1]], so many counts of each. `chance[cell, value]` is the logarithm of how likely a
cell is among those who have a value.
"""

import math

import numpy as np

from voile.kernels.compiled import kernel

_FITS = 4  # rounds of making a group's rows and columns add up


@kernel
def _fill_shares(share, cells, first, rows, chance, codes, counts, start, values):
    """How likely each row of a group has each value: by the chances, so that every row adds up to 1 and (nearly)
    every value to its count."""
    for i in range(rows):
        most = -np.inf
        for v in range(values):
            total = 0.0
            for j in range(cells.shape[1]):
                total += chance[cells[first + i, j], codes[start + v]]
            share[i * values + v] = total
            most = max(most, total)
        for v in range(values):
            share[i * values + v] = math.exp(share[i * values + v] - most)
    for _ in range(_FITS):
        for v in range(values):
            total = 0.0
            for i in range(rows):
                total += share[i * values + v]
            scale = counts[start + v] / total if total > 0 else 0.0
            for i in range(rows):
                share[i * values + v] *= scale
        for i in range(rows):
            total = 0.0
            for v in range(values):
                total += share[i * values + v]
            for v in range(values):
                share[i * values + v] = share[i * values + v] / total if total > 0 else 1.0 / values


@kernel
def _room(begin, start):
    """Room for the shares of the rows and values of any group, one after another."""
    most = 0
    for g in range(begin.size - 1):
        most = max(most, (begin[g + 1] - begin[g]) * (start[g + 1] - start[g]))
    return np.empty(most)


@kernel
def expect(cells, begin, start, codes, counts, chance, held):
    """Add to held[cell, value] how many rows with the cell are expected to have the value."""
    share = _room(begin, start)
    for g in range(begin.size - 1):
        rows, values = begin[g + 1] - begin[g], start[g + 1] - start[g]
        _fill_shares(share, cells, begin[g], rows, chance, codes, counts, start[g], values)
        for i in range(rows):
            for j in range(cells.shape[1]):
                for v in range(values):
                    held[cells[begin[g] + i, j], codes[start[g] + v]] += share[i * values + v]


@kernel
def guess(cells, begin, start, codes, counts, chance, value, sure):
    """The likeliest value of each row in its group, the first of equal ones, and how likely it is held to be."""
    share = _room(begin, start)
    for g in range(begin.size - 1):
        rows, values = begin[g + 1] - begin[g], start[g + 1] - start[g]
        _fill_shares(share, cells, begin[g], rows, chance, codes, counts, start[g], values)
        for i in range(rows):
            best = 0
            for v in range(1, values):
                best = v if share[i * values + v] > share[i * values + best] else best
            value[begin[g] + i], sure[begin[g] + i] = codes[start[g] + best], share[i * values + best]
