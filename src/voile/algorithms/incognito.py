"""Incognito: the best of all full-domain generalizations that keep a promise (LeFevre et al. 2005).

A node of the lattice is a level for each quasi-identifying column, in all rows alike. Nodes are looked at as
Incognito does: first those with one column below *, then two, and so on, each time from the finest up.

* Roll-up: a node's counts are sums of those of a finer node, the one with the fewest counts that are at hand.
* Predictive tagging: what is above a node that passes passes, since groups only merge.
* Subset pruning: a subset of columns is the node with all others at *, which lies above every node with these
  columns on these levels. So what fails on a subset fails with more columns: all below a node that fails fails.

With suppression a node passes if the groups that fail are few rows, and the two rules need care. For k-anonymity
and distinct l-diversity they stay true: a union that contains a good group is good, so going up no row is newly
suppressed. For the others a good group may meet a bad one and fail. There is no tagging then, and pruning goes by
what is necessary: a group that keeps the promise has a number of different values, and that stays true.
"""

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from voile.core.algorithm import Algorithm, Progress, Rung
from voile.core.axis import Axis
from voile.core.bags import Bags
from voile.core.certainty_penalty import column_penalty, leaf_share, share_beyond_first
from voile.core.eligibility import refuse_ineligible
from voile.core.frequency_set import FrequencySet, Levels
from voile.core.full_domain import FullDomain
from voile.core.parameters import parameter
from voile.core.partition import SUPPRESSED, Partition
from voile.core.privacy_model import PrivacyModel
from voile.core.table import Table
from voile.core.tau_l_line import least_tau, line_of
from voile.errors import Infeasible, ParameterError, counted
from voile.models.distinct_l_diversity import DistinctLDiversity
from voile.models.entropy_l_diversity import EntropyLDiversity
from voile.models.frequency_l_diversity import FrequencyLDiversity
from voile.models.k_anonymity import KAnonymity
from voile.models.recursive_cl_diversity import RecursiveCLDiversity
from voile.models.t_closeness import TCloseness
from voile.models.tau_l_diversity import TauLDiversity

Mask = NDArray[np.bool_]
NONE = "none"
MODELS: dict[str, type[PrivacyModel]] = {
    "frequency": FrequencyLDiversity,
    "distinct": DistinctLDiversity,
    "recursive": RecursiveCLDiversity,
    "entropy": EntropyLDiversity,
    "tau_l": TauLDiversity,
    "t_closeness": TCloseness,
    "k_anonymity": KAnonymity,
}
GOOD_WITH_A_GOOD_PART = ("distinct", "k_anonymity")  # a union of groups is, if one of them is
PENALTIES = {"gcp_leaves": leaf_share, "gcp_minus1": share_beyond_first}
MOST_NODES = 100_000  # of a lattice: each may have to be counted, at about a millisecond for 10,000 groups
MOST_ENTRIES = 2**23  # counts that are kept to roll up from
UNKNOWN, FAILS, PASSES = 0, 1, 2


