"""The sweep: active rows are placed into classes on one level after the other, and classes that can keep the line
close with as many rows as the greedy removal leaves (Tian and Zhang 2009, Figure 4).

Rows of equal quasi-identifiers that follow each other are one *run*, rows of a run with the same sensitive value
one *cell*. A cell loses rows from its high end only: the greedy removes the lowest rows first, and what is removed
stays active. So a cell is a number of rows that are left, and an item of the order costs time by runs, not by rows
(docs/facts/sweep.md B5).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.kernels.compiled import inlined_kernel, kernel
from voile.kernels.frequency_line import sort_descending
from voile.kernels.tau_l import capped, thinned

WORD = 64  # values per word of a mask
MOST_WORDS = 64  # beyond, values are only counted


class Runs(NamedTuple):
    """Run u has `leaf[u, j]` in column j, cells `first[u]:first[u + 1]`, and covers the values of `mask[u]`."""

    leaf: NDArray[np.int32]
    first: NDArray[np.int64]
    mask: NDArray[np.uint64]
    value: NDArray[np.int64]  # of each cell
    start: NDArray[np.int64]  # of each cell the place of its first row in `row`
    left: NDArray[np.int64]  # of each cell the rows that are still active
    row: NDArray[np.int64]  # rows, cell by cell, ascending in each


class Classes(NamedTuple):
    """Room for the classes of one item: a hash table from keys to class numbers, and notes by class and by run."""

    key: NDArray[np.int64]
    stamp: NDArray[np.int32]  # the item that an entry of the table belongs to
    number: NDArray[np.int32]
    mask: NDArray[np.uint64]
    of: NDArray[np.int32]  # class of each active run, in the order of the active runs
    size: NDArray[np.int64]  # runs of each class that may close; then where they end in `member`
    member: NDArray[np.int64]


class Values(NamedTuple):
    """Which base values a sensitive value covers, and the parts of a person that each of them gets.

    Value v covers `first[v]:after[v]`, of the weight `total[v]`; each of them gets `tau_l.share` parts, of which
    `unit` make a person. `cover[v]` is the same as a mask; of very many values, without `bits`, their number.
    """

    first: NDArray[np.int64]
    after: NDArray[np.int64]
    total: NDArray[np.int64]
    weight: NDArray[np.int64]
    cover: NDArray[np.uint64]
    unit: int
    bits: bool


@inlined_kernel
def covered(one, other, bits):
    """What two masks cover together; where they are only numbers of values, at most so many."""
    return one | other if bits else one + other


@inlined_kernel
def ones(mask, c, bits):
    """How many values a class covers, at most."""
    if not bits:
        return mask[c, 0]
    count = np.uint64(0)
    for w in range(mask.shape[1]):
        word = mask[c, w]
        while word:
            word &= word - np.uint64(1)
            count += np.uint64(1)
    return count


@inlined_kernel
def placed(classes, runs, active, node, offset, stride, item, bits):
    """Number the classes of an item in the order of their first run, and gather what they cover."""
    slots, number, d = classes.key.size, 0, stride.size
    for i in range(active.size):
        u = active[i]
        key = 0
        for j in range(d):
            key += node[offset[j] + runs.leaf[u, j]] * stride[j]
        mixed = key * -7046029254386353131
        at = (mixed ^ (mixed >> 32)) & (slots - 1)
        while classes.stamp[at] == item and classes.key[at] != key:
            at = (at + 1) & (slots - 1)
        if classes.stamp[at] != item:
            classes.stamp[at], classes.key[at], classes.number[at] = item, key, number
            classes.mask[number, :] = 0
            number += 1
        c = classes.number[at]
        classes.of[i] = c
        for w in range(runs.mask.shape[1]):
            classes.mask[c, w] = covered(classes.mask[c, w], runs.mask[u, w], bits)
    return number


@inlined_kernel
def gathered(classes, active, number, need, bits):
    """Put the runs of classes that may close side by side: `size[c]` becomes where those of class c end."""
    total = 0
    for c in range(number):
        classes.size[c] = 0 if ones(classes.mask, c, bits) >= np.uint64(need) else -1
    for i in range(active.size):
        c = classes.of[i]
        if classes.size[c] >= 0:
            classes.size[c] += 1
    for c in range(number):
        if classes.size[c] >= 0:
            total += classes.size[c]
            classes.size[c] = total - classes.size[c]
    for i in range(active.size):
        c = classes.of[i]
        if classes.size[c] >= 0:
            classes.member[classes.size[c]] = active[i]
            classes.size[c] += 1


@kernel
def sweep_items(runs, classes, values, active, node, offset, stride, items, line, plain, group, groups):
    """Close what can be closed on the items from `items[0]` up to `items[1]`; returns the runs that stay active,
    and how many groups there are then.

    `line` is (limit, scale, need); `plain`: no sensitive value is generalised, and the removal has a closed form.
    """
    limit, scale, need = line
    count = np.zeros(values.first.size, np.int64)
    held = np.empty(values.first.size, np.int64)
    for item in range(items[0], items[1]):
        number = placed(classes, runs, active, node, offset[item], stride, item, values.bits)
        gathered(classes, active, number, need, values.bits)
        begin, before = 0, groups
        for c in range(number):
            if classes.size[c] < 0:
                continue
            end = classes.size[c]
            kinds = tally(runs, classes.member, begin, end, count, held)
            if plain:
                kept = capped(count, held[:kinds], limit, scale)
            else:
                kept = thinned(count, held[:kinds], values, limit, scale)
            if kept > 0:
                close(runs, values, classes.member, begin, end, count, group, groups)
                groups += 1
            for k in range(kinds):
                count[held[k]] = 0
            begin = end
        if groups > before:
            active = still_active(runs, active)
    return active, groups


@inlined_kernel
def still_active(runs, active):
    """The runs that have rows left; the array is used again."""
    still = 0
    for i in range(active.size):
        u = active[i]
        for w in range(runs.mask.shape[1]):
            if runs.mask[u, w]:
                active[still] = u
                still += 1
                break
    return active[:still]


@inlined_kernel
def tally(runs, member, begin, end, count, held):
    """Count the rows of a class by value; returns how many values it has, which stand descending in `held`."""
    kinds = 0
    for i in range(begin, end):
        u = member[i]
        for cell in range(runs.first[u], runs.first[u + 1]):
            if runs.left[cell] > 0:
                v = runs.value[cell]
                if count[v] == 0:
                    held[kinds] = v
                    kinds += 1
                count[v] += runs.left[cell]
    sort_descending(held, kinds)
    return kinds


@inlined_kernel
def close(runs, values, member, begin, end, keep, group, number):
    """Let the highest rows of each value form a group, `keep[v]` of value v."""
    for i in range(end - 1, begin - 1, -1):
        u = member[i]
        changed = False
        for cell in range(runs.first[u], runs.first[u + 1]):
            v = runs.value[cell]
            take = min(runs.left[cell], keep[v])
            if take > 0:
                last = runs.start[cell] + runs.left[cell]
                for k in range(last - take, last):
                    group[runs.row[k]] = number
                runs.left[cell] -= take
                keep[v] -= take
                changed = True
        if changed:
            runs.mask[u, :] = 0
            for cell in range(runs.first[u], runs.first[u + 1]):
                if runs.left[cell] > 0:
                    for w in range(runs.mask.shape[1]):
                        covers = values.cover[runs.value[cell], w]
                        runs.mask[u, w] = covered(runs.mask[u, w], covers, values.bits)
