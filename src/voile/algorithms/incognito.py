"""Incognito: the best of all full-domain generalizations that keep a promise (LeFevre et al. 2005).

A node of the lattice is a level for each quasi-identifying column, in all rows alike. core/lattice_search.py looks
at nodes as Incognito does, with roll-up, predictive tagging and subset pruning; here it is said for which promises
these are true, and what is refused.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from voile.algorithms.chosen_promise import ChosenPromise
from voile.algorithms.nearest_promise import highest_number, holds_of, nearest, refuse, require_of
from voile.core.algorithm import Progress, Rung
from voile.core.bags import Bags
from voile.core.frequency_set import FrequencySet
from voile.core.full_domain import FullDomain
from voile.core.lattice_search import LOSSES, LatticeSearch
from voile.core.parameters import in_decimals, parameter
from voile.core.partition import SUPPRESSED, Partition
from voile.core.privacy_model import PrivacyModel
from voile.core.table import Table
from voile.core.tau_l_line import line_of
from voile.errors import ParameterError
from voile.models.distinct_l_diversity import DistinctLDiversity

Mask = NDArray[np.bool_]
GOOD_WITH_A_GOOD_PART = ("distinct", "k_anonymity")  # a union of groups is, if one of them is
MOST_TRIED = 2**28  # nodes times counts of all searches for what works instead: some ten seconds
MOST_NODES = 100_000  # of a lattice: each may have to be counted, in milliseconds


@dataclass(frozen=True, kw_only=True)
class Incognito(ChosenPromise):
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
    paper = "LeFevre et al. 2005"
    rung = Rung.RELEASE
    deterministic = True
    mergeable = False
    cost = "nodes of the lattice times distinct rows at worst: 720 of Adult in a second, 65,536 in minutes"
    meaning = "every column on one level of its hierarchy in all rows: the best combination that keeps the promise"

    suppress: Fraction = parameter(  # noqa: RUF009
        "share of rows that may be suppressed, 0 to 1: groups that fail, if they are few",
        default=Fraction(0),
        minimum=0,
        places=0,
    )
    by: str = parameter(
        "which combination is best: that with the least gcp_leaves or gcp_minus1 (both with the weights of the "
        "columns), dm, aecs, or height (steps up)",
        default="gcp_leaves",
        choices=LOSSES,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.suppress <= 1:
            raise ParameterError(
                "more than all rows",
                where="parameter suppress",
                rule="a share from 0 to 1",
                remedy="for example suppress=0.05",
            )
        if self.suppress and self.property == "t_closeness":
            raise ParameterError(
                "suppression with t-closeness",
                where="parameter suppress",
                rule="what is suppressed changes the distribution that groups are compared with",
                remedy="leave suppress out",
            )

    def necessary(self) -> PrivacyModel:
        """A promise that every good group keeps, and every union of groups with a good one among them."""
        if self.property in GOOD_WITH_A_GOOD_PART:
            return self.model()
        if self.property == "alpha_k":
            return DistinctLDiversity(l=math.ceil(1 / Fraction(self.alpha)))
        if self.property == "tau_l":
            return DistinctLDiversity(l=line_of(self.tau, self.number()).need)
        return DistinctLDiversity(l=1 if self.property == "t_closeness" else self.number())

    def search(self, table: Table, progress: Progress = lambda share: None) -> LatticeSearch:
        """Look at the lattice of a table."""
        domain = FullDomain(table)
        _refuse_large(math.prod(highest + 1 for highest in domain.highest))
        return self.search_from(FrequencySet.of_rows(domain), progress)

    def search_from(self, finest: FrequencySet, progress: Progress = lambda share: None) -> LatticeSearch:
        """The same, rows being counted already."""
        most = math.floor(self.suppress * finest.domain.table.n)
        found = LatticeSearch(finest, self.model(), self.necessary(), most)
        found.run(progress)
        return found

    def partition(self, table: Table, progress: Progress = lambda share: None) -> Partition:
        """The groups of the best node that passes, published on its levels."""
        column = table.single_sensitive(self.key)
        whole = table.bags(np.zeros(table.n, np.int64))
        if not table.n or not self.suppress:
            require_of(self, whole.columns[0], column.name)
        search = self.search(table, progress)
        best = search.best(self.by)
        if best is None:
            refuse_suppressing(self, search, whole, column.name)
        return published(best, search.good(best))


def refuse_suppressing(asked: Incognito, search: LatticeSearch, whole: Bags, column: str) -> NoReturn:
    """No node passes though rows may be suppressed: say what does with as many of them, or with more. Each try is
    a search; where these would take long, it is said what works if nothing is suppressed."""
    counts = whole.columns[0].counts
    tries = 1 + highest_number(asked, counts).bit_length()
    if search.known.size * search.finest.entries * tries <= MOST_TRIED:
        near = nearest(asked, counts, lambda other: other.search_from(search.finest).fewest is not None)
        near = replace(near, works=(*near.works, *_larger_share(asked, search.finest)))
    else:
        near = nearest(asked, counts, holds_of(whole), largest_known=False)
    share = f"{float(100 * asked.suppress):.4g} %"
    tried = f", and no combination of levels does with at most {share} suppressed"
    refuse(asked, counts, column, near, tried)


def _larger_share(asked: Incognito, finest: FrequencySet) -> list[str]:
    """The least share of suppressed rows with which a node passes, in words, if there is one."""
    fewest = replace(asked, suppress=Fraction(1)).search_from(finest).fewest
    if fewest is None:
        return []
    share = Fraction(math.ceil(Fraction(fewest * 10**4, finest.domain.table.n)), 10**4)
    return [f"suppress = {in_decimals(share)} works"]


def published(node: FrequencySet, good: Mask) -> Partition:
    """The partition of a node, groups that are not good suppressed; boxes are the nodes of its levels."""
    number = np.where(good, np.cumsum(good) - 1, SUPPRESSED)
    low, high = node.ends()
    return Partition(number[node.domain.groups(node.levels)], low=low[good], high=high[good])


def _refuse_large(nodes: int) -> None:
    if nodes > MOST_NODES:
        raise ParameterError(
            f"{nodes if nodes < 10**12 else f'more than 10^{len(str(nodes)) - 1}'} combinations of levels",
            where="incognito",
            rule=f"a lattice has at most {MOST_NODES}, since each may have to be counted",
            remedy="declare fewer quasi-identifying columns, use hierarchies with fewer levels, or use mondrian",
        )