@dataclass(frozen=True, kw_only=True)
class Incognito(Algorithm):
    """Each column on one level of its hierarchy in all rows: of the combinations that keep the promise, the best.

    Guarantee: the model that `property` names. No combination of levels that keeps it loses less.
    Not protected against: someone who knows the algorithm (docs/known-limits.md).

    >>> Incognito(l=3).promised()
    ('frequency_l_diversity', {'l': 3})
    >>> Incognito(property="recursive", l=3, c=Fraction(2)).promised()
    ('recursive_cl_diversity', {'l': 3, 'c': Fraction(2, 1)})
    """

    key = "incognito"
    title = "Incognito"
    paper = "LeFevre, DeWitt, Ramakrishnan 2005"
    promise = "frequency_l_diversity"
    rung = Rung.RELEASE
    deterministic = True
    mergeable = False
    cost = "nodes of the lattice times distinct rows at worst; 720 nodes of Adult in less than a second"
    meaning = "every column on one level of its hierarchy in all rows: the best combination that keeps the promise"

    l: int | str = parameter(  # noqa: E741 the literature's name
        "1/l is the largest share of a value, or what the property says; not for k_anonymity and t_closeness",
        default=NONE,
        minimum=2,
        choices=(NONE,),
    )
    property: str = parameter("what every group must keep", default="frequency", choices=tuple(MODELS))
    k: int | str = parameter("rows of a group at least, if k_anonymity", default=NONE, minimum=2, choices=(NONE,))
    c: Fraction | str = parameter(
        "how far ahead the most frequent value stays below, if recursive", default=NONE, places=0, choices=(NONE,)
    )
    tau: Fraction | str = parameter("largest share of a value, if tau_l", default=NONE, places=0, choices=(NONE,))
    t: Fraction | str = parameter(
        "largest distance from the table's distribution, if t_closeness", default=NONE, places=0, choices=(NONE,)
    )
    suppress: int | Fraction = parameter(
        "share of rows that may be suppressed, 0 to 1: groups that fail, if they are few",
        default=0,
        minimum=0,
        places=0,
    )
    by: str = parameter(
        "which combination is best: least gcp_leaves or gcp_minus1 (with the weights of the columns), dm, aecs, or "
        "height (steps up)",
        default="gcp_leaves",
        choices=(*PENALTIES, "dm", "aecs", "height"),
    )

    def __post_init__(self) -> None:
        self._check_parameters()
        if self.property == "tau_l":
            line_of(self.tau, int(self.l))
        if not 0 <= self.suppress <= 1:
            raise ParameterError("more than all rows", where="parameter suppress", rule="a share from 0 to 1")
        if self.suppress and self.property == "t_closeness":
            raise ParameterError(
                "suppression with t-closeness",
                where="parameter suppress",
                rule="what is suppressed changes the distribution that groups are compared with",
                remedy="leave suppress out",
            )

    def _check_parameters(self) -> None:
        """Refuse what the property lacks, and what it would ignore."""
        used = {card.name for card in MODELS[self.property].parameters()}
        for name in ("l", "k", "c", "tau", "t"):
            given = getattr(self, name) != NONE
            if given and name not in used:
                raise ParameterError(
                    f"property={self.property} has no {name}", where=f"parameter {name}", remedy="leave it out"
                )
            if name in used and not given:
                raise ParameterError(
                    f"property={self.property} needs {name}",
                    where=f"parameter {name}",
                    rule=f"needs {', '.join(sorted(used - {'distance'}))}",
                    remedy=f"add {name}=... (command line: -p {name}=...)",
                )

    def model(self, **others: object) -> PrivacyModel:
        """What every group must keep; with another bound, if given."""
        model = MODELS[self.property]
        return model.configure({**self.promised()[1], **others})

    def promised(self) -> tuple[str, Mapping[str, object]]:
        """The model of the property, with its parameters."""
        model = MODELS[self.property]
        own = (card.name for card in model.parameters() if card.name != "distance")
        return model.key, {name: getattr(self, name) for name in sorted(own, reverse=True)}

    def necessary(self) -> PrivacyModel:
        """A promise that every good group keeps, and every union of groups with a good one among them."""
        if self.property in GOOD_WITH_A_GOOD_PART:
            return self.model()
        values = 1 if self.property == "t_closeness" else int(self.l)
        return DistinctLDiversity(l=line_of(self.tau, values).need if self.property == "tau_l" else values)

    def search(self, table: Table, progress: Progress = lambda share: None) -> "Search":
        """Look at the lattice of a table."""
        domain = FullDomain(table)
        _refuse_large(math.prod(highest + 1 for highest in domain.highest))
        found = Search(self, FrequencySet.of_rows(domain), int(self.suppress * table.n))
        found.run(progress)
        return found

    def partition(self, table: Table, progress: Progress = lambda share: None) -> Partition:
        """The groups of the best node that passes, published on its levels."""
        column = table.single_sensitive(self.key)
        if not table.n:
            refuse_ineligible(np.zeros(0, np.int64), self._ell(), column.name, suppressing=None)
        search = self.search(table, progress)
        best = search.best()
        if best is None:
            self._refuse(table.bags(np.zeros(table.n, np.int64)), column.name)
        return published(best, ~self.model().broken(best.bags))

    def _ell(self) -> int:
        return int(self.k if self.property == "k_anonymity" else self.l if self.l != NONE else 2)

    def _refuse(self, whole: Bags, column: str) -> NoReturn:
        """No node passes: say what would."""
        counts, ell = whole.columns[0].counts, self._ell()
        if self.property == "frequency" and not self.suppress:
            refuse_ineligible(counts, ell, column, suppressing=None)
        name = "k" if self.property == "k_anonymity" else "l"
        fits = (n for n in range(ell - 1, 1, -1) if self.model(**{name: n}).check(whole).ok)
        largest = next(fits, 1)
        remedy = f"{name} = {largest} is the largest that works" if largest > 1 else "use another property"
        if self.property == "tau_l" and least_tau(counts, ell) < 1:
            reached = math.ceil(least_tau(counts, ell) * 10**4) / 10**4
            remedy = f"tau = {reached} is the least that works with l = {ell}"
        few = f", and no combination of levels with at most {float(100 * self.suppress):.4g} % suppressed does"
        top = 100 * int(counts.max()) / int(counts.sum())
        raise Infeasible(
            f"all rows in one group do not keep {self.model().title}{few if self.suppress else ''}: "
            f"{counted(int(counts.sum()), 'row')}, {counted(counts.size, 'value')}, the most frequent {top:.4g} %",
            where=f"column {column}",
            largest_l=largest,
            rows_to_suppress=int(counts.sum()),
            rule=", ".join(f"{n}={v}" for n, v in self.promised()[1].items()),
            remedy=remedy + ("; or a larger share in suppress" if self.suppress else ""),
        )


