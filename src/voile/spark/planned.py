"""Planned: what the driver has decided, for the executors: the cell of each row, and what becomes of a cell."""

from collections.abc import Callable
from dataclasses import dataclass

from voile.core.algorithm import Algorithm
from voile.spark.cells import Work
from voile.spark.spread import Batch, Codes


@dataclass(frozen=True)
class Planned:
    """`algorithm` has all of its parameters settled, as the certificate lists them."""

    cell_of: Callable[[Batch], Codes]
    work: Work
    algorithm: Algorithm
    announced: str = ""  # what a steward should know, such as a cell that could not be made smaller
