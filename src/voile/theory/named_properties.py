"""The properties of sets of tables by name, as people ask for them: with l, and c where it is recursive."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from voile.core.parameters import exact_number
from voile.errors import ParameterError
from voile.theory.set_properties import CrowdSize, Distinct, Entropy, HighestRatio, Recursive, SetProperty

PROPERTIES = ("frequency", "distinct", "recursive", "entropy", "k_anonymity")
ABOVE_ONE = "a fraction above 1 such as 5/3"
_WHOLE = ("distinct", "recursive", "k_anonymity")


@dataclass(frozen=True)
class NamedProperty:
    """One of PROPERTIES with its l; for k_anonymity l is the size of a group.

    >>> NamedProperty.of("frequency", "5/3").of_sets(), NamedProperty.of("k_anonymity", 3).promise()
    (HighestRatio(delta=Fraction(3, 5)), ('k_anonymity', {'k': 3}))
    """

    name: str
    l: int | Fraction  # noqa: E741 the literature's name
    c: Fraction = Fraction(1)

    @classmethod
    def of(cls, name: str, ell: object, c: Fraction = Fraction(1)) -> "NamedProperty":
        """From l as it was given; refuses what the property cannot mean."""
        number = exact_number(ell)
        if number is None or number <= 1 or (number.denominator == 1 and number < 2):
            raise ParameterError(
                "not an accepted value", where="parameter l", rule=f"a whole number from 2 or {ABOVE_ONE}"
            )
        if name in _WHOLE and number.denominator > 1:
            raise ParameterError(
                "not a whole number",
                where="parameter l",
                rule=f"property={name} counts values or rows",
                remedy="use a whole number from 2; property=frequency takes fractions",
            )
        if name == "entropy" and (number * 10**4).denominator > 1:
            raise ParameterError(
                "more than 4 decimal places",
                where="parameter l",
                rule="property=entropy decides to 4 places",
                remedy="write l with at most 4 decimal places",
            )
        return cls(name, int(number) if number.denominator == 1 else number, c)

    def of_sets(self, ell: int | None = None) -> SetProperty:
        """The property itself, or with another l."""
        number = Fraction(self.l if ell is None else ell)
        whole = int(number)
        return {
            "frequency": HighestRatio(1 / number),
            "distinct": Distinct(whole),
            "recursive": Recursive(self.c, whole),
            "entropy": Entropy(number),
            "k_anonymity": CrowdSize(whole),
        }[self.name]

    def promise(self) -> tuple[str, dict[str, object]]:
        """The model of a release that has the property, and its parameters."""
        models: dict[str, tuple[str, dict[str, object]]] = {
            "frequency": ("frequency_l_diversity", {"l": self.l}),
            "distinct": ("distinct_l_diversity", {"l": self.l}),
            "recursive": ("recursive_cl_diversity", {"c": self.c, "l": self.l}),
            "entropy": ("entropy_l_diversity", {"l": Fraction(self.l)}),
            "k_anonymity": ("k_anonymity", {"k": self.l}),
        }
        return models[self.name]

    @property
    def rows(self) -> int:
        """The fewest rows of a group that can have the property."""
        return ceil(self.l)

    def largest_l(self, counts: Sequence[int]) -> int:
        """The largest whole l, below the one asked for, with which the whole table has the property; 1 if none.

        No grouping has it where the table as a whole has not: each property holds for a mixture of what it holds
        for.

        >>> NamedProperty.of("frequency", 4).largest_l([5, 3, 2])
        2
        """
        highest = min(ceil(self.l) - 1, max(len(counts), sum(counts)))
        fit = (ell for ell in range(highest, 1, -1) if self.of_sets(ell).holds(counts, sum(counts)))
        return next(fit, 1)