class Search:
    """What is known of each node of a lattice, as an array over the levels of all columns."""

    def __init__(self, wanted: Incognito, finest: FrequencySet, most: int) -> None:
        self.wanted, self.most = wanted, most
        self.highest = finest.domain.highest
        self.known = np.full([highest + 1 for highest in self.highest], UNKNOWN, np.int8)
        self.counted: list[Levels] = []  # nodes that were looked at, in turn
        self._kept = [finest]
        self._entries = finest.entries
        # whether groups that pass together pass in any union with others, rows given up included
        self._closed = most == 0 or wanted.property in GOOD_WITH_A_GOOD_PART

    def run(self, progress: Progress) -> None:
        """Tag every node."""
        nodes = itertools.product(*(range(highest + 1) for highest in self.highest))
        below = {levels: sum(a < b for a, b in zip(levels, self.highest, strict=True)) for levels in nodes}
        order = sorted(below, key=lambda levels: (below[levels], sum(levels), levels))
        for done, levels in enumerate(order):
            if self.known[levels] == UNKNOWN:
                self._judge(levels)
                progress(done / len(order))

    def _judge(self, levels: Levels) -> None:
        """Look at a node, and tag what follows from it."""
        bags = self.frequency_set(levels).bags
        self.counted.append(levels)
        below = tuple(slice(0, level + 1) for level in levels)
        above = tuple(slice(level, None) for level in levels)
        if not self._closed and self._given_up(self.wanted.necessary(), bags) > self.most:
            self.known[below] = FAILS
            return
        passes = self._given_up(self.wanted.model(), bags) <= self.most
        if self._closed:
            self.known[above if passes else below] = PASSES if passes else FAILS
        else:
            self.known[levels] = PASSES if passes else FAILS

    def _given_up(self, model: PrivacyModel, bags: Bags) -> int:
        """Rows of groups that break a promise; all but none where no group would be left."""
        broken = model.broken(bags)
        return self.most + 1 if broken.all() else int(bags.sizes[broken].sum())

    def frequency_set(self, levels: Levels) -> FrequencySet:
        """That of a node, rolled up from the smallest one at hand that is finer."""
        finer = [one for one in self._kept if all(a <= b for a, b in zip(one.levels, levels, strict=True))]
        smallest = min(finer, key=lambda one: one.entries)
        if smallest.levels == levels:
            return smallest
        found = smallest.rolled_up(levels)
        if self._entries + found.entries <= MOST_ENTRIES:
            self._kept.append(found)
            self._entries += found.entries
        return found

    def best(self) -> FrequencySet | None:
        """The node that passes with the least loss; of equal ones that with fewer steps up, then with the steps in
        earlier columns. None if no node passes."""
        passing = self.known == PASSES
        if self.most == 0:  # every loss grows with each step up: only nodes with none below them that passes
            passing = _minimal(passing)
        nodes = [tuple(levels) for levels in np.argwhere(passing).tolist()]
        if not nodes:
            return None
        upwards = {levels: (sum(levels), tuple(-level for level in levels)) for levels in nodes}
        return self.frequency_set(min(nodes, key=lambda levels: (self.loss(levels), *upwards[levels])))

    def loss(self, levels: Levels) -> Fraction:
        """What a node loses, by the measure that was chosen, exactly."""
        by = self.wanted.by
        if by == "height":
            return Fraction(sum(levels))
        found = self.frequency_set(levels)
        sizes = found.bags.sizes
        kept = ~self.wanted.model().broken(found.bags) if self.most else np.ones(sizes.size, bool)
        published, rows = int(sizes[kept].sum()), int(sizes.sum())
        if by == "dm":
            return Fraction(int((sizes[kept] ** 2).sum()) + (rows - published) * rows)
        if by == "aecs":
            return Fraction(published, int(kept.sum()))
        columns, (low, high) = found.domain.table.quasi, found.ends()
        total = (rows - published) * sum((column.weight for column in columns), Fraction(0))
        for j, column in enumerate(columns):
            ends = low[kept, j], high[kept, j]
            ends = column.domain.snap(*ends) if isinstance(column.domain, Axis) else ends
            total += column.weight * column_penalty(column.domain, ends, sizes[kept], PENALTIES[by])
        return total


def _minimal(passing: Mask) -> Mask:
    """Nodes that pass and have no node one step below that passes."""
    lower = np.zeros_like(passing)
    for axis in range(passing.ndim):
        ahead, behind = [slice(None)] * passing.ndim, [slice(None)] * passing.ndim
        ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
        lower[tuple(ahead)] |= passing[tuple(behind)]
    return passing & ~lower


def published(node: FrequencySet, good: Mask) -> Partition:
    """The partition of a node, groups that are not good suppressed; boxes are the nodes of its levels."""
    number = np.where(good, np.cumsum(good) - 1, SUPPRESSED)
    low, high = node.ends()
    return Partition(number[node.domain.groups(node.levels)], low=low[good], high=high[good])


def _refuse_large(nodes: int) -> None:
    if nodes > MOST_NODES:
        raise ParameterError(
            f"{nodes} combinations of levels",
            where="incognito",
            rule=f"a lattice has at most {MOST_NODES}, since each may have to be counted",
            remedy="declare fewer quasi-identifying columns, use hierarchies with fewer levels, or use mondrian",
        )
