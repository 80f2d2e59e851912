"""Eligibility: which l a table allows, and what suppression would buy (docs/facts/bsgi.md A1)."""

from collections.abc import Mapping
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from voile.errors import Infeasible, counted


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


def feasible_l(wanted: int | None, sizes: Mapping[str, NDArray[np.int64]], suppressing: bool | None) -> int:
    """The l that was wanted, or the largest that every column allows; refuses what is out of reach.

    With suppression, l = 2 is within reach of any two values. None: the algorithm never suppresses.

    >>> feasible_l(None, {"disease": np.array([4, 3, 3]), "person": np.array([1] * 10)}, False)
    2
    """
    tightest_first = sorted(sizes.items(), key=lambda item: largest_l(item[1]))
    ell = max(largest_l(tightest_first[0][1]), 1 + bool(suppressing)) if wanted is None else wanted
    for column, size in tightest_first:
        if ell < 2 or (not suppressing and largest_l(size) < ell) or most_groups(size, ell) == 0:
            refuse_ineligible(size, max(ell, 2), column, suppressing)
    return ell


def refuse_ineligible(
    sizes: NDArray[np.int64], ell: int, column: str, suppressing: bool | None = False, symbol: str = "l"
) -> NoReturn:
    """Explain why a column's values put l out of reach, and what would work.

    `suppressing`: rows may be given up, and still it does not work. None: the algorithm never gives up rows,
    because a reader who knows it could tell whose (docs/facts/safety.md section 10). `symbol` is the paper's
    letter.
    """
    n, top = int(sizes.sum()), int(sizes.max()) if sizes.size else 0
    values, fewest = int((sizes > 0).sum()), fewest_suppressed(sizes, ell)
    best = values if suppressing else largest_l(sizes)
    largest = (
        f"{symbol} = {best} is the largest possible" if best > 1 else f"no {symbol} works on this table as it is"
    )
    if fewest == n:
        why = f"{counted(n, 'row')} with {counted(values, 'different value')}, fewer than {symbol} = {ell} needs"
        remedy = f"{largest}{' with suppression' if suppressing else ''}; more needs values in finer detail"
    else:
        why = f"the most frequent value is {100 * top / n:.4g} % of rows, more than 1/{ell}"
        remedy = f"{largest}; for {symbol} = {ell} record that value in finer detail"
        if suppressing is not None:
            remedy += f", or suppress {counted(fewest, 'row')} (-p ineligible=suppress)"
    raise Infeasible(
        why,
        where=f"column {column}",
        largest_l=largest_l(sizes),
        rows_to_suppress=fewest,
        rule=f"every share must be at most 1/{ell}",
        remedy=remedy,
    )
