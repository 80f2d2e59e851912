"""Bags: the sensitive values of each group as exact counts. All that a privacy model looks at."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voile.core.axis import Axis
from voile.core.base_values import BaseValues
from voile.core.hierarchy import Hierarchy
from voile.core.order import canonical_order, dense_rank, distinct_values, sorted_keys, value_counts
from voile.kernels.bags import count_runs, sum_of_largest
from voile.kernels.packing import append_bits

Domain = Axis | Hierarchy | None
MOST_CELLS = 4  # of a table of counts, for each row that is counted


@dataclass(frozen=True, repr=False, eq=False)
class Bag:
    """One sensitive column: group g holds codes[start[g]:start[g+1]], that many counts of each.

    Codes of a group ascend. The domain says what they mean: an order, a tree, or (None) nothing. A generalised
    value counts for each base value under it by a part of a person: counts are in parts of 1/unit, and `possible`
    says how many rows may have a value.

    >>> bag = Bag.of(np.array([0, 0, 0, 1]), np.array([5, 5, 2, 2]), 2)
    >>> bag.distinct().tolist(), bag.top().tolist(), bag.totals.tolist()
    ([2, 1], [2, 1], [3, 1])
    """

    start: NDArray[np.int64]
    codes: NDArray[np.int64]
    counts: NDArray[np.int64]
    domain: Domain = None
    unit: int = 1
    possible: NDArray[np.int64] | None = None  # None: as many as have it
    exact: bool = True  # else counts are rounded up
    table: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None  # values and counts of the whole release
    least: NDArray[np.int64] | None = None  # different values that a group surely has; None: all that it shows

    @classmethod
    def of(cls, group: NDArray[np.int64], codes: NDArray[np.int64], groups: int, domain: Domain = None) -> "Bag":
        """Count the codes of each group: in a table of groups and values if that is not much larger than the
        column, else by sorting."""
        present, index = distinct_values(codes)
        start = np.zeros(groups + 1, np.int64)
        if groups * present.size <= MOST_CELLS * codes.size:
            cells = np.bincount(group * np.int64(present.size) + index, minlength=groups * present.size)
            occupied = np.flatnonzero(cells)
            owner, values = np.divmod(occupied, max(1, present.size))
            counts = cells[occupied]
            np.cumsum(np.bincount(owner, minlength=groups), out=start[1:])
        else:
            keys, bits = group.astype(np.int64), present.size.bit_length()
            append_bits(keys, index, 0, bits)
            keys = sorted_keys(keys, groups.bit_length() + bits)
            values, counts = _pair(min(keys.size, 1) + int(np.count_nonzero(keys[1:] != keys[:-1])))
            count_runs(keys, bits, start, values, counts)
        return cls(start, present[values], counts, domain)

    def induced(self, values: BaseValues, unit: int | None = None) -> "Bag":
        """This bag of nodes as the base values that they induce (Tian and Zhang 2009, Definition 2), in so many
        parts of a person.

        >>> tree = Hierarchy.from_lines([["flu", "lung", "*"], ["asthma", "lung", "*"], ["gout", "gout", "*"]])
        >>> nodes = Bag.of(np.zeros(4, int), np.array([3, 3, 0, 2]), 1)
        >>> bag = nodes.induced(BaseValues(tree, np.ones(3, int)))
        >>> bag.codes.tolist(), bag.counts.tolist(), bag.unit, bag.possible.tolist(), bag.least.tolist()
        ([0, 1, 2], [12, 6, 6], 6, [3, 2, 1], [2])
        """
        unit, owner = unit or values.unit(int(self.counts.sum())), self.owner
        first, many = values.first[self.codes], values.after[self.codes] - values.first[self.codes]
        of = np.repeat(np.arange(self.codes.size), many)
        value = values.possible[first[of] + np.arange(of.size) - np.repeat(np.cumsum(many) - many, many)]
        part = -(-unit * values.weight[value] // values.total[self.codes[of]])
        keys = owner[of] * values.weight.size + value
        order = np.argsort(keys, kind="stable")
        keys, of = keys[order], of[order]
        begins = np.concatenate(([True], keys[1:] != keys[:-1]))[: keys.size]
        new = np.flatnonzero(begins)
        start = np.searchsorted(keys[new], np.arange(self.start.size) * values.weight.size)
        return Bag(
            start=start,
            codes=keys[new] % max(1, values.weight.size),
            counts=np.add.reduceat(part[order] * self.counts[of], new) if keys.size else keys,
            domain=values.tree,
            unit=unit,
            possible=np.add.reduceat(self.counts[of], new) if keys.size else keys,
            least=_surely_different(owner, start, many, of, np.cumsum(begins) - 1),
            exact=values.is_exact(unit),
        )

    def within_persons(self, persons: NDArray[np.int64]) -> "Bag":
        """No more than everybody has a value, however many cells of one person may be it."""
        return replace(self, counts=np.minimum(self.counts, (persons * self.unit)[self.owner]))

    def merged(self, group: NDArray[np.int64], groups: int) -> "Bag":
        """The bag of unions of groups; `group` says which union each group is in.

        >>> bag = Bag.of(np.array([0, 0, 1, 2]), np.array([5, 2, 2, 9]), 3).merged(np.array([1, 1, 0]), 2)
        >>> bag.start.tolist(), bag.codes.tolist(), bag.counts.tolist()
        ([0, 1, 3], [9, 2, 5], [1, 2, 1])
        """
        owner = group[self.owner]
        order = canonical_order([owner, self.codes])
        owner, codes = owner[order], self.codes[order]
        new = np.flatnonzero(np.append(True, (owner[1:] != owner[:-1]) | (codes[1:] != codes[:-1]))[: owner.size])
        return replace(
            self,
            start=np.searchsorted(owner[new], np.arange(groups + 1)),
            codes=codes[new],
            counts=np.add.reduceat(self.counts[order], new) if new.size else self.counts,
            possible=None if self.possible is None else np.add.reduceat(self.possible[order], new),
            least=None if self.least is None else _largest(self.least, group, groups),
        )

    def gathered(self, groups: NDArray[np.int64]) -> "Bag":
        """The bag of these groups, one after the other; a group may come again.

        >>> bag = Bag.of(np.array([0, 0, 1]), np.array([5, 2, 2]), 2).gathered(np.array([1, 0, 0]))
        >>> bag.codes.tolist(), bag.start.tolist()
        ([2, 2, 5, 2, 5], [0, 1, 3, 5])
        """
        many = self.distinct()[groups]
        start = np.concatenate(([0], np.cumsum(many)))
        place = np.repeat(self.start[groups] - start[:-1], many) + np.arange(int(start[-1]))
        possible = None if self.possible is None else self.possible[place]
        least = None if self.least is None else self.least[groups]
        codes, counts = self.codes[place], self.counts[place]
        return replace(self, start=start, codes=codes, counts=counts, possible=possible, least=least)

    def distinct(self) -> NDArray[np.int64]:
        """Number of different values per group."""
        return np.diff(self.start)

    def surely_distinct(self) -> NDArray[np.int64]:
        """Number of values per group that differ whatever its cells hide."""
        return self.distinct() if self.least is None else self.least

    def top(self) -> NDArray[np.int64]:
        """Count of the most frequent value per group."""
        return self._top

    @cached_property
    def _top(self) -> NDArray[np.int64]:
        return self.fold(np.maximum, self.counts)

    def most_alike(self) -> NDArray[np.int64]:
        """How many rows of each group may have one and the same value."""
        return self.top() if self.possible is None else self.fold(np.maximum, self.possible)

    @property
    def multiplies(self) -> bool:
        """Whether counts are exact, and the product of two sums of them fits 63 bits."""
        return self.unit == 1 or (self.exact and int(self.counts.sum()) < 2**31)

    def fold(self, combine: np.ufunc, values: NDArray[Any]) -> NDArray[Any]:
        """Combine one number per (group, value) into one per group."""
        return combine.reduceat(values, self.start[:-1]) if self.start.size > 1 else values[:0]

    @cached_property
    def totals(self) -> NDArray[np.int64]:
        """Sum of the counts per group."""
        return self.fold(np.add, self.counts)

    @cached_property
    def owner(self) -> NDArray[np.int64]:
        """The group of each (group, value)."""
        return np.repeat(np.arange(self.start.size - 1), self.distinct())

    @cached_property
    def present(self) -> NDArray[np.int64]:
        """The table's values, ascending: of all groups, also where these are but a part of them."""
        return distinct_values(self.codes)[0] if self.table is None else self.table[0]

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """Of each (group, value), which of the table's values it is, in ascending order."""
        return distinct_values(self.codes)[1] if self.table is None else np.searchsorted(self.present, self.codes)

    @cached_property
    def whole(self) -> NDArray[np.int64]:
        """Count of each of the table's values in all groups together."""
        if self.table is not None:
            return self.table[1]
        return np.bincount(self.ranks, weights=self.counts).astype(np.int64)  # exact below 2**53 rows

    def largest(self, most: int) -> NDArray[np.int64]:
        """Sum of the `most` largest counts per group; no group has more than all of its own."""
        most = min(most, int(self.distinct().max(initial=0)))
        sums: NDArray[np.int64] = sum_of_largest(self.start, self.counts, most)
        return sums


