"""Evaluation: what a search over generalizations does with a table, and what its readers can conclude.

Functions are counted from 1 as in Liu et al. 2015. Step n + 1 stands for disclosing nothing: its disclosure set
are the tables, of all with these frequencies, for which the search ends without a release
(docs/facts/k_jump.md, erratum 7).
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from voile.core.generalizations import Generalizations
from voile.errors import BeyondReach
from voile.theory.costs import LIMIT, MOST_MATRICES, Costs, require_affordable
from voile.theory.disclosure_sweep import DisclosureSweep
from voile.theory.set_properties import SetProperty
from voile.theory.strategies import Strategy

Codes = NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class TableSet:
    """Equally likely tables: how many, and for each kind of person in how many of them each value occurs. Where
    they were not counted, size is the most there can be; in what proportion values occur is known by symmetry."""

    size: int
    counts: tuple[tuple[int, ...], ...]  # of each kind of person
    kind: Codes  # of each row
    holds: bool
    counted: bool = True

    def __repr__(self) -> str:
        size = self.size if self.counted else f"at most {self.size}"
        return f"TableSet({size} tables, highest ratio {self.highest}, holds {self.holds})"

    @property
    def highest(self) -> Fraction:
        """The most that is known of anybody: the highest share of a value."""
        return max(self.ratios, default=Fraction(0))

    @cached_property
    def ratios(self) -> tuple[Fraction, ...]:
        """The highest share of a value, of each kind of person."""
        return tuple(Fraction(max(line), sum(line) or 1) for line in self.counts)

    @property
    def fewest(self) -> int:
        """The fewest different values that are left for anybody."""
        return min((sum(count > 0 for count in line) for line in self.counts), default=0)

    def persons_above(self, share: Fraction) -> int:
        """Of how many rows a value has more than this share of the tables."""
        above = np.array([ratio > share for ratio in self.ratios], bool)
        return int(above[self.kind].sum()) if above.size else 0


@dataclass(frozen=True, repr=False)
class Step:
    """One function on the evaluation path. `ds` is None where it was not looked at."""

    function: int
    per: TableSet
    ds: TableSet | None


@dataclass(frozen=True, repr=False)
class Evaluation:
    """The evaluation path of a table; `outcome` is the function that is disclosed, None if nothing is."""

    strategy: Strategy
    outcome: int | None
    steps: tuple[Step, ...]

    @property
    def path(self) -> list[int] | list[tuple[int, int]]:
        """As the paper writes it: functions for naive and safe; for jump (i, 0) for per_i and (i, 1) for ds_i."""
        if self.strategy.kind != "jump":
            return [step.function for step in self.steps]
        return [(s.function, which) for s in self.steps for which in ((0, 1) if s.ds is not None else (0,))]


def evaluate(
    sequence: Generalizations, values: Codes, wanted: SetProperty, strategy: Strategy, *, limit: int = LIMIT
) -> Evaluation:
    """Follow the search for a table: `values` are the sensitive values of the rows, numbered from 0.

    `limit`: millions of steps that an exact answer may take, estimated without looking at who has what; else
    BeyondReach.

    >>> clinic = Generalizations.of_groups(
    ...     [[[0, 1], [2, 3], [4, 5]], [[0, 1, 2], [3, 4, 5]], [[0, 1, 2, 3], [4, 5]]], 6)
    >>> illness = np.array([2, 1, 0, 0, 3, 4])  # flu, cold, cancer, cancer, headache, toothache
    >>> from voile.theory.set_properties import Distinct
    >>> evaluate(clinic, illness, Distinct(2), Strategy.naive(3)).outcome
    2
    >>> disclosure_set(clinic, illness, Distinct(2), Strategy.naive(3), 2)
    TableSet(4 tables, highest ratio 1, holds False)
    >>> evaluate(clinic, illness, Distinct(2), Strategy.safe(3)).outcome
    3
    """
    costs = Costs(sequence, np.bincount(values), wanted)
    require_affordable(costs, strategy, limit)
    steps: list[Step] = []
    i = 1
    while i <= len(sequence):
        per = permutation_set(sequence, values, wanted, i)
        looked = strategy.kind == "safe" or (strategy.kind == "jump" and per.holds)
        alike = costs.alike[i - 1]  # then it is judged by symmetry, and counted only where that is cheap
        ds = _disclosure_set(costs, values, strategy, i, limit // 100 if alike else limit) if looked else None
        steps.append(Step(i, per, ds))
        if per.holds if ds is None else ds.holds:
            return Evaluation(strategy, i, tuple(steps))
        i = strategy.after(i) if ds is not None else i + 1
    return Evaluation(strategy, None, tuple(steps))


def permutation_set(sequence: Generalizations, values: Codes, wanted: SetProperty, function: int) -> TableSet:
    """per(g_i(t)): all tables that look the same under one function, and nothing else known."""
    groups = sequence.functions[function - 1]
    histograms = np.zeros((int(groups.max()) + 1, int(values.max()) + 1), np.int64)
    np.add.at(histograms, (groups, values), 1)
    lines = histograms.tolist()
    size = prod(factorial(sum(line)) // prod(map(factorial, line)) for line in lines)
    counts = tuple(tuple(size * count // sum(line) for count in line) for line in lines)
    return TableSet(size, counts, groups, bool(wanted.holds_in(histograms).all()))


def disclosure_set(
    sequence: Generalizations,
    values: Codes,
    wanted: SetProperty,
    strategy: Strategy,
    function: int,
    *,
    limit: int = LIMIT,
) -> TableSet:
    """ds(g_i(t)): the tables of the permutation set for which the search arrives at the function, too; with
    function = n + 1 all tables of these frequencies for which it ends in nothing."""
    return _disclosure_set(Costs(sequence, np.bincount(values), wanted), values, strategy, function, limit)


def _disclosure_set(costs: Costs, values: Codes, strategy: Strategy, function: int, limit: int) -> TableSet:
    """The same, with what is known of its cost; where rows look alike it need not be counted to be judged."""
    sequence, wanted, cost = costs.sequence, costs.wanted, costs.of(strategy, function)
    if function == 1:  # where every search begins
        return permutation_set(sequence, values, wanted, 1)
    if not cost.fits(limit):
        if function <= len(sequence) and costs.alike[function - 1]:
            return replace(permutation_set(sequence, values, wanted, function), counted=False)
        raise BeyondReach(
            f"an exact answer takes up to {cost.in_words()}",
            where="disclosure set",
            rule=f"at most {limit:,} million steps and {MOST_MATRICES:,} matrices",
            remedy="allow more with a larger limit; or take fewer, coarser or nested functions",
        )
    plan = costs.plan(strategy, function)
    sweep = DisclosureSweep(plan, values, wanted, cost.matrices)
    size, lines = sweep.arrive()
    position = sweep.margins.position.tolist()
    counts = tuple(tuple(line[p] if p >= 0 else 0 for p in position) for line in lines)
    groups = plan.functions[function - 1]
    kind = sweep.records.kind
    rows = dict(zip(kind.tolist(), np.bincount(groups)[groups].tolist(), strict=True))
    holds = size > 0 and all(wanted.holds(counts[k], around) for k, around in rows.items())
    return TableSet(size, counts, kind, holds)
