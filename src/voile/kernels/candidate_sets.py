"""Which values stand in the groups that cover a point, for very many points (Xiao and Tao 2007, Definition 15).

Groups stand in blocks of 64, neighbours together, and blocks hang in a balanced tree. A node knows the box around
all boxes below and the union of their values, as bits of words. A search leaves a node alone if the point is
outside, or if every value below has been found already or is not wanted. In a block one bit says for each group
whether it covers a cell of a column: the groups that cover the point are a few ANDs away, however wide boxes are.
Words are signed, so that numba never mixes kinds of integers; only their bits matter.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.kernels.compiled import inlined_kernel, kernel

BLOCK = 64  # groups, one bit of a word each


class BoxTree(NamedTuple):
    """Groups in the order of the tree, and its nodes; node 0 is the root, those below node i are 2i+1 and 2i+2.

    A box is low and high of every column, in places. Column c has cells `row[c] .. row[c+1]-1` of `cover`; place p
    is in cell `row[c] + p % (row[c+1] - row[c])`, and bit g % 64 of `cover[cell, g // 64]` says whether
    group g covers a place of the cell. Where places share a cell (`shared[c]`) the box decides, and of a set
    the members: those of form `form[g, c]` are `members[first[form] : first[form + 1]]`, none if it is no set.
    """

    boxes: NDArray[np.int32]
    bits: NDArray[np.int64]
    form: NDArray[np.int64]
    first: NDArray[np.int64]
    members: NDArray[np.int64]
    row: NDArray[np.int64]
    shared: NDArray[np.bool_]
    cover: NDArray[np.int64]
    node_boxes: NDArray[np.int32]
    node_bits: NDArray[np.int64]
    start: NDArray[np.int64]  # blocks below each node
    stop: NDArray[np.int64]


@kernel
def tree_order(boxes):
    """Groups in the order of a k-d tree: halved again and again, to whole blocks, by the centres of their boxes in
    the column where these are farthest apart for the column's whole width."""
    groups, columns = boxes.shape[0], boxes.shape[1] // 2
    order = np.arange(groups)
    centre, width = np.empty((groups, columns), np.int64), np.ones(columns)
    for c in range(columns):
        least, most = np.int64(0), np.int64(0)
        for g in range(groups):
            centre[g, c] = np.int64(boxes[g, 2 * c]) + boxes[g, 2 * c + 1]
            least = centre[g, c] if g == 0 else min(least, centre[g, c])
            most = centre[g, c] if g == 0 else max(most, centre[g, c])
        width[c] = max(1, most - least)
    begin, end = np.zeros(128, np.int64), np.zeros(128, np.int64)
    begin[0], end[0], waiting = 0, groups, 1
    while waiting > 0:
        waiting -= 1
        a, b = begin[waiting], end[waiting]
        if b - a <= BLOCK:
            continue
        middle = a + (-(-(b - a) // BLOCK)) // 2 * BLOCK
        halve(order, centre, widest(order, centre, width, a, b), a, b, middle)
        begin[waiting], end[waiting] = a, middle
        begin[waiting + 1], end[waiting + 1] = middle, b
        waiting += 2
    return order


@kernel
def widest(order, centre, width, a, b):
    """The column in which the centres of order[a:b] are farthest apart."""
    best, best_spread = 0, -1.0
    for c in range(width.size):
        low = high = centre[order[a], c]
        for i in range(a + 1, b):
            low, high = min(low, centre[order[i], c]), max(high, centre[order[i], c])
        if (high - low) / width[c] > best_spread:
            best, best_spread = c, (high - low) / width[c]
    return best


@kernel
def halve(order, centre, column, a, b, middle):
    """Put those of order[a:b] with the least centres before the middle, in place."""
    left, right = a, b - 1
    while left < right:
        pivot = centre[order[(left + right) // 2], column]
        i, j = left, right
        while i <= j:
            while centre[order[i], column] < pivot:
                i += 1
            while centre[order[j], column] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            right = j
        elif middle >= i:
            left = i
        else:
            return


@kernel
def fill_cover(cover, row, column, boxes, form, first, members):
    """Set the bit of every group in the cells of one column that it covers."""
    cells = row[column + 1] - row[column]
    for g in range(boxes.shape[0]):
        bit, block = np.int64(1) << (g & 63), g >> 6
        a, b = first[form[g, column]], first[form[g, column] + 1]
        for i in range(a, b):
            cover[row[column] + members[i] % cells, block] |= bit
        low, high = np.int64(boxes[g, 2 * column]), np.int64(boxes[g, 2 * column + 1])
        if a == b:
            for place in range(low, min(high + 1, low + cells)):
                cover[row[column] + place % cells, block] |= bit


@kernel
def nodes_over(boxes, bits):
    """The nodes over groups in the order of the tree: boxes, bits, first block and the one after the last."""
    groups, columns, size = boxes.shape[0], boxes.shape[1] // 2, 1
    blocks = -(-groups // BLOCK)
    while size < blocks:
        size *= 2
    node_boxes = np.zeros((2 * size, boxes.shape[1]), np.int32)
    node_bits = np.zeros((2 * size, bits.shape[1]), np.int64)
    start, stop = np.zeros(2 * size, np.int64), np.zeros(2 * size, np.int64)
    stop[0] = blocks
    for node in range(size - 1):
        a, b = start[node], stop[node]
        if b - a > 1:
            start[2 * node + 1], stop[2 * node + 1] = a, a + (b - a) // 2
            start[2 * node + 2], stop[2 * node + 2] = a + (b - a) // 2, b
    for node in range(2 * size - 2, -1, -1):
        a, b, left = start[node], stop[node], 2 * node + 1
        if b - a > 1:
            node_boxes[node], node_bits[node] = node_boxes[left], node_bits[left]
            join(node_boxes, node_bits, node, node_boxes, node_bits, left + 1, columns)
        elif b > a:
            node_boxes[node], node_bits[node] = boxes[a * BLOCK], bits[a * BLOCK]
            for g in range(a * BLOCK + 1, min(b * BLOCK, groups)):
                join(node_boxes, node_bits, node, boxes, bits, g, columns)
    return node_boxes, node_bits, start, stop


@inlined_kernel
def join(boxes, bits, node, other_boxes, other_bits, other, columns):
    """Widen a node to hold another, or a group."""
    for c in range(columns):
        boxes[node, 2 * c] = min(boxes[node, 2 * c], other_boxes[other, 2 * c])
        boxes[node, 2 * c + 1] = max(boxes[node, 2 * c + 1], other_boxes[other, 2 * c + 1])
    for w in range(bits.shape[1]):
        bits[node, w] |= other_bits[other, w]


@inlined_kernel
def inside(boxes, at, points, p):
    """Whether a box holds a point."""
    for c in range(points.shape[1]):
        if points[p, c] < boxes[at, 2 * c] or points[p, c] > boxes[at, 2 * c + 1]:
            return False
    return True


@inlined_kernel
def has_news(bits, at, wanted, found, p):
    """Whether a wanted value that is not yet found is among these."""
    for w in range(bits.shape[1]):
        if bits[at, w] & wanted[p, w] & ~found[p, w] != 0:
            return True
    return False


@kernel
def is_covered(tree, g, points, p):
    """Whether a group covers a point whose cells it covers."""
    for c in range(tree.shared.size):
        if not tree.shared[c]:
            continue
        place, a, b = points[p, c], tree.first[tree.form[g, c]], tree.first[tree.form[g, c] + 1]
        hit = a == b and tree.boxes[g, 2 * c] <= place <= tree.boxes[g, 2 * c + 1]
        for i in range(a, b):
            if tree.members[i] == place:
                hit = True
        if not hit:
            return False
    return True


@kernel
def collect_values(tree, points, wanted, found, begin, end):
    """Of points begin .. end-1 fill in, into zeros, the wanted values of all groups that cover them."""
    todo, cell = np.zeros(128, np.int64), np.zeros(points.shape[1], np.int64)
    for p in range(begin, end):
        for c in range(cell.size):
            cell[c] = tree.row[c] + points[p, c] % (tree.row[c + 1] - tree.row[c])
        todo[0], waiting = 0, min(1, tree.boxes.shape[0])
        while waiting > 0:
            waiting -= 1
            here = todo[waiting]
            if not has_news(tree.node_bits, here, wanted, found, p) or not inside(
                tree.node_boxes, here, points, p
            ):
                continue
            block = tree.start[here]
            if tree.stop[here] - block > 1:
                todo[waiting], todo[waiting + 1] = 2 * here + 2, 2 * here + 1
                waiting += 2
                continue
            covering = tree.cover[cell[0], block]
            for c in range(1, cell.size):
                covering &= tree.cover[cell[c], block]
            while covering != 0:
                g = block * BLOCK + lowest_bit(covering)
                covering &= covering - 1
                if has_news(tree.bits, g, wanted, found, p) and is_covered(tree, g, points, p):
                    for w in range(found.shape[1]):
                        found[p, w] |= tree.bits[g, w] & wanted[p, w]


@inlined_kernel
def lowest_bit(word):
    """The number of the lowest bit of a word that has one."""
    number = 0
    if word & 0xFFFFFFFF == 0:
        number, word = 32, word >> 32
    if word & 0xFFFF == 0:
        number, word = number + 16, word >> 16
    if word & 0xFF == 0:
        number, word = number + 8, word >> 8
    if word & 0xF == 0:
        number, word = number + 4, word >> 4
    if word & 3 == 0:
        number, word = number + 2, word >> 2
    return number + 1 - (word & 1)


@kernel
def value_bits(start, codes, words):
    """The values of each group, codes[start[g]:start[g+1]], as bits of so many words."""
    bits = np.zeros((start.size - 1, words), np.int64)
    for g in range(start.size - 1):
        for i in range(start[g], start[g + 1]):
            bits[g, codes[i] >> 6] |= np.int64(1) << (codes[i] & 63)
    return bits


@kernel
def unite_words(place, words, united):
    """Join the words of each row to those of its place, in place."""
    for i in range(place.size):
        for w in range(words.shape[1]):
            united[place[i], w] |= words[i, w]


@kernel
def count_bits(words):
    """How many bits each row has."""
    counts = np.zeros(words.shape[0], np.int64)
    for i in range(words.shape[0]):
        for w in range(words.shape[1]):
            word = words[i, w]
            while word != 0:
                word &= word - 1
                counts[i] += 1
    return counts
