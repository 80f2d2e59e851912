"""Eligibility: which l a table allows, and what suppression would buy (facts/bsgi.md A1)."""

from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from voile.errors import Infeasible


def largest_l(sizes: NDArray[np.int64]) -> int:
    """floor(n / n1): the largest l for which n1/n <= 1/l.

    >>> largest_l(np.array([4, 3, 3]))
    2
    """
    top = int(sizes.max()) if sizes.size else 0
    return int(sizes.sum()) // top if top else 0


def most_groups(sizes: NDArray[np.int64], ell: int) -> int:
    """The most groups of l different values: the largest k with sum min(n_i, k) >= k * l.

    >>> most_groups(np.array([6, 1, 1]), 2)
    2
    """
    low, high = 0, int(sizes.sum()) // ell
    while low < high:
        k = (low + high + 1) // 2
        if int(np.minimum(sizes, k).sum()) >= k * ell:
            low = k
        else:
            high = k - 1
    return low


def fewest_suppressed(sizes: NDArray[np.int64], ell: int) -> int:
    """The least number of rows whose suppression makes l possible.

    >>> fewest_suppressed(np.array([6, 1, 1]), 2)
    4
    """
    return int(sizes.sum() - np.minimum(sizes, most_groups(sizes, ell)).sum())


def refuse_ineligible(sizes: NDArray[np.int64], ell: int) -> NoReturn:
    """Explain why l is out of reach and what would work."""
    n, top = int(sizes.sum()), int(sizes.max()) if sizes.size else 0
    best, fewest = largest_l(sizes), fewest_suppressed(sizes, ell)
    values = int((sizes > 0).sum())
    if fewest == n:
        why = f"the {n} rows hold {values} different sensitive values, fewer than l = {ell} needs in one group"
        remedy = f"l = {best} is the largest possible" if best > 1 else "no l works on this table"
        suppression = ""
    else:
        why = f"the most frequent sensitive value is {100 * top / n:.4g} % of rows, more than 1/{ell}"
        remedy = (
            f"l = {best} is the largest possible"
            if best > 1
            else "no l works without suppression, since one value has more than half of the rows"
        )
        suppression = f", or suppress {fewest} rows (ineligible = suppress)"
    raise Infeasible(
        why,
        largest_l=best,
        rows_to_suppress=fewest,
        rule=f"l-diversity needs every share to be at most 1/{ell}",
        remedy=f"{remedy}: merge values{suppression}" if best <= 1 else f"{remedy}; or merge values{suppression}",
    )
