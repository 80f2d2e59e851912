"""Excessive protection: how much more than (tau,l)-diversity the groups have
(Tian and Zhang 2009, Definition 8)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.bags import Bag
from voile.core.base_values import BaseValues
from voile.core.boxes import Boxes
from voile.core.excessive_protection import excessive_protection
from voile.core.metric import Metric
from voile.core.order import distinct_values
from voile.core.parameters import parameter

_OVER: dict[str, Callable[[NDArray[np.float64]], np.float64]] = {"min": np.min, "mean": np.mean, "max": np.max}


@dataclass(frozen=True, kw_only=True)
class ExcessiveProtection(Metric):
    """Sum over k of |psi(k) - F(k)| of a group, F(k) the share of its k most frequent sensitive values and psi the
    line that (tau,l)-diversity draws; the least, the mean or the greatest of all groups.

    It says nothing of a release that does not keep (tau,l)-diversity: frequencies above the line count as those
    below it.
    """

    key = "excessive_protection"
    title = "excessive protection"
    paper = "Tian and Zhang 2009, Definition 8"
    best = "low"
    range = "0 to m"
    meaning = "how far the frequencies of sensitive values are from the line that (tau,l)-diversity draws"

    tau: Fraction = parameter("largest share of a value in a group", places=0)
    l: int = parameter("values that share a group at least", minimum=2)  # noqa: E741 the paper's name
    over: str = parameter("of all groups", choices=tuple(_OVER), default="min")

    def measure(self, boxes: Boxes) -> float:
        """A float: a sum of many fractions; it decides nothing."""
        if boxes.sizes.size == 0 or not boxes.sensitive:
            return 0.0
        sizes = boxes.sizes + np.bincount(boxes.counterfeit_group, minlength=boxes.sizes.size)
        found = [excessive_protection(bag, sizes, self.tau, self.l, values) for bag, values in _published(boxes)]
        return float(_OVER[self.over](np.concatenate(found)))


def _published(boxes: Boxes) -> Iterator[tuple[Bag, int]]:
    """The values of each group as published, and how many base values there are; by sensitive column."""
    published = boxes.group >= 0
    group = np.concatenate([boxes.group[published], boxes.counterfeit_group])

    def bag(shown: NDArray[np.int64]) -> Bag:
        return Bag.of(group, np.concatenate([shown[published], boxes.counterfeit_value]), boxes.sizes.size)

    if boxes.node.size:
        values = BaseValues(boxes.sensitive[0].tree(), boxes.weight)
        yield bag(boxes.node).induced(values), values.possible.size
    else:
        for column in boxes.sensitive:
            yield bag(column.codes), distinct_values(column.codes)[0].size
