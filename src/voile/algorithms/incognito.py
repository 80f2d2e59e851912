"""Incognito: the best of all full-domain generalizations that keep a promise (LeFevre et al. 2005).

A node of the lattice is a level for each quasi-identifying column, in all rows alike. core/lattice_search.py looks
at nodes as Incognito does, with roll-up, predictive tagging and subset pruning; here it is said for which promises
these are true, and what is refused.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from voile.core.algorithm import Algorithm, Progress, Rung
from voile.core.bags import Bags
from voile.core.eligibility import refuse_ineligible
from voile.core.frequency_set import FrequencySet
from voile.core.full_domain import FullDomain
from voile.core.lattice_search import LOSSES, LatticeSearch
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
MOST_NODES = 100_000  # of a lattice: each may have to be counted, at about a millisecond for 10,000 groups


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
    c: Fraction | str = parameter(  # noqa: RUF009
        "how far ahead the most frequent value stays below, if recursive", default=NONE, places=0, choices=(NONE,)
    )
    tau: Fraction | str = parameter(  # noqa: RUF009
        "largest share of a value, if tau_l", default=NONE, places=0, choices=(NONE,)
    )
    t: Fraction | str = parameter(  # noqa: RUF009
        "largest distance from the table's distribution, if t_closeness", default=NONE, places=0, choices=(NONE,)
    )
    suppress: int | Fraction = parameter(  # noqa: RUF009
        "share of rows that may be suppressed, 0 to 1: groups that fail, if they are few",
        default=0,
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

    def search(self, table: Table, progress: Progress = lambda share: None) -> LatticeSearch:
        """Look at the lattice of a table."""
        domain = FullDomain(table)
        _refuse_large(math.prod(highest + 1 for highest in domain.highest))
        most = math.floor(self.suppress * table.n)
        found = LatticeSearch(FrequencySet.of_rows(domain), self.model(), self.necessary(), most)
        found.run(progress)
        return found

    def partition(self, table: Table, progress: Progress = lambda share: None) -> Partition:
        """The groups of the best node that passes, published on its levels."""
        column = table.single_sensitive(self.key)
        if not table.n:
            refuse_ineligible(np.zeros(0, np.int64), self._ell(), column.name, suppressing=None)
        search = self.search(table, progress)
        best = search.best(self.by)
        if best is None:
            self._refuse(table.bags(np.zeros(table.n, np.int64)), column.name)
        return published(best, search.good(best))

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
