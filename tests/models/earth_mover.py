"""The earth mover's distance as it is defined: the cheapest way to move one heap onto another.

Successive shortest paths on a handful of places, in exact fractions; slow, and nothing like the
formulas of the product.
"""

from fractions import Fraction


def earth_movers_distance(have, want, distance):
    """Least cost of turning shares `have` into `want`; `distance(i, j)` between places."""
    places = range(len(have))
    flow = {(i, j): Fraction(0) for i in places for j in places}
    left, open_ = list(have), list(want)
    while any(left):
        cost, before = _paths(flow, left, distance, places)
        end = min((j for j in places if open_[j]), key=lambda j: cost["to", j])
        path, node = [], ("to", end)
        while before[node] is not None:
            path.append((before[node], node))
            node = before[node]
        amount = min([left[node[1]], open_[end]] + [flow[b[1], a[1]] for a, b in path if a[0] == "to"])
        for a, b in path:
            if a[0] == "from":
                flow[a[1], b[1]] += amount
            else:
                flow[b[1], a[1]] -= amount
        left[node[1]] -= amount
        open_[end] -= amount
    return sum((amount * distance(i, j) for (i, j), amount in flow.items()), Fraction(0))


def _paths(flow, left, distance, places):
    """Cheapest residual paths from places that still have something (Bellman and Ford)."""
    nodes = [(side, i) for side in ("from", "to") for i in places]
    cost = {node: None for node in nodes}
    before = dict.fromkeys(nodes)
    for i in places:
        if left[i]:
            cost["from", i] = Fraction(0)
    for _ in nodes:
        for i in places:
            for j in places:
                forth, back = ("from", i), ("to", j)
                step = distance(i, j)
                if cost[forth] is not None and (cost[back] is None or cost[forth] + step < cost[back]):
                    cost[back], before[back] = cost[forth] + step, forth
                known = flow[i, j] and cost[back] is not None
                if known and (cost[forth] is None or cost[back] - step < cost[forth]):
                    cost[forth], before[forth] = cost[back] - step, back
    return cost, before
