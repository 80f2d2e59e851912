"""What a promise about groups asks of sets of tables (paper 004, sections 3.1 and 5.3)."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from voile.core.parameters import in_decimals
from voile.core.privacy_model import PrivacyModel
from voile.errors import ParameterError
from voile.theory.set_properties import CrowdSize, Distinct, Entropy, HighestRatio, Recursive, SetProperty


def property_of(model: PrivacyModel) -> SetProperty:
    """The property that a promise is for sets of tables.

    >>> from voile.models.frequency_l_diversity import FrequencyLDiversity
    >>> property_of(FrequencyLDiversity(l=2))
    HighestRatio(delta=Fraction(1, 2))
    """
    number: Any = model
    made: dict[str, Callable[[], SetProperty]] = {
        "frequency_l_diversity": lambda: HighestRatio(1 / Fraction(number.l)),
        "distinct_l_diversity": lambda: Distinct(math.ceil(number.l)),
        "k_anonymity": lambda: CrowdSize(math.ceil(number.k)),
        "recursive_cl_diversity": lambda: Recursive(Fraction(number.c), int(number.l)),
        "entropy_l_diversity": lambda: Entropy(Fraction(number.l)),
    }
    if model.key not in made:
        raise ParameterError(
            f"{model.title} is no property of sets of tables here",
            where="requirement",
            rule=f"one of {', '.join(made)}",
            remedy='for example "l>=2"',
        )
    return made[model.key]()


def in_words(wanted: SetProperty) -> str:
    """What a property asks for everybody.

    >>> in_words(HighestRatio(Fraction(1, 2)))
    'nobody above 1/2'
    """
    if isinstance(wanted, HighestRatio):
        return f"nobody above {wanted.delta}"
    if isinstance(wanted, Distinct):
        return f"at least {wanted.l} values for everybody"
    if isinstance(wanted, CrowdSize):
        return f"everybody among {wanted.k} persons or more"
    if isinstance(wanted, Recursive):
        return f"recursive ({in_decimals(wanted.c)},{wanted.l})-diversity for everybody"
    if isinstance(wanted, Entropy):
        return f"entropy {in_decimals(wanted.l)}-diversity for everybody"
    return "the property for everybody"
