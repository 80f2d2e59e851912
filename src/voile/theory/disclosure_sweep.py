"""The exact engine: which tables of a permutation set arrive at a function (docs/facts/k_jump.md, section 4).

Tables are counted as contingency matrices over the cells of a plan (search_plan.py), in one sweep over the
functions: each matrix points to the function at which its tables are. At a function whose disclosure sets are
needed, matrices that look alike under it are one class, and the class is judged once. All numbers are exact
(residues.py).
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import factorial, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voile.core.order import dense_rank
from voile.errors import BeyondReach
from voile.kernels.contingency import list_matrices
from voile.kernels.disclosure_classes import (
    Cells,
    Primes,
    Tests,
    class_keys,
    in_class,
    judge_by_ratio,
    sum_classes,
)
from voile.theory.cell_records import records_of
from voile.theory.residues import Residues
from voile.theory.search_plan import SearchPlan
from voile.theory.set_properties import Distinct, HighestRatio, SetProperty

Codes = NDArray[np.int64]
Flags = NDArray[np.bool_]
_CHUNK = 1 << 18  # matrices looked at together where arrays are made of them
_NUMBERS = 1 << 22  # residues of sums that are kept together
_THREADS = 2
_DENSE = 1 << 24  # places that are marked in an array
_DONE = 0  # points to no function: disclosed, or jumped over the target


@dataclass(frozen=True, repr=False, eq=False)
class Margins:
    """How often each value occurs in each component. Values are in an order in which interchangeable ones are
    neighbours; `position` is that of each code, -1 for one that does not occur."""

    counts: Codes
    position: Codes
    alike: Flags

    @classmethod
    def of(cls, component: Codes, values: Codes) -> "Margins":
        """Of a table.

        >>> Margins.of(np.array([0, 0, 1]), np.array([0, 3, 1])).counts.tolist()
        [[0, 1, 1], [1, 0, 0]]
        """
        counts = np.zeros((int(component.max()) + 1, int(values.max()) + 1), np.int64)
        np.add.at(counts, (component, values), 1)
        order = np.lexsort((*counts[::-1], counts.sum(axis=0)))  # the most frequent last: costs.py counts on it
        order = order[counts[:, order].any(axis=0)]
        position = np.full(counts.shape[1], -1, np.int64)
        position[order] = np.arange(order.size)
        counts = np.ascontiguousarray(counts[:, order])
        return cls(counts, position, np.append(False, (counts[:, 1:] == counts[:, :-1]).all(axis=0)))

    @property
    def tables(self) -> int:
        """How many tables have them."""
        return prod(factorial(sum(line)) // prod(map(factorial, line)) for line in self.counts.tolist())


class DisclosureSweep:
    """The universe of one table for one target, as contingency matrices."""

    def __init__(self, plan: SearchPlan, values: Codes, wanted: SetProperty, most: int) -> None:
        self.plan, self.wanted = plan, wanted
        self.margins = Margins.of(plan.component[plan.cell], values)
        self.own = np.zeros((plan.sizes.size, self.margins.alike.size), np.int64)  # the table's own matrix
        np.add.at(self.own, (plan.cell, self.margins.position[values]), 1)
        self.system = Residues.for_numbers_up_to(self._largest())
        bounds = np.minimum(plan.sizes[:, None], self.margins.counts[plan.component])
        self.matrices, lines = self._listed(bounds, most)
        self.records = records_of(plan, lines, bounds, wanted, self.system)
        self.at = np.ones(len(self.matrices), np.int16)  # the function at which the tables of a matrix are
        self.failed = np.zeros(len(self.matrices), np.int64)  # the fine functions they must have failed

    def _largest(self) -> int:
        """A bound on every number whose sign is asked for: tables, times equal columns, times a side of delta."""
        sides = self.wanted.delta.as_integer_ratio() if isinstance(self.wanted, HighestRatio) else (1,)
        return self.margins.tables * self.margins.alike.size * max(sides)

    def _listed(self, bounds: Codes, most: int) -> tuple[NDArray[np.int32], list[Codes]]:
        """All matrices: which of its histograms each cell has; and these."""
        stride, cells = _strides(bounds), self.plan.sizes.size
        given = (self.plan.sizes, self.plan.component, self.margins.counts, self.margins.alike, stride)
        number = list_matrices(*given, np.empty((0, cells), np.int64), most)
        if number > most:
            raise BeyondReach("too many contingency matrices", where="k-jump", rule=f"at most {most}")
        if number == 1:  # however many values: nothing is numbered
            return np.zeros((1, cells), np.int32), list(
                _columns_in_order(self.own, self.margins.alike)[0][:, None]
            )
        places = np.empty((number, cells), np.int64)
        list_matrices(*given, places, most)
        matrices, lines = np.empty(places.shape, np.int32), []
        for c in range(cells):
            used, matrices[:, c] = _used(places[:, c])
            lines.append(_histograms_at(used, stride[c], bounds[c], int(self.plan.sizes[c])))
        return matrices, lines

    @cached_property
    def _primes(self) -> Primes:
        system = self.system
        return Primes(system.primes, system.inverse, system.half, *system.factorials(self.margins.alike.size))

    @cached_property
    def _cells(self) -> Cells:
        records = self.records
        return Cells(
            records.first, records.lines, records.kinds, records.record, records.start, self.margins.alike
        )

    @cached_property
    def _tests(self) -> Tests:
        """The tests of each set of fine functions in the plan."""
        begin, subset, minus = [0], [], []
        for bits in self.plan.visited:
            parts = [part for part in self.records.subsets if part & ~bits == 0]
            subset += [self.records.subsets.index(part) for part in parts]
            minus += [part.bit_count() % 2 == 1 for part in parts]
            begin.append(len(subset))
        return Tests(np.array(begin), np.array(subset), np.array(minus))

    def arrive(self) -> tuple[int, list[list[int]]]:
        """Sweep; then how many tables of the table's own class arrive at the target, and for each kind of person
        in how many of them each value occurs (in the order of the margins)."""
        for j in range(1, self.plan.target):
            self._move(j)
        return self._arrived()

    def _move(self, j: int) -> None:
        """Let the tables at one function be disclosed, or go on."""
        plan, here = self.plan, np.flatnonzero(self.at == j)
        if here.size == 0 or (j not in plan.needed and j not in plan.tested):
            self.at[here] = j + 1  # a coarser function that is tested stands for this one
            return
        passes = self._passes(j, here)
        judged = here[passes]
        failing = here[~passes]
        self.failed[failing] &= ~plan.refiners(j)
        self.at[failing] = j + 1
        if j in plan.needed:
            judged = here if plan.strategy.kind == "safe" else judged
            held = self._judged(j, judged)
            self.at[judged] = np.where(held, _DONE, plan.strategy.after(j))
        elif plan.bit(j):
            self.failed[judged] = self.failed[judged] & ~plan.refiners(j) | plan.bit(j)
            self.at[judged] = j + 1
        else:
            self.at[judged] = _DONE

    def _passes(self, j: int, here: Codes) -> Flags:
        """Whether the groups of a function that are unions of cells all have the property on their face."""
        records, found = self.records, np.ones(here.size, bool)
        ends = np.append(records.first[1:], len(records.lines))
        for cells in self.plan.unions(j):
            if cells.size == 1:
                c = int(cells[0])
                holds = self.wanted.holds_in(records.lines[records.first[c] : ends[c]])
                found &= holds[self.matrices[here, c]]
                continue
            for a in range(0, here.size, _CHUNK):
                some = here[a : a + _CHUNK]
                group = sum(records.lines[records.first[c] + self.matrices[some, c]] for c in cells.tolist())
                found[a : a + _CHUNK] &= self.wanted.holds_in(np.asarray(group))
        return found

    def _group_of_cells(self, j: int) -> Codes:
        group = np.zeros(self.plan.sizes.size, np.int64)
        group[self.plan.cell] = self.plan.functions[j - 1]
        return dense_rank([group])

    def _classes(self, j: int, some: Codes, seed: int) -> tuple[Codes, Codes]:
        """The matrices class by class, and where each class begins."""
        group = self._group_of_cells(j)
        if group.max() + 1 == group.size:
            return some, np.arange(some.size + 1)
        keys = np.empty(some.size, np.uint64)
        class_keys(self.matrices[some], self._cells, group, int(group.max()) + 1, np.uint64(seed), keys)
        order = np.argsort(keys, kind="stable")
        starts = np.flatnonzero(np.append(True, keys[order][1:] != keys[order][:-1]))
        return some[order], np.append(starts, some.size)

    def _judged(self, j: int, some: Codes) -> Flags:
        """Whether the disclosure set of each matrix under a needed function has the property."""
        for seed in range(1, 100):  # a seed under which two classes have one key is not used
            members, starts = self._classes(j, some, 2 * seed + 1)
            held = np.zeros(starts.size - 1, bool)
            if some.size == 0 or self._in_threads(j, members, starts, held):
                verdict = np.zeros(len(self.matrices), bool)
                verdict[members] = np.repeat(held, np.diff(starts))
                return verdict[some]
        raise AssertionError("no seed tells the classes apart")

    def _in_threads(self, j: int, members: Codes, starts: Codes, held: Flags) -> bool:
        judge = self._by_ratio(j, members) if isinstance(self.wanted, HighestRatio) else self._by_sums(j, members)
        cuts = np.searchsorted(starts, np.linspace(0, members.size, _THREADS + 1).astype(np.int64))
        with ThreadPoolExecutor(_THREADS) as threads:
            parts = [(int(a), int(b)) for a, b in pairwise(cuts) if b > a]
            return all(threads.map(lambda ab: judge(starts[ab[0] : ab[1] + 1], held[ab[0] : ab[1]]), parts))

    def _given(self, j: int, members: Codes) -> tuple[Any, ...]:
        group = self._group_of_cells(j)
        visited = np.searchsorted(np.array(self.plan.visited), self.failed)
        return (
            members,
            self.matrices,
            visited,
            self._tests,
            self._cells,
            self._primes,
            group,
            int(group.max()) + 1,
        )

    def _by_ratio(self, j: int, members: Codes) -> Callable[[Codes, Flags], bool]:
        given = self._given(j, members)
        delta = self.wanted.delta  # type: ignore[attr-defined]
        top, bottom = (self.system.of(side) for side in delta.as_integer_ratio())
        return lambda starts, held: judge_by_ratio(starts, *given, top, bottom, held) == 0

    def _by_sums(self, j: int, members: Codes) -> Callable[[Codes, Flags], bool]:
        """Any other property: by the sums of each class."""
        given, rows = self._given(j, members), self._rows_around(j)
        lines = 1 + int(self.records.kinds[-1]) * self.margins.alike.size
        together = max(1, _NUMBERS // (lines * self.system.length))

        def judge(starts: Codes, held: Flags) -> bool:
            for a in range(0, held.size, together):
                some = starts[a : a + together + 1]
                sums, width = self._room(some.size - 1)
                if sum_classes(some, *given, sums, width) < 0:
                    return False
                held[a : a + some.size - 1] = self._holds(sums, width, rows)
            return True

        return judge

    def _holds(self, sums: NDArray[np.uint64], width: Codes, rows: list[int]) -> Flags:
        """Whether the property holds in each class: how many values occur tells by which sums are 0; other
        properties are asked with whole numbers."""
        if isinstance(self.wanted, Distinct):
            occurs = sums[:, 1:].any(axis=2).reshape(len(sums), -1, width.shape[1])
            fewest = (occurs * width[:, None, :]).sum(axis=2).min(axis=1)
            found: Flags = (fewest >= self.wanted.l) & sums[:, 0].any(axis=1)
            return found
        classes = (self._whole(*each) for each in zip(sums, width, strict=True))
        return np.array([size > 0 and all(map(self.wanted.holds, lines, rows)) for size, lines in classes], bool)

    def _room(self, classes: int) -> tuple[NDArray[np.uint64], Codes]:
        kinds, values = int(self.records.kinds[-1]), self.margins.alike.size
        sums = np.zeros((classes, 1 + kinds * values, self.system.length), np.uint64)
        return sums, np.zeros((classes, values), np.int64)

    def _rows_around(self, j: int) -> list[int]:
        """For each kind of person, the rows of the group under a function."""
        groups = self.plan.functions[j - 1]
        rows = np.zeros(int(self.records.kinds[-1]), np.int64)
        rows[self.records.kind] = np.bincount(groups)[groups]
        return rows.tolist()

    def _whole(self, sums: NDArray[np.uint64], width: Codes) -> tuple[int, list[list[int]]]:
        """Sums as whole numbers: of each kind of person a line of values, shared columns evenly divided."""
        numbers = self.system.whole(sums)
        first = np.maximum.accumulate(np.where(width > 0, np.arange(width.size), 0)).tolist()
        share = width[first].tolist()
        lines = [numbers[1 + a : 1 + a + width.size] for a in range(0, len(numbers) - 1, width.size)]
        return numbers[0], [[line[f] // s for f, s in zip(first, share, strict=True)] for line in lines]

    def _arrived(self) -> tuple[int, list[list[int]]]:
        """The tables of the table's own class that point to the target."""
        j = self.plan.target
        group = self._group_of_cells(j)
        mine = np.zeros((int(group.max()) + 1, self.margins.alike.size), np.int64)
        np.add.at(mine, group, self.own)
        some = np.flatnonzero(self.at == j)
        sorted_mine, order = _columns_in_order(mine, self.margins.alike)
        like = np.zeros(some.size, bool)
        in_class(some, self.matrices, self._cells, group, sorted_mine, like)
        some = some[like]
        if some.size == 0:
            return 0, [[0] * self.margins.alike.size for _ in range(int(self.records.kinds[-1]))]
        sums, width = self._room(_THREADS)
        starts, given = np.linspace(0, some.size, _THREADS + 1).astype(np.int64), self._given(j, some)

        def add_up(part: int) -> None:
            one = slice(part, part + 1)
            sum_classes(starts[part : part + 2], *given, sums[one], width[one])

        with ThreadPoolExecutor(_THREADS) as threads:  # one class, in parts
            list(threads.map(add_up, range(_THREADS)))
        size, persons = self._whole(sums.sum(axis=0) % self.system.primes, width[-1])
        orbit = _orbit(sorted_mine, self.margins.alike)
        back = np.argsort(order).tolist()
        return size // orbit, [[line[p] // orbit for p in back] for line in persons]


