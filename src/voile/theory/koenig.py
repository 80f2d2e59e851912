"""Koenig's theorem, done: the edges of a bipartite graph coloured with as many colours as its largest degree.

Here an edge is a person (a place in a set, and a value) and an edge's colour is the row it is given; the word
colour is already taken.
"""

from collections.abc import Hashable, Iterator, Sequence
from typing import TypeAlias

Node: TypeAlias = tuple[int, Hashable]  # side and name


def edge_colouring(edges: Sequence[tuple[Hashable, Hashable]], rows: int) -> list[int]:
    """A row for each edge, different at every node; no node may have more than `rows` edges.

    >>> edge_colouring([("a", 1), ("a", 2), ("b", 1)], 2)
    [1, 0, 0]
    """
    at: dict[tuple[Node, int], int] = {}  # which edge a node has in a row
    row_of: dict[int, int] = {}

    def place(edge: int, row: int) -> None:
        row_of[edge] = row
        for node in enumerate(edges[edge]):
            at[node, row] = edge

    def path(node: Node, row: int, other: int) -> Iterator[int]:
        while (node, row) in at:
            edge = at[node, row]
            yield edge
            side = 1 - node[0]
            node, row, other = (side, edges[edge][side]), other, row

    for edge, (left, right) in enumerate(edges):
        here = next(row for row in range(rows) if ((0, left), row) not in at)
        there = next(row for row in range(rows) if ((1, right), row) not in at)
        # exchanging the two rows along the path from the right frees `here`; in a bipartite graph the path
        # never comes to the left node, which it would enter by the row that is free there
        exchanged = list(path((1, right), here, there)) if here != there else []
        for moved in exchanged:
            for node in enumerate(edges[moved]):
                del at[node, row_of[moved]]
        for moved in exchanged:
            place(moved, here + there - row_of[moved])
        place(edge, here)
    return [row_of[edge] for edge in range(len(edges))]
