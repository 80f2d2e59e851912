"""Which l and which (tau,l) each sensitive column allows, and what would raise them (docs/facts/bsgi.md A1)."""

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from voile.core.eligibility import fewest_suppressed, largest_l
from voile.core.tau_l_line import least_tau, usable_tau
from voile.errors import counted

PLENTY = 20  # releases ask for l = 2 to 10
_LINES = (2, 3, 5, 10)  # the l for which a least tau is told
EDGE = "a least tau is the edge: a little more keeps far more detail"
_ROOM = Fraction(1, 20)  # so much more
# docs/facts/sweep.md B3
SEEN_THROUGH = "whoever knows the algorithm can tell what was raised: the frequent values"


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
    least_taus: tuple[tuple[int, Fraction], ...] = ()  # some l, and the least tau that true values allow with it
    ordered: bool = False  # numbers, dates or ranks: only a hierarchy says how to generalise them
    top_value: str = field(default="", repr=False)  # only on request

    @property
    def on_true_values(self) -> str:
        """The (tau,l) that groups can keep without generalising a value (sweep_e)."""
        found = [f"{usable(tau):.10g} with l = {ell}" for ell, tau in self.least_taus]
        return f"tau from {', '.join(found)}" if found else "none: there is one value"

    @property
    def suggested(self) -> str:
        """A (tau,l) for sweep_e with some room above the edge, as on the command line; tau = 1 would promise
        nothing, so l = 3 only where tau stays below. Empty where there is one value."""
        roomy = {ell: math.ceil((tau + _ROOM) * 100) / 100 for ell, tau in self.least_taus if ell <= 3}
        below = [(ell, tau) for ell, tau in roomy.items() if tau < 1] or [
            (ell, usable(tau)) for ell, tau in self.least_taus[:1]
        ]
        return "".join(f"-p tau={tau:.10g} -p l={ell}" for ell, tau in below[-1:])

    @property
    def generalised(self) -> str:
        """The (tau,l) that induced frequencies can keep where values may be generalised (sweep)."""
        if self.values < 2:
            return "none: there is one value"
        given = ", once it has a hierarchy" if self.ordered else ""
        return f"tau from {usable(Fraction(1, self.values)):.10g}, l up to {self.values}{given}"

    @property
    def mostly_suppressed(self) -> bool:
        """Whether l = 2 would cost more than half of the rows."""
        lost = self.raised_by_suppressing
        return self.largest_l == 1 and lost is not None and 2 * lost > self.rows

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


def candidate(
    name: str, sizes: NDArray[np.int64], chosen: bool, top_value: str = "", *, ordered: bool = False
) -> Candidate:
    """Judge a column by the rows of each of its values.

    >>> found = candidate("disease", np.array([6, 1, 1]), True)
    >>> found.largest_l, found.advice
    (1, 'record the most frequent value in finer detail, or suppress 4 rows (50.0%)')
    >>> found.on_true_values, found.generalised
    ('tau from 0.75 with l = 2, 0.75 with l = 3', 'tau from 0.334, l up to 3')
    >>> found.suggested
    '-p tau=0.8 -p l=3'
    """
    best, rows = largest_l(sizes), int(sizes.sum())
    fewest = fewest_suppressed(sizes, best + 1)
    present = sizes[sizes > 0]
    return Candidate(
        name=name,
        chosen=chosen,
        rows=rows,
        values=present.size,
        top_share=Fraction(int(sizes.max()), rows) if rows else Fraction(0),
        largest_l=best,
        raised_by_suppressing=None if fewest == rows else fewest,
        least_taus=tuple((ell, least_tau(present, ell)) for ell in _LINES if ell <= present.size),
        ordered=ordered,
        top_value=top_value,
    )


def usable(tau: Fraction) -> float:
    """A tau as people write it, rounded up so that it still works.

    >>> usable(Fraction(1, 3)), usable(Fraction(1, 2)), usable(Fraction(9999, 10000))
    (0.334, 0.5, 0.9999)
    """
    return float(usable_tau(tau, 2, places=3) or tau)
