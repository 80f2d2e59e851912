"""The order of generalizations (Tian and Zhang 2009, Definition 6): combinations of levels by the information they
keep."""

import itertools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voile.core.taxonomy import Taxonomy
from voile.errors import ParameterError

MOST_ITEMS = 10_000  # levels of the finest trees are left out where their combinations are more


class Items(NamedTuple):
    """The order of items (Definition 6): `levels[i]` of each column, and the node of each leaf on each level."""

    levels: NDArray[np.int64]
    node: list[NDArray[np.int64]]


def ordered_items(columns: list[Taxonomy]) -> Items:
    """All combinations of levels, by descending level vector; the last is everything *."""
    node = [column.levels() for column in columns]
    information = [column.information() for column in columns]
    while math.prod(len(levels) for levels in information) > MOST_ITEMS:
        j = max(range(len(columns)), key=lambda j: (len(information[j]), j))
        if len(information[j]) < 3:
            raise ParameterError(
                f"{len(columns)} quasi-identifying columns",
                where="sweep",
                rule=f"combinations of their levels are tried, up to {MOST_ITEMS}",
                remedy="declare fewer of them, or use elig",
            )
        gain = [b - a for a, b in itertools.pairwise(information[j])]
        least = min(range(1, len(gain)), key=lambda level: gain[level])  # never the root
        node[j] = np.delete(node[j], least, axis=0)
        del information[j][least]
    whole = math.lcm(*(part.denominator for levels in information for part in levels))
    ranks = [[int(part * whole) for part in levels] for levels in information]
    order = sorted(
        itertools.product(*(range(len(levels)) for levels in ranks)),
        key=lambda levels: (sum(rank[level] for rank, level in zip(ranks, levels, strict=True)), *levels),
        reverse=True,
    )
    return Items(np.array(order, np.int64).reshape(len(order), len(columns)), node)
