"""Parameters of algorithms and models: declared once, as dataclass fields with their card.

The CLI, the certificate, the docs and the error messages all read this declaration.
"""

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from fractions import Fraction
from typing import Any, ClassVar, Self

from voile.errors import ParameterError

AUTO = "auto"
_NUMBER = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15}|/[1-9][0-9]{0,14})?")
_MOST = 10**15  # whole numbers are below it: more would not fit the arithmetic of models


def exact_number(value: object) -> Fraction | None:
    """A decimal or a fraction, exactly; None if it is neither.

    >>> exact_number("0.2"), exact_number("1/3"), exact_number(0.1), exact_number("1e9")
    (Fraction(1, 5), Fraction(1, 3), Fraction(1, 10), None)
    """
    text = str(value).strip()
    return Fraction(text) if not isinstance(value, bool) and _NUMBER.fullmatch(text) else None


def in_decimals(number: Fraction) -> str:
    """A number as people write it: in decimals where these are exact.

    >>> in_decimals(Fraction(151, 250)), in_decimals(Fraction(4)), in_decimals(Fraction(1, 3))
    ('0.604', '4', '1/3')
    """
    decimal = f"{float(number):.15g}"
    return decimal if exact_number(decimal) == number else str(number)


@dataclass(frozen=True)
class Parameter:
    """The card of one parameter: a whole number from `minimum`, any number above 0 (with `minimum`:
    from it) with so many `places` (0: as many as you like), one of `choices`, or a text, described
    by `text`; a list of texts is joined by +."""

    name: str
    help: str
    minimum: int | None
    places: int | None
    choices: tuple[str, ...]
    text: str
    default: object

    def rule(self) -> str:
        """What is accepted, in words."""
        words = " or ".join(self.choices)
        number = f"a whole number from {self.minimum}" if self.minimum is not None else ""
        least = "above 0" if self.minimum is None else f"from {self.minimum}"
        if self.places is not None:
            number = f"a number {least}, for example 0.2 or 1/5"
        if self.places:
            number = f"a number {least} with at most {self.places} decimal places, for example 2.5"
        return " or ".join(part for part in (number, words, self.text) if part)

    def accept(self, value: object) -> object:
        """The value, from Python or from the command line's text, if the rule allows it."""
        if self.text and isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
            value = "+".join(value)
        if value in self.choices or (self.text and isinstance(value, str)):
            return value
        if self.minimum is not None and self.places is None and not isinstance(value, bool):
            try:
                number = int(str(value))
            except ValueError:
                number = self.minimum - 1
            if self.minimum <= number < _MOST:
                return number
        if self.places is not None:
            exact = exact_number(value)
            fine = exact is not None and (self.places == 0 or (exact * 10**self.places).denominator == 1)
            if exact is not None and fine and (exact >= self.minimum if self.minimum is not None else exact > 0):
                return exact
        raise ParameterError("not an accepted value", where=f"parameter {self.name}", rule=self.rule())


def parameter(
    help: str,
    *,
    default: Any = MISSING,
    minimum: int | None = None,
    places: int | None = None,
    choices: tuple[str, ...] = (),
    text: str = "",
) -> Any:
    """A dataclass field that is a parameter."""
    card = {"help": help, "minimum": minimum, "places": places, "choices": choices, "text": text}
    return field(default=default, metadata=card)


class Parameterised:
    """Anything configured by parameters: made by `configure`, described by `parameters`."""

    key: ClassVar[str]
    said_by: ClassVar[str] = "command line: -p {name}=..."  # how a parameter is given

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """The cards of all parameters."""
        return tuple(
            Parameter(f.name, default=None if f.default is MISSING else f.default, **f.metadata)
            for f in fields(cls)  # type: ignore[arg-type]
        )

    @classmethod
    def configure(cls, given: Mapping[str, object]) -> Self:
        """Make an instance from names and values, refusing the unknown and the impossible."""
        cards = {card.name: card for card in cls.parameters()}
        unknown = sorted(set(given) - set(cards))
        if unknown:
            raise ParameterError(
                f"{cls.key} has no parameter {unknown[0]}", rule=f"parameters: {', '.join(cards)}"
            )
        missing = [c.name for c in cards.values() if c.default is None and c.name not in given]
        if missing:
            card = cards[missing[0]]
            raise ParameterError(
                f"{cls.key} needs {card.name}",
                rule=f"{card.help}: {card.rule()}",
                remedy=f"add {card.name}=... ({cls.said_by.format(key=cls.key, name=card.name)})",
            )
        return cls(**{name: cards[name].accept(value) for name, value in given.items()})
