"""What algorithms share that can keep a promise which unions of groups keep: which one is a parameter.

Left out of these are the risks of being found (models/prosecutor_risk.py and its like): they are k-anonymity, said
the other way round.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from voile.core.algorithm import Algorithm
from voile.core.parameters import parameter
from voile.core.privacy_model import PrivacyModel
from voile.core.tau_l_line import line_of
from voile.errors import ParameterError
from voile.models.alpha_k_anonymity import AlphaKAnonymity
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
    "alpha_k": AlphaKAnonymity,
    "k_anonymity": KAnonymity,
}
BOUNDS = ("l", "k", "c", "tau", "alpha", "t")  # parameters of the properties
SHARES = ("tau", "alpha", "t")  # of these, what every group keeps at 1
LARGEST = 2**31  # of numerators and denominators: their products with counts must fit 63 bits


@dataclass(frozen=True, kw_only=True)
class ChosenPromise(Algorithm):
    """An algorithm whose parameter `property` says which model every group keeps."""

    promise = "frequency_l_diversity"

    l: int | str = parameter(  # noqa: E741 the literature's name
        "1/l is the largest share of a value, or what the property says; not where that has k or t",
        default=NONE,
        minimum=2,
        choices=(NONE,),
    )
    property: str = parameter("what every group must keep", default="frequency", choices=tuple(MODELS))
    k: int | str = parameter(
        "rows of a group at least, if k_anonymity or alpha_k", default=NONE, minimum=2, choices=(NONE,)
    )
    c: Fraction | str = parameter(  # noqa: RUF009
        "how far ahead the most frequent value stays below, if recursive", default=NONE, places=0, choices=(NONE,)
    )
    tau: Fraction | str = parameter(  # noqa: RUF009
        "largest share of a value, if tau_l", default=NONE, places=0, choices=(NONE,)
    )
    alpha: Fraction | str = parameter(  # noqa: RUF009
        "largest share of a value, if alpha_k", default=NONE, places=0, choices=(NONE,)
    )
    t: Fraction | str = parameter(  # noqa: RUF009
        "largest distance from the table's distribution, if t_closeness", default=NONE, places=0, choices=(NONE,)
    )

    def __post_init__(self) -> None:
        """Refuse what the property lacks, and what it would ignore."""
        used = {card.name for card in MODELS[self.property].parameters()} - {"distance"}
        for name in BOUNDS:
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

    def counted(self) -> str:
        """The parameter that says how many values, or rows, a group has at least."""
        return "k" if self.k != NONE else "l"

    def number(self) -> int:
        """Values or rows that are asked for; 2 where the property counts none."""
        asked = getattr(self, self.counted())
        return 2 if asked == NONE else int(asked)
