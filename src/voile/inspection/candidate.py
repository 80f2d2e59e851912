"""Which l each sensitive column allows, and what would raise it (facts/bsgi.md A1)."""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.eligibility import fewest_suppressed, largest_l
from voile.errors import counted

PLENTY = 20  # releases ask for l = 2 to 10


@dataclass(frozen=True)
class Candidate:
    """A column that could be the sensitive one."""

    name: str
    chosen: bool
    rows: int  # with a value
    values: int
    top_share: Fraction  # of the most frequent value
    largest_l: int
    raised_by_suppressing: int | None  # rows for one l more; None: there are not enough values
    top_value: str = field(default="", repr=False)  # only on request

    @property
    def advice(self) -> str:
        """What would raise the largest l by one."""
        if self.largest_l >= PLENTY:
            return "not needed: releases ask for 2 to 10"
        if self.raised_by_suppressing is None:
            return f"record values in finer detail: there are only {self.values}"
        rows = counted(self.raised_by_suppressing, "row")
        share = f"{self.raised_by_suppressing / self.rows:.1%}"
        return f"record the most frequent value in finer detail, or suppress {rows} ({share})"


def candidate(name: str, sizes: NDArray[np.int64], chosen: bool, top_value: str = "") -> Candidate:
    """Judge a column by the rows of each of its values.

    >>> found = candidate("disease", np.array([6, 1, 1]), True)
    >>> found.largest_l, found.advice
    (1, 'record the most frequent value in finer detail, or suppress 4 rows (50.0%)')
    """
    best, rows = largest_l(sizes), int(sizes.sum())
    fewest = fewest_suppressed(sizes, best + 1)
    return Candidate(
        name=name,
        chosen=chosen,
        rows=rows,
        values=int((sizes > 0).sum()),
        top_share=Fraction(int(sizes.max()), rows) if rows else Fraction(0),
        largest_l=best,
        raised_by_suppressing=None if fewest == rows else fewest,
        top_value=top_value,
    )
