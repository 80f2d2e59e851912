"""Parameters of algorithms and models: declared once, as dataclass fields with their card.

The CLI, the certificate, the docs and the error messages all read this declaration.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, ClassVar, Self

from voile.errors import ParameterError

AUTO = "auto"


@dataclass(frozen=True)
class Parameter:
    """The card of one parameter: a whole number from `minimum`, or one of `choices`."""

    name: str
    help: str
    minimum: int | None
    choices: tuple[str, ...]
    default: object

    def rule(self) -> str:
        """What is accepted, in words."""
        words = " or ".join(self.choices)
        number = f"a whole number from {self.minimum}" if self.minimum is not None else ""
        return " or ".join(part for part in (number, words) if part)

    def accept(self, value: object) -> object:
        """The value, from Python or from the command line's text, if the rule allows it."""
        if value in self.choices:
            return value
        if self.minimum is not None and not isinstance(value, bool):
            try:
                number = int(str(value))
            except ValueError:
                number = self.minimum - 1
            if number >= self.minimum:
                return number
        raise ParameterError("not an accepted value", where=f"parameter {self.name}", rule=self.rule())


def parameter(
    help: str, *, default: Any = MISSING, minimum: int | None = None, choices: tuple[str, ...] = ()
) -> Any:
    """A dataclass field that is a parameter."""
    return field(default=default, metadata={"help": help, "minimum": minimum, "choices": choices})


class Parameterised:
    """Anything configured by parameters: made by `configure`, described by `parameters`."""

    key: ClassVar[str]

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
                remedy=f"add {card.name}=... (command line: -p {card.name}=...)",
            )
        return cls(**{name: cards[name].accept(value) for name, value in given.items()})
