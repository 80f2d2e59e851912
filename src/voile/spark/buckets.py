"""Buckets on a cluster: nodes whose rows draw a seat, as kernels/glass.py deals them, and chunks of large buckets.

The rows of every value of a bucket, in their order along the curve, are cut at the same ranks, whichever value it
is: a chunk has equally many rows of each, and who is in it depends on values only through who shares one. So
matching inside chunks is as symmetric in the values as matching the whole bucket.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from voile.kernels.glass import Plan, Rule, planned, skimmed
from voile.kernels.spread import NOWHERE, interval_of
from voile.spark.places import Bound, bounds_at
from voile.spark.random_cells import RandomCells, cells_at
from voile.spark.spread import Batch, Codes
from voile.spark.upper_tree import CURVE, Tree

ASIDE = -1  # the seat of rows that are skimmed


def descending(bag: Codes) -> tuple[Codes, Codes]:
    """The values of a bag by descending count, ties by value, and their counts: as kernels see a node.

    >>> [part.tolist() for part in descending(np.array([2, 0, 5, 2]))]
    [[2, 0, 3], [5, 2, 2]]
    """
    held = np.flatnonzero(bag)
    values = held[np.argsort(-bag[held], kind="stable")]
    return values, bag[values]


class Seated(NamedTuple):
    """Nodes of one level whose rows have drawn their seats."""

    nodes: list[int]
    plans: list[Plan]
    quotas: list[Codes]  # rows of each value of a node that are set aside, in the order of its plan
    cells: RandomCells
    list_of: Callable[[Batch], Codes]  # a list for each node and value
    first: Codes  # of each list, in `seat`
    seat: Codes  # of each cell of each list: place in the list of the plan's signatures

    def seats(self, batch: Batch) -> Codes:
        """The seat of each row in the plan of its node; of rows elsewhere, ASIDE."""
        lists = self.list_of(batch)
        place = self.first[np.maximum(lists, 0)] + self.cells.among(lists, batch)
        return np.where(lists >= 0, self.seat[place], ASIDE)

    def below(self, values: int) -> dict[int, Codes]:
        """By node and value, the number below which a row is set aside."""
        lows = self.cells.bound.second[self.cells.start[:-1]].reshape(-1, values)
        return dict(zip(self.nodes, lows, strict=True))


def seated(tree: Tree, rule: Rule, nodes: list[int], skim: bool) -> Seated:
    """Plan the buckets of nodes from their bags, and let their rows draw seats."""
    many = tree.values.present.size
    plans, aside, ends, seat = [], [], [], []
    for node in nodes:
        values, counts = descending(tree.bags[node])
        quotas = np.zeros(counts.size, np.int64)
        if skim and tree.size(node) >= 2 * rule.least:
            skimmed(rule, counts, tree.size(node), quotas)
        plan = planned(counts, quotas, rule.ell)
        plans.append(plan)
        aside.append(quotas)
        rank = np.full(many, counts.size, np.int64)
        rank[values] = np.arange(counts.size)
        first = np.append(plan.first, plan.first[-1])  # a value that the node lacks has no seats
        for v in rank.tolist():
            own = plan.seats[first[v] : first[v + 1]]
            ends.append(np.cumsum([np.append(quotas, 0)[v], *plan.left[own].tolist()]))
            seat.append(np.append(ASIDE, own))
    which, node_of, values_of = np.full(tree.nodes, -1, np.int64), tree.placer(), tree.values.of
    which[nodes] = np.arange(len(nodes))

    def list_of(batch: Batch) -> Codes:
        own = which[node_of(batch)]
        return np.where(own >= 0, own * many + values_of(batch), -1)

    sizes = np.concatenate([tree.bags[node] for node in nodes])
    # a list without seats has no bound of its own: give it one, so that there is one for every node and value
    cells = cells_at(tree.spread, list_of, sizes, [own if own.size > 1 else np.append(own, own) for own in ends])
    return Seated(
        nodes, plans, aside, cells, list_of, np.cumsum([0, *(own.size for own in seat)]), np.concatenate(seat)
    )


class Chunks(NamedTuple):
    """Cells of large buckets."""

    cells: int
    cell_of: Callable[[Batch, Codes], Codes]  # of rows at the nodes given; others -1


def chunks_of(tree: Tree, large: dict[int, tuple[Seated, int]], most: int) -> Chunks:
    """Cut every bucket of large nodes into chunks of at most so many rows."""
    lists, cells = 0, 0
    base = np.full(tree.nodes, -1, np.int64)  # of each node: the first of its lists, one for each seat
    many, length, first_cell = [], [], []
    for node, (some, i) in large.items():
        plan, base[node] = some.plans[i], lists
        for b in range(plan.alpha.size):
            wide, alpha = int(plan.start[b + 1] - plan.start[b]), int(plan.alpha[b])
            chunks = max(1, min(alpha, -(-alpha * wide // most)))
            many += [chunks] * wide
            length += [alpha] * wide
            first_cell += [cells] * wide
            cells += chunks
            lists += wide
    owners = list({id(some): some for some, _ in large.values()}.values())
    seat_owner = [(some, np.isin(np.arange(tree.nodes), [n for n in some.nodes if n in large])) for some in owners]
    node_of, alike = tree.placer(), tree.frame.alike

    def list_of(batch: Batch, node: Codes) -> Codes:
        found = np.full(node.size, -1, np.int64)
        for some, mine in seat_owner:
            rows = mine[node]
            if rows.any():
                found = np.where(rows, base[node] + some.seats(batch), found)
        return found

    def order(batch: Batch) -> tuple[Codes, Codes, Codes]:
        return list_of(batch, node_of(batch)), batch[CURVE].astype(np.int64), alike(batch)

    ranks = [np.arange(1, chunks) * alpha // chunks for chunks, alpha in zip(many, length, strict=True)]
    which = np.repeat(np.arange(lists), [own.size for own in ranks])
    start = np.cumsum([0, *(own.size for own in ranks)])
    bound = Bound(np.empty(0, np.int64), np.empty(0, np.int64))
    if which.size:
        bound = bounds_at(tree.spread, order, np.array(length), which, np.concatenate(ranks))
    begin = np.array(first_cell, np.int64)

    def cell_of(batch: Batch, node: Codes) -> Codes:
        own = list_of(batch, node)
        found = np.empty(own.size, np.int64)
        interval_of(own, batch[CURVE].astype(np.int64), alike(batch), start, bound.first, bound.second, found)
        chunk = np.where(found == NOWHERE, 0, found - start[np.maximum(own, 0)] + 1)
        return np.where(own >= 0, begin[np.maximum(own, 0)] + chunk if lists else -1, -1)

    return Chunks(cells, cell_of)
