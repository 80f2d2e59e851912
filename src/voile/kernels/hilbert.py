"""Where rows stand on a Hilbert curve, and groups of different values along it (docs/facts/bsgi.md A7)."""

import numpy as np

from voile.kernels.compiled import inlined_kernel, kernel
from voile.kernels.marks import begin_group, critical, use

WORD_BITS = 63


@kernel
def hilbert_keys(values, spans, bits, keys):
    """Fill in where each row stands on a curve through 2**bits cells per column: a number of 63 bits, or several
    of which the first counts most.

    Skilling's method (2004): undo the curve's turns from the coarsest bit on, then read the bits as a Gray code.

    >>> keys = np.empty((4, 1), np.int64)
    >>> hilbert_keys(np.array([[0, 0], [0, 1], [1, 1], [1, 0]], np.int32), np.array([2, 2]), 3, keys)
    >>> bool((np.diff(keys[:, 0]) > 0).all())
    True
    """
    d = values.shape[1]
    cell = np.empty(d, np.int64)
    for i in range(keys.shape[0]):
        for j in range(d):
            cell[j] = (values[i, j] << bits) // spans[j]
        unwind(cell, bits)
        key, filled, word = 0, 0, 0
        for bit in range(bits - 1, -1, -1):
            for j in range(d):
                if filled == WORD_BITS:
                    keys[i, word] = key
                    key, filled, word = 0, 0, word + 1
                key = (key << 1) | ((cell[j] >> bit) & 1)
                filled += 1
        keys[i, word] = key


@inlined_kernel
def unwind(cell, bits):
    """Turn the coordinates of a cell into the bits of its place on the curve, in turn. Without branches: bits are
    as good as random, and a wrong guess of the processor costs more than both ways."""
    d, first = cell.size, cell[0]
    for bit in range(bits - 1, 0, -1):
        below = (1 << bit) - 1
        first ^= below & -((first >> bit) & 1)  # turned around
        for j in range(1, d):
            turned = -((cell[j] >> bit) & 1)  # all ones, or none
            swapped = (first ^ cell[j]) & below & ~turned
            first ^= (below & turned) | swapped
            cell[j] ^= swapped
    cell[0] = first
    for j in range(1, d):
        cell[j] ^= cell[j - 1]
    turned = 0
    for bit in range(bits - 1, 0, -1):
        turned ^= ((1 << bit) - 1) & -((cell[d - 1] >> bit) & 1)
    for j in range(d):
        cell[j] ^= turned


@inlined_kernel
def push(heap, size, item):
    """Add an item to a min-heap of so many."""
    place = size
    while place > 0 and heap[(place - 1) // 2] > item:
        heap[place] = heap[(place - 1) // 2]
        place = (place - 1) // 2
    heap[place] = item


@inlined_kernel
def pop(heap, size):
    """Take the least item out of a min-heap of so many."""
    least, item, place = heap[0], heap[size - 1], 0
    while True:
        child = 2 * place + 1
        if child + 1 < size - 1 and heap[child + 1] < heap[child]:
            child += 1
        if child >= size - 1 or heap[child] >= item:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = item
    return least


@kernel
def group_along(marks, value, queue, head, ell, groups, group):
    """Form groups of `ell` different values: those that are critical, and the rows earliest on the curve.

    Rows are numbered along the curve, and `value` is that of each. The rows of value v are queue[head[v] :
    head[v + 1]]; heads move on as rows are taken. A heap has the heads by place on the curve; a value that is
    taken out of turn leaves its entry there, to be passed over once it comes up.
    """
    m = head.size - 1
    heap, size = np.empty(queue.size + m, np.int64), 0
    end = head[1:].copy()
    chosen = np.empty(max(ell, m), np.int64)
    for v in range(m):
        push(heap, size, queue[head[v]])
        size += 1
    for g in range(groups):
        left, taken = groups - g, 0
        begin_group(marks, g, left)
        forced = critical(marks, 0, left)
        if forced <= ell:
            for i in range(forced):
                chosen[i] = marks.order[i]
            for i in range(forced):
                use(marks, 0, chosen[i], left)
            taken = forced
        aside = 0
        while taken < ell:
            row = pop(heap, size)
            size -= 1
            v = value[row]
            if head[v] >= end[v] or queue[head[v]] != row or marks.open.used[v] == g:
                continue  # taken out of turn
            if forced > ell and marks.open.left[v] < left:
                chosen[m - 1 - aside] = row  # not this time: more values are critical than there is room for
                aside += 1
                continue
            chosen[taken] = v
            use(marks, 0, v, left)
            taken += 1
        for i in range(aside):
            push(heap, size, chosen[m - 1 - i])
            size += 1
        for i in range(ell):
            v = chosen[i]
            group[queue[head[v]]] = g
            head[v] += 1
            if head[v] < end[v]:
                push(heap, size, queue[head[v]])
                size += 1
