"""What algorithms share that can keep any promise which unions of groups keep: which one is a parameter."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

import numpy as np

from voile.core.algorithm import Algorithm
from voile.core.bags import Bag, Bags
from voile.core.eligibility import refuse_ineligible
from voile.core.parameters import in_decimals, parameter
from voile.core.privacy_model import PrivacyModel
from voile.core.tau_l_line import least_tau, line_of, usable_tau
from voile.errors import Infeasible, ParameterError, counted
from voile.models.distinct_l_diversity import DistinctLDiversity
from voile.models.entropy_l_diversity import EntropyLDiversity
from voile.models.frequency_l_diversity import FrequencyLDiversity
from voile.models.k_anonymity import KAnonymity
from voile.models.recursive_cl_diversity import RecursiveCLDiversity
from voile.models.t_closeness import TCloseness
from voile.models.tau_l_diversity import TauLDiversity

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
SHARES = ("tau", "t")
LARGEST = 2**31  # of numerators and denominators: their products with counts must fit 63 bits


@dataclass(frozen=True, kw_only=True)
class ChosenPromise(Algorithm):
    """An algorithm whose parameter `property` says which model every group keeps."""

    promise = "frequency_l_diversity"

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

    def __post_init__(self) -> None:
        """Refuse what the property lacks, and what it would ignore."""
        used = {card.name for card in MODELS[self.property].parameters()} - {"distance"}
        for name in ("l", "k", "c", "tau", "t"):
            value = getattr(self, name)
            if value != NONE and name not in used:
                raise ParameterError(
                    f"property={self.property} has no {name}", where=f"parameter {name}", remedy="leave it out"
                )
            if value == NONE and name in used:
                raise ParameterError(
                    f"property={self.property} needs {name}",
                    where=f"parameter {name}",
                    rule=f"needs {', '.join(sorted(used))}",
                    remedy=f"add {name}=... (command line: -p {name}=...)",
                )
            if value != NONE and name in SHARES and Fraction(value) >= 1:
                raise ParameterError(
                    "promises nothing",
                    where=f"parameter {name}",
                    rule=f"above 0 and below 1: every group keeps {name} = 1",
                    remedy=f"5 % is {name}=0.05",
                )
            if value != NONE and max(Fraction(value).as_integer_ratio()) >= LARGEST:
                raise ParameterError(
                    "too large a number, or too many digits",
                    where=f"parameter {name}",
                    rule="numerator and denominator stay below 2**31",
                    remedy="write fewer digits",
                )
        if self.property == "tau_l":
            line_of(self.tau, int(self.l))

    def model(self, **others: object) -> PrivacyModel:
        """What every group must keep; with other parameters, if given."""
        return MODELS[self.property].configure({**self.promised()[1], **others})

    def promised(self) -> tuple[str, Mapping[str, object]]:
        """The model of the property, with its parameters."""
        model = MODELS[self.property]
        own = (card.name for card in model.parameters() if card.name != "distance")
        return model.key, {name: getattr(self, name) for name in sorted(own, reverse=True)}

    def number(self) -> int:
        """Values or rows that are asked for, if the property counts any."""
        return int(self.k if self.property == "k_anonymity" else 2 if self.l == NONE else self.l)

    def require_of(self, table: Bag, column: str) -> None:
        """Refuse a table whose values, all in one group, break the promise."""
        sizes = np.array([table.counts.sum()])
        whole = Bags(sizes, (table,), sizes)
        if not table.counts.size or not self.model().check(whole).ok:
            self.refuse(whole, column)

    def refuse(self, whole: Bags, column: str, *, but: str = "", also: str = "") -> NoReturn:
        """All rows in one group do not keep the promise, so no grouping does: say what would. `but` and `also` say
        what else was tried, and what else may help."""
        counts = whole.columns[0].counts
        if self.property == "frequency" and not but:
            refuse_ineligible(counts, self.number(), column, suppressing=None)
        name = "k" if self.property == "k_anonymity" else "l"
        fits = (
            n for n in range(self.number() - 1, 1, -1) if counts.size and self.model(**{name: n}).check(whole).ok
        )
        largest = next(fits, 1)
        remedy = f"{name} = {largest} is the largest that works" if largest > 1 else "use another property"
        if self.property == "tau_l" and counts.size:
            reached = usable_tau(least_tau(counts, self.number()), self.number())
            if reached is not None:
                remedy = f"tau = {in_decimals(reached)} is the least that works with l = {self.number()}"
        top = 100 * int(counts.max(initial=0)) / max(1, int(counts.sum()))
        raise Infeasible(
            f"all rows in one group do not keep {self.model().title}{but}: "
            f"{counted(int(counts.sum()), 'row')}, {counted(counts.size, 'value')}, the most frequent {top:.4g} %",
            where=f"column {column}",
            largest_l=largest,
            rows_to_suppress=int(counts.sum()),
            rule=", ".join(f"{n}={v}" for n, v in self.promised()[1].items()),
            remedy=remedy + also,
        )
