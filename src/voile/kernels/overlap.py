"""Counts expected from published groups: the one formula of `voile.estimate` and the workload metrics.

A group gives: rows that match on what is published as it is, times the share of its box that the
query covers (one factor per column), times the share of its rows that are real.
"""

import numpy as np

from voile.kernels.compiled import kernel


@kernel
def fill_shares(first, low, high, query_low, query_high, row, share):
    """`share[row + c, q]` becomes the part of cell c that query q covers.

    A cell is the ranges low .. high number first[c] .. first[c+1]-1 of codes; a query is one range.
    """
    for c in range(first.size - 1):
        size = 0
        for i in range(first[c], first[c + 1]):
            size += high[i] - low[i] + 1
        inverse = 1.0 / size
        for q in range(query_low.size):
            inside = 0
            for i in range(first[c], first[c + 1]):
                inside += max(0, min(high[i], query_high[q]) - max(low[i], query_low[q]) + 1)
            share[row + c, q] = 1.0 if inside == size else inside * inverse


@kernel
def expected_counts(cell, start, value, count, real, share, match):
    """Per query the expected number of matching rows.

    Group g has the cells `cell[g]` (rows of `share`), and `count[i]` rows of `value[i]` for the i from
    start[g] to start[g+1]-1; `match[v, q]` is 1 where query q accepts value v. Each such row is inside
    the query with the product of the shares, independently of the others. Queries are the inner
    loop, so that it compiles to vector instructions.
    """
    queries = share.shape[1]
    expected = np.zeros(queries)
    chance, rows = np.empty(queries, share.dtype), np.empty(queries, share.dtype)
    for g in range(start.size - 1):
        for q in range(queries):
            chance[q] = real[g]
            rows[q] = 0.0
        for j in range(cell.shape[1]):
            part = share[cell[g, j]]
            for q in range(queries):
                chance[q] *= part[q]
        for i in range(start[g], start[g + 1]):
            accepts, times = match[value[i]], count[i]
            for q in range(queries):
                rows[q] += accepts[q] * times
        for q in range(queries):
            expected[q] += rows[q] * chance[q]
    return expected
