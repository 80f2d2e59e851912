"""Nodes of a tree of cuts: what of them the driver keeps."""

from abc import ABC, abstractmethod
from collections.abc import Callable

from voile.spark.random_cells import Values
from voile.spark.spread import Batch, Codes, Spread


class Nodes(ABC):
    """Parts of a spread table, numbered from 0, the whole one; those that were cut keep their number."""

    def __init__(self, spread: Spread, values: Values) -> None:
        self.spread, self.values = spread, values
        self.bags: list[Codes] = [values.counts]  # of each node, by value

    @property
    def nodes(self) -> int:
        """How many there are."""
        return len(self.bags)

    def size(self, node: int) -> int:
        """Rows of a node."""
        return int(self.bags[node].sum())

    @abstractmethod
    def placer(self) -> Callable[[Batch], Codes]:
        """What tells the node of each row, as far as the tree has grown."""