def _strides(bounds: Codes) -> Codes:
    """Mixed radix over all values but the last, of each cell."""
    radix = bounds + 1
    radix[:, -1] = 1
    return np.append(np.cumprod(radix[:, ::-1], axis=1)[:, ::-1][:, 1:], 0 * radix[:, :1], axis=1)


def _used(places: Codes) -> tuple[Codes, Codes]:
    """The places that occur, ascending, and the rank of each entry among them."""
    if places.max() > _DENSE:
        return np.unique(places, return_inverse=True)
    there = np.zeros(int(places.max()) + 1, bool)
    there[places] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[places]


def _histograms_at(places: Codes, stride: Codes, bound: Codes, size: int) -> Codes:
    """The histograms at some places."""
    lines = places[:, None] // np.maximum(stride, 1) % (bound + 1)
    lines[:, -1] = 0
    lines[:, -1] = size - lines.sum(axis=1)
    return lines


def _columns_in_order(matrix: Codes, alike: Flags) -> tuple[Codes, Codes]:
    """The matrix with interchangeable columns in descending order, and which column stands where."""
    kind = np.cumsum(~alike)
    order = np.array(
        sorted(range(alike.size), key=lambda v: (kind[v], [-x for x in matrix[:, v].tolist()])), np.int64
    )
    return matrix[:, order], order


def _orbit(matrix: Codes, alike: Flags) -> int:
    """In how many orders its interchangeable columns can stand."""
    kind = np.cumsum(~alike)
    number = 1
    for k in np.unique(kind):
        columns = matrix[:, kind == k]
        alike_columns = np.unique(columns, axis=1, return_counts=True)[1].tolist()
        number *= factorial(columns.shape[1]) // prod(map(factorial, alike_columns))
    return number
