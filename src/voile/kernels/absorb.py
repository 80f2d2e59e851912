"""Rows that found no class join one that has room for them under the line, where the total loss grows least."""

import numpy as np

from voile.kernels.compiled import inlined_kernel, kernel
from voile.kernels.loss import NO_TABLE, climb, grow_box, new_box, start_box
from voile.kernels.tau_l import induced, keeps_line_unsorted, share

UNKNOWN, ROOM, FULL = 0, 1, 2


@kernel
def class_nodes(loss, leaf, groups):
    """The node of each group in each tree; all columns are trees."""
    nodes = np.empty((groups.cost.size, loss.leaf.size), np.int64)
    box = new_box(loss)
    for g in range(groups.cost.size):
        start_box(loss, box, leaf, groups.member[groups.start[g]], 0)
        for i in range(groups.start[g] + 1, groups.start[g + 1]):
            grow_box(loss, box, leaf, groups.member[i], 0)
        nodes[g] = box.node
    return nodes


@inlined_kernel
def has_room(frequency, size, g, v, values, limit, scale, largest):
    """Whether group g keeps the line with one row more, of value v."""
    for a in range(values.first[v], values.after[v]):
        frequency[g, a] += share(values, v, a)
    kept = keeps_line_unsorted(frequency[g], (size[g] + 1) * values.unit, limit, scale, largest)
    for a in range(values.first[v], values.after[v]):
        frequency[g, a] -= share(values, v, a)
    return kept


@inlined_kernel
def joint_line(loss, node, j):
    """Where the costs of a node with every leaf of the j-th tree stand in `joint`; NO_TABLE where they do not."""
    if loss.table[j] == NO_TABLE:
        return NO_TABLE
    return loss.table[j] + (node - loss.leaf[j]) * loss.leaves[j]


@inlined_kernel
def joined(loss, nodes, lines, g, own):
    """What one row of group g costs once a row with these leaves has joined."""
    cost = 0
    for j in range(own.size):
        if lines[g, j] != NO_TABLE:
            cost += loss.joint[lines[g, j] + own[j]]
        else:
            cost += loss.cost[climb(loss, nodes[g, j], own[j])]
    return cost


@kernel
def absorb(loss, leaf, node, rows, begin, end, nodes, groups, values, kind, line, most, group):
    """Let each of the rows, in turn, join the group among `begin[i]:end[i]` where the total loss grows least, if
    some group has room for it and the loss grows by less than `most`; the first of equal ones.

    `node` is the sensitive value of each row, `kind[v]` numbers the values. `group` is filled in.
    """
    limit, scale = line
    size = np.diff(groups.start)
    frequency = np.zeros((size.size, values.weight.size), np.int64)
    state = np.zeros((size.size, kind.max() + 1), np.int8)
    largest = np.empty(limit.size, np.int64)
    one = np.ones(values.first.size, np.int64)
    part = np.empty(values.weight.size, np.int64)
    own, lines = np.empty(nodes.shape[1], np.int64), np.empty_like(nodes)
    for g in range(size.size):
        for j in range(nodes.shape[1]):
            lines[g, j] = joint_line(loss, nodes[g, j], j)
        for i in range(groups.start[g], groups.start[g + 1]):
            induced(one, node[groups.member[i] : groups.member[i] + 1], values, part)
            frequency[g] += part
    for i in range(rows.size):
        row, v = rows[i], node[rows[i]]
        own[:] = leaf[row]
        least, best, cost_there = most, -1, 0
        for g in range(begin[i], end[i]):
            if state[g, kind[v]] == UNKNOWN:
                room = has_room(frequency, size, g, v, values, limit, scale, largest)
                state[g, kind[v]] = ROOM if room else FULL
            if state[g, kind[v]] == FULL:
                continue
            before = size[g] * groups.cost[g]
            cost = joined(loss, nodes, lines, g, own)
            if (size[g] + 1) * cost - before < least:
                least, best, cost_there = (size[g] + 1) * cost - before, g, cost
        if best >= 0:
            group[row] = best
            for j in range(nodes.shape[1]):
                nodes[best, j] = climb(loss, nodes[best, j], leaf[row, j])
                lines[best, j] = joint_line(loss, nodes[best, j], j)
            groups.cost[best] = cost_there
            size[best] += 1
            for a in range(values.first[v], values.after[v]):
                frequency[best, a] += share(values, v, a)
            state[best, :] = UNKNOWN
