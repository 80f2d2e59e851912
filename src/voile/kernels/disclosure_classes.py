"""Classes of contingency matrices that look alike under a function, summed up and judged.

A matrix is a line of slots: which histogram each cell has. Every slot has a record of residues for each set of
tests: in how many ways the cell can pass them, and in how many of those a person of each kind has each value. The
weight of a matrix, the tables that failed all tests visited, follows by inclusion and exclusion.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.kernels.compiled import kernel
from voile.kernels.residues import ADDS, reduce_sums, sign_of

Numbers = NDArray[np.int64]
Residues = NDArray[np.uint64]


class Primes(NamedTuple):
    """A system of residues (theory/residues.py), and factorials in it."""

    primes: Residues
    inverse: Residues
    half: Residues
    up: Residues
    down: Residues


class Cells(NamedTuple):
    """What the slots of each cell stand for."""

    first: Numbers  # of each cell, its first line in `lines`
    lines: Numbers  # histogram of every slot
    kinds: Numbers  # of each cell, the first of its kinds of persons; one more for the end
    record: NDArray[np.uint32]  # all records, one after the other: (1 + kinds * values) lines of residues
    start: Numbers  # of each set of tests and cell, where its records begin
    alike: NDArray[np.bool_]  # whether a value is interchangeable with the previous one


class Tests(NamedTuple):
    """The sets of tests a matrix may have failed: set i has the subsets subset[begin[i] : begin[i + 1]]."""

    begin: Numbers
    subset: Numbers  # numbers of lines in Cells.start
    minus: NDArray[np.bool_]  # whether the subset counts negatively


@kernel
def _histograms(slots, cells, group, out):
    """The histogram of each group, of one matrix."""
    out[:] = 0
    for c in range(slots.size):
        line = cells.first[c] + slots[c]
        for v in range(out.shape[1]):
            out[group[c], v] += cells.lines[line, v]


@kernel
def _sort_columns(histograms, alike, order):
    """Order interchangeable values by their columns, descending."""
    for v in range(order.size):
        order[v] = v
        u = v
        while u > 0 and alike[u]:
            above = 0
            for g in range(histograms.shape[0]):
                above = histograms[g, order[u]] - histograms[g, order[u - 1]]
                if above != 0:
                    break
            if above <= 0:
                break
            order[u], order[u - 1] = order[u - 1], order[u]
            u -= 1


@kernel
def class_keys(matrices, cells, group, groups, seed, keys):
    """A 64-bit number per matrix, equal for matrices of one class; others are told apart later."""
    values = cells.lines.shape[1]
    histograms = np.zeros((groups, values), np.int64)
    for i in range(matrices.shape[0]):
        _histograms(matrices[i], cells, group, histograms)
        key, kind = np.uint64(0), np.uint64(0)
        for v in range(values):
            if not cells.alike[v]:
                kind += np.uint64(1)
            column = np.uint64(seed) * kind
            for g in range(groups):
                column = (column ^ np.uint64(histograms[g, v])) * np.uint64(0x9E3779B97F4A7C15)
                column ^= column >> np.uint64(29)
            key += column * np.uint64(0xBF58476D1CE4E5B9) ^ (column >> np.uint64(32))
        keys[i] = key


@kernel
def _orbit(slots, cells, system, out):
    """How many matrices a listed one stands for: the orders of interchangeable columns."""
    values = cells.lines.shape[1]
    out[:] = 1
    same, run = 1, 1  # interchangeable values, and equal columns, up to here
    for v in range(1, values + 1):
        alike = v < values and cells.alike[v]
        equal = alike
        if alike:
            for c in range(slots.size):
                line = cells.first[c] + slots[c]
                if cells.lines[line, v] != cells.lines[line, v - 1]:
                    equal = False
                    break
        if not equal:
            for k in range(out.size):
                out[k] = out[k] * system.down[run, k] % system.primes[k]
            run = 0
        run += 1
        if not alike:
            for k in range(out.size):
                out[k] = out[k] * system.up[same, k] % system.primes[k]
            same = 0
        same += 1


@kernel
def _add(slots, tests, visited, cells, system, order, weight, rest, sums):
    """Add one matrix to the sums of its class: line 0 the tables, then a line per kind of person and value."""
    primes, values = system.primes, order.size
    length, count = primes.size, slots.size
    for t in range(tests.begin[visited], tests.begin[visited + 1]):
        start = cells.start[tests.subset[t]]
        for k in range(length):  # rest[c]: the product over the cells before c
            p = primes[k]
            product = weight[k] if not tests.minus[t] else (p - weight[k]) % p
            for c in range(count):
                rest[c, k] = product
                size = (1 + (cells.kinds[c + 1] - cells.kinds[c]) * values) * length
                product = product * cells.record[start[c] + slots[c] * size + k] % p
            sums[0, k] += product
            product = np.uint64(1)
            for c in range(count - 1, -1, -1):  # now over all cells but c
                rest[c, k] = rest[c, k] * product % p
                size = (1 + (cells.kinds[c + 1] - cells.kinds[c]) * values) * length
                product = product * cells.record[start[c] + slots[c] * size + k] % p
        for c in range(count):
            kinds = cells.kinds[c + 1] - cells.kinds[c]
            at = start[c] + slots[c] * (1 + kinds * values) * length + length
            line = 1 + cells.kinds[c] * values
            for a in range(kinds):
                for v in range(values):
                    source = at + (a * values + order[v]) * length
                    for k in range(length):
                        sums[line + v, k] += rest[c, k] * cells.record[source + k]
                line += values


@kernel
def sum_class(members, matrices, visited, tests, cells, system, group, groups, sums, columns):
    """Add up the matrices of one class; False if they are not of one class after all. `columns` becomes the class:
    the histograms of the groups, interchangeable columns in descending order."""
    values = cells.lines.shape[1]
    histograms = np.zeros((groups, values), np.int64)
    order = np.arange(values)
    symmetric = cells.alike.any()
    weight = np.ones(system.primes.size, np.uint64)
    rest = np.zeros((matrices.shape[1], system.primes.size), np.uint64)
    sums[:] = 0
    adds = 0
    for m in range(members.size):
        i = members[m]
        _histograms(matrices[i], cells, group, histograms)
        if symmetric:
            _sort_columns(histograms, cells.alike, order)
            _orbit(matrices[i], cells, system, weight)
        for g in range(groups):
            for v in range(values):
                if m == 0:
                    columns[g, v] = histograms[g, order[v]]
                elif columns[g, v] != histograms[g, order[v]]:
                    return False
        _add(matrices[i], tests, visited[i], cells, system, order, weight, rest, sums)
        adds += tests.begin[visited[i] + 1] - tests.begin[visited[i]]
        if adds > ADDS // 2:
            reduce_sums(sums, system.primes)
            adds = 0
    reduce_sums(sums, system.primes)
    return True


@kernel
def average_columns(columns, values, kinds, sums, primes, width):
    """Values of equal columns share their persons' counts: put the sum of each run at its first value, and its
    width there; 0 at the others."""
    v = 0
    while v < values:
        u = v + 1
        while u < values and width[u] == 1:
            equal = True
            for g in range(columns.shape[0]):
                if columns[g, u] != columns[g, v]:
                    equal = False
                    break
            if not equal:
                break
            u += 1
        for w in range(v + 1, u):
            for a in range(kinds):
                for k in range(primes.size):
                    here = 1 + a * values + v
                    sums[here, k] = (sums[here, k] + sums[1 + a * values + w, k]) % primes[k]
            width[w] = 0
        width[v] = u - v
        v = u


@kernel
def judge_by_ratio(starts, members, matrices, visited, tests, cells, system, group, groups, top, bottom, held):
    """Whether in each class no person has a value in more than top / bottom of the tables, both given by their
    residues; -1 if a class turned out to be several."""
    values, kinds = cells.lines.shape[1], cells.kinds[-1]
    primes = system.primes
    sums = np.zeros((1 + kinds * values, primes.size), np.uint64)
    columns = np.zeros((groups, values), np.int64)
    width = np.zeros(values, np.int64)
    excess, digits = np.zeros(primes.size, np.uint64), np.zeros(primes.size, np.uint64)
    for i in range(starts.size - 1):
        own = members[starts[i] : starts[i + 1]]
        if not sum_class(own, matrices, visited, tests, cells, system, group, groups, sums, columns):
            return -1
        for v in range(values):
            width[v] = 1 if cells.alike[v] else 2  # 2: not interchangeable with the previous
        average_columns(columns, values, kinds, sums, primes, width)
        held[i] = True
        for line in range(kinds * values):
            share = width[line % values]
            if share == 0 or not held[i]:
                continue
            for k in range(primes.size):  # bottom * persons - top * width * tables
                p = primes[k]
                allowed = sums[0, k] * (top[k] * np.uint64(share) % p) % p
                excess[k] = (sums[1 + line, k] * bottom[k] + p - allowed) % p
            if sign_of(excess, primes, system.inverse, system.half, digits) > 0:
                held[i] = False
    return 0


@kernel
def sum_classes(starts, members, matrices, visited, tests, cells, system, group, groups, sums, width):
    """The sums of each class, and how many values share each column (0: counted with an earlier one); -1 if a
    class turned out to be several."""
    values, kinds = cells.lines.shape[1], cells.kinds[-1]
    columns = np.zeros((groups, values), np.int64)
    for i in range(starts.size - 1):
        own = members[starts[i] : starts[i + 1]]
        if not sum_class(own, matrices, visited, tests, cells, system, group, groups, sums[i], columns):
            return -1
        for v in range(values):
            width[i, v] = 1 if cells.alike[v] else 2
        average_columns(columns, values, kinds, sums[i], system.primes, width[i])
    return 0


@kernel
def in_class(members, matrices, cells, group, columns, found):
    """Which matrices have the histograms `columns`, interchangeable columns in descending order."""
    histograms, order = np.zeros(columns.shape, np.int64), np.arange(columns.shape[1])
    for m in range(members.size):
        _histograms(matrices[members[m]], cells, group, histograms)
        _sort_columns(histograms, cells.alike, order)
        found[m] = True
        for g in range(columns.shape[0]):
            for v in range(columns.shape[1]):
                if columns[g, v] != histograms[g, order[v]]:
                    found[m] = False
