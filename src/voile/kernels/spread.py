"""What executors do to rows that lie on a cluster: walk down a tree of cuts, and look for a place in an order.

Both are functions of a row and of a few numbers that the driver has sent, so a part that is computed twice comes
out the same.
"""

from voile.kernels.compiled import kernel

NO_CUT = -1
NOWHERE = -1


@kernel
def descend(codes, value, curve, tie, drawn, node, column, code, tie_curve, tie_drawn, below, children):
    """Move every row to the child of its node that it belongs to.

    Of node i, rows whose `drawn` number is below below[i, value] are set aside (child 0); of the others those
    below `code[i]` of column[i] go left (child 1), and of those at it the ones that come before (tie_curve,
    tie_drawn) along the curve; the rest goes right (child 2). Where there is no cut, the others stay.
    """
    for r in range(node.size):
        i = node[r]
        if drawn[r] < below[i, value[r]]:
            node[r] = children[i, 0]
        elif column[i] != NO_CUT:
            own = codes[column[i], r]
            left = own < code[i]
            if own == code[i]:
                left = curve[r] < tie_curve[i] or (curve[r] == tie_curve[i] and tie[r] < tie_drawn[i])
            node[r] = children[i, 1 if left else 2]


@kernel
def interval_of(which, first, second, start, low_first, low_second, found):
    """Of each row the last interval of its list that begins at or before it in the order of (first, second), or
    NOWHERE: list v has the intervals start[v] to start[v+1]-1, ascending."""
    for r in range(which.size):
        v = which[r]
        found[r] = NOWHERE
        if v < 0:
            continue
        low, high = start[v], start[v + 1]
        while low < high:
            middle = (low + high) // 2
            if low_first[middle] < first[r] or (low_first[middle] == first[r] and low_second[middle] <= second[r]):
                low = middle + 1
            else:
                high = middle
        if low > start[v]:
            found[r] = low - 1