@dataclass(frozen=True, repr=False, eq=False)
class Crowds:
    """Sets of persons who cannot be told apart by their quasi-identifiers: `times[i]` sets of `sizes[i]` persons.

    >>> crowds = Crowds.of(np.array([1, 3, 1]))
    >>> crowds.sizes.tolist(), crowds.times.tolist(), crowds.number, crowds.persons, crowds.alone
    ([1, 3], [2, 1], 3, 5, 2)
    """

    sizes: NDArray[np.int64]
    times: NDArray[np.int64]

    @classmethod
    def of(cls, sizes: NDArray[np.int64]) -> "Crowds":
        """Sets of these sizes, equal ones together."""
        return cls(*value_counts(sizes))

    @property
    def number(self) -> int:
        """How many sets there are."""
        return int(self.times.sum())

    @property
    def persons(self) -> int:
        """How many persons are in them."""
        return int((self.sizes * self.times).sum())

    @property
    def alone(self) -> int:
        """How many persons are like nobody else."""
        return int(self.times[self.sizes == 1].sum())


@dataclass(frozen=True, repr=False, eq=False)
class Bags:
    """Group sizes in persons (a counterfeit passes for one), rows per group, and a Bag per sensitive column.

    Where quasi-identifiers are published as they are, apart from the values, a group hides nobody: `alike` has the
    sets of persons who are equal in them.
    """

    sizes: NDArray[np.int64]
    columns: tuple[Bag, ...]
    rows: NDArray[np.int64]
    counterfeits: NDArray[np.int64] | None = None  # of each group, where the release admits any
    alike: Crowds | None = None

    @classmethod
    def of(
        cls,
        group: NDArray[np.int64],
        sensitive: Sequence[NDArray[np.int64]],
        *,
        subject: NDArray[np.int64] | None = None,
        domains: Sequence[Domain] = (),
        counterfeits: NDArray[np.int64] | None = None,
        base_values: Sequence[BaseValues | None] = (),
    ) -> "Bags":
        """Bags of groups 0, 1, ...; rows of a negative group are not published and not counted.

        `subject` is the person of each row: ten rows of one person are one person, who has a value
        once however many of the rows repeat it. `counterfeits` says how many rows of each group are nobody's.
        Where a column has base values, its codes are nodes of their tree.

        >>> bags = Bags.of(np.array([0, 0, 0]), [np.array([1, 1, 2])], subject=np.array([7, 7, 7]))
        >>> bags.sizes.tolist(), bags.columns[0].counts.tolist()
        ([1], [1, 1])
        """
        published = group >= 0
        if not published.all():
            group, sensitive = group[published], [codes[published] for codes in sensitive]
            subject = None if subject is None else subject[published]
        rows = sizes = np.bincount(group)
        held = [(group, codes) for codes in sensitive]
        if subject is not None:
            sizes = np.bincount(group[_one_of_each([group, subject])], minlength=rows.size)
            once = [_one_of_each([group, subject, codes]) for codes in sensitive]
            held = [(group[mine], codes[mine]) for mine, codes in zip(once, sensitive, strict=True)]
        meanings = tuple(domains) or (None,) * len(sensitive)
        bags = [Bag.of(*pair, rows.size, domain) for pair, domain in zip(held, meanings, strict=True)]
        generalised = tuple(base_values) or (None,) * len(sensitive)
        bags = [bag if v is None else bag.induced(v) for bag, v in zip(bags, generalised, strict=True)]
        if subject is not None:
            bags = [bag.within_persons(sizes) for bag in bags]
        return cls(sizes, tuple(bags), rows, counterfeits)

    @property
    def persons(self) -> NDArray[np.int64]:
        """Who there really is in each group."""
        return self.sizes if self.counterfeits is None else self.sizes - self.counterfeits

    @property
    def crowds(self) -> Crowds:
        """Who cannot be told apart by quasi-identifiers: the persons of each group, unless these are published as
        they are."""
        return Crowds(self.persons, np.ones_like(self.persons)) if self.alike is None else self.alike

    def sizes_if_all_differ(self) -> list[NDArray[np.int64]]:
        """Per column the size of each group, 0 where a value occurs twice in it, or may."""
        return [np.where(bag.most_alike() == 1, self.sizes, 0) for bag in self.columns]


