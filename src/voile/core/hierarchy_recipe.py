"""Recipe: a hierarchy that the spec describes instead of listing it in a file."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from voile.errors import SpecError

# what a recipe is called in the spec -> the types it is for, and the option that goes with it
KINDS = {
    "intervals": (("integer", "decimal"), "origin"),
    "quantiles": (("integer", "decimal"), "grid"),
    "mask": (("category",), ""),
    "dates": (("date",), ""),
    "groups": (("ordinal",), ""),
}
PERIODS = ("month", "quarter", "year")
MOST_QUANTILES = 10_000
MOST_MASKED = 64
_DIGITS = 15  # of numbers in exact arithmetic, before and after the point


@dataclass(frozen=True)
class Recipe:
    """How to make a column's tree from its values.

    >>> Recipe.of({"intervals": [5, 10]}, "integer", "spec, column age").levels
    (Fraction(5, 1), Fraction(10, 1))
    >>> Recipe.of({"mask": 3}, "category", "spec, column zip").levels
    (1, 2, 3)
    """

    kind: str
    levels: tuple[Any, ...]  # fine to coarse: widths, characters masked, periods, run lengths
    step: Fraction = Fraction(0)  # the origin of intervals, the grid of quantiles

    @classmethod
    def of(cls, options: Mapping[Any, object], type_: str, where: str) -> "Recipe":
        """Check what the spec says: one kind, made for the column's type, its levels nested."""
        kinds = [kind for kind in KINDS if kind in options]
        if len(kinds) != 1:
            raise SpecError("not one kind of hierarchy", where=where, rule=f"one of {', '.join(KINDS)}")
        kind = kinds[0]
        types, option = KINDS[kind]
        allowed = {kind, option} - {""}
        if not set(options) <= allowed:
            raise SpecError(
                "an option that this hierarchy has not", where=where, rule=f"{kind}: {', '.join(sorted(allowed))}"
            )
        if type_ not in types:
            raise SpecError(
                f"a hierarchy of {kind} for another type", where=where, rule=f"type = {' or '.join(types)}"
            )
        step = _number(options.get(option, 0), where, option) if option else Fraction(0)
        if kind == "quantiles" and step <= 0:
            raise SpecError(
                "quantiles without a grid",
                where=where,
                rule="cuts fall on a public grid, not on a person's value",
                remedy="for example { quantiles = 8, grid = 1000 }",
            )
        recipe = cls(kind, _levels(kind, options[kind], where), step)
        if type_ == "integer" and any(number.denominator != 1 for number in recipe.numbers):
            raise SpecError(
                "a fraction in an integer column", where=where, rule="whole numbers, or type = decimal"
            )
        return recipe

    @property
    def numbers(self) -> tuple[Fraction, ...]:
        """What must be whole steps on the column's axis."""
        return {"intervals": (*self.levels, self.step), "quantiles": (self.step,)}.get(self.kind, ())


def _number(value: object, where: str, option: str) -> Fraction:
    """A decimal number of the spec, exactly."""
    number = None
    if isinstance(value, int | float | str | Fraction) and not isinstance(value, bool):
        try:
            number = Fraction(str(value))
        except (ValueError, ZeroDivisionError):
            number = None
    if number is None or abs(number) >= 10**_DIGITS or (number * 10**_DIGITS).denominator != 1:
        raise SpecError(f"{option} is not a number", where=where, rule="a decimal number of at most 15 digits")
    return number


def _whole(value: object, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _levels(kind: str, value: object, where: str) -> tuple[Any, ...]:
    if kind == "quantiles":
        if not _whole(value, 2, MOST_QUANTILES):
            raise SpecError("quantiles is not a number of groups", where=where, rule=f"2 to {MOST_QUANTILES}")
        return (value,)
    if kind == "mask" and isinstance(value, int) and _whole(value, 1, MOST_MASKED):
        return tuple(range(1, value + 1))
    if not isinstance(value, list | tuple) or not value:
        raise SpecError(f"{kind} is not a list of levels", where=where, remedy=f"for example {_EXAMPLES[kind]}")
    if kind == "dates":
        if list(value) != [period for period in PERIODS if period in value]:
            raise SpecError(
                "dates are not periods", where=where, rule=f"some of {', '.join(PERIODS)}, in this order"
            )
        return tuple(value)
    if kind == "intervals":
        return _nested([_number(width, where, kind) for width in value], kind, where)
    if not all(_whole(number, 1, MOST_MASKED if kind == "mask" else 10**_DIGITS) for number in value):
        raise SpecError(
            f"{kind} is not a list of whole numbers", where=where, remedy=f"for example {_EXAMPLES[kind]}"
        )
    if kind == "mask":
        if sorted(set(value)) != list(value):
            raise SpecError("levels that do not grow", where=where, rule="each masks more than the one before")
        return tuple(value)
    return _nested(list(value), kind, where)


def _nested(widths: list[Any], kind: str, where: str) -> tuple[Any, ...]:
    if min(widths) <= 0 or any(b <= a or b % a != 0 for a, b in pairwise(widths)):
        raise SpecError(
            "levels that do not nest",
            where=where,
            rule="each is a multiple of the one before, and larger",
            remedy=f"for example {_EXAMPLES[kind]}",
        )
    return tuple(widths)


_EXAMPLES = {
    "intervals": "intervals = [5, 10, 20]",
    "mask": "mask = 4, or mask = [1, 3]",
    "dates": 'dates = ["month", "year"]',
    "groups": "groups = [2, 4]",
}
