"""Marks: values that must differ inside a group, and which of them are critical.

A sensitive column gives each row a mark, and so does the person a row belongs to. With K groups
left to form, a mark of K rows or more is *critical*: if a group leaves it out, one of its rows
will have no group (docs/facts/bsgi.md A6).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.kernels.compiled import inlined_kernel, kernel
from voile.kernels.kd_forest import BITS
from voile.kernels.kd_search import Open

UNUSED = -1


class Marks(NamedTuple):
    """Counts of the marks left, by column, so that the largest are always at hand.

    Mark v of column c is entry `open.first[c] + v`. Column c's part of `order` holds its marks by
    descending number of rows left, `position` says where each stands, and `at_least[c, s]` how many
    have at least s rows.
    """

    open: Open
    order: NDArray[np.int64]
    position: NDArray[np.int64]
    at_least: NDArray[np.int64]
    pending: NDArray[np.int64]  # per column: critical marks that the present group lacks


def count_marks(marks):
    """The Marks of all rows; `marks[i, c]` is row i's mark in column c, numbered from 0, none unused."""
    counts = [np.bincount(column) for column in marks.T]
    first = np.cumsum([0, *(count.size for count in counts)])
    largest = max(int(count.max()) for count in counts)
    order = [np.argsort(-count, kind="stable") for count in counts]
    at_least = np.array([np.cumsum(np.bincount(count, minlength=largest + 2)[::-1])[::-1] for count in counts])
    position = np.empty(first[-1], np.int64)
    for begin, ranked in zip(first, order, strict=False):
        position[begin + ranked] = np.arange(ranked.size)
    columns = len(counts)
    open_ = Open(
        first,
        np.full(first[-1], UNUSED),
        np.concatenate(counts),
        np.full(1, UNUSED),
        np.empty(columns, np.int64),
        np.empty(columns, np.int64),
    )
    return Marks(open_, np.concatenate(order), position, at_least, np.empty(columns, np.int64))


@inlined_kernel
def critical(marks, c, groups_left):
    """How many marks of a column have a row for every group that is left, or more."""
    return marks.at_least[c, groups_left] if groups_left < marks.at_least.shape[1] else 0


@kernel
def begin_group(marks, group, groups_left):
    """No mark is used yet."""
    marks.open.user[0] = group
    for c in range(marks.pending.size):
        marks.pending[c] = critical(marks, c, groups_left)


@kernel
def use(marks, c, mark, groups_left):
    """A row with this mark has joined the present group: one row less of the mark."""
    at = marks.open.first[c] + mark
    left = marks.open.left[at]
    if left >= groups_left:
        marks.pending[c] -= 1
    marks.open.used[at] = marks.open.user[0]
    begin = marks.open.first[c]
    last = marks.at_least[c, left] - 1  # where the marks of so many rows end
    other, here = marks.order[begin + last], marks.position[at]
    marks.order[begin + here], marks.order[begin + last] = other, mark
    marks.position[begin + other], marks.position[at] = here, last
    marks.at_least[c, left] -= 1
    marks.open.left[at] -= 1


@kernel
def set_bar(marks, c, groups_left, forced):
    """Open the unused marks of a column, or only the critical ones among them."""
    open_ = marks.open
    begin, end = open_.first[c], open_.first[c + 1]
    open_.bar[c] = groups_left if forced else 1
    open_.bits[c] = -1
    if forced:
        end = begin + critical(marks, c, groups_left)
    if end - begin <= 2 * BITS:  # more would set every bit, and take long
        open_.bits[c] = 0
        for i in range(begin, end):
            mark = marks.order[i]
            if open_.used[begin + mark] != open_.user[0]:
                open_.bits[c] |= 1 << (mark % BITS)