def _surely_different(
    owner: NDArray[np.int64],
    start: NDArray[np.int64],
    many: NDArray[np.int64],
    of: NDArray[np.int64],
    which: NDArray[np.int64],
) -> NDArray[np.int64]:
    """How many values each group has at least. Cell c of group owner[c] may be any of many[c] values; pair i says
    that cell of[i] may be the which[i]-th (group, value). A cell that is a single value counts; of all others
    together at least one does if it can be none of those."""
    sure = np.zeros(int(which.max(initial=-1)) + 1, bool)
    sure[which[many[of] == 1]] = True
    covered = np.zeros(many.size, bool)
    covered[of[sure[which]]] = True
    singles = np.concatenate(([0], np.cumsum(sure)))[start]
    others = np.bincount(owner[~covered], minlength=start.size - 1) > 0
    return np.diff(singles) + others


def _largest(values: NDArray[np.int64], group: NDArray[np.int64], groups: int) -> NDArray[np.int64]:
    """The largest number in each group."""
    found = np.zeros(groups, np.int64)
    np.maximum.at(found, group, values)
    return found


def _pair(size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.empty(size, np.int64), np.empty(size, np.int64)


def _one_of_each(columns: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """One row number for each different combination of values."""
    rank = dense_rank(columns)
    some = np.empty(int(rank.max(initial=-1)) + 1, np.int64)
    some[rank] = np.arange(rank.size)
    return some
