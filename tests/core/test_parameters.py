"""Parameters: what a card accepts, and how it is written down."""

from dataclasses import dataclass
from fractions import Fraction

import pytest

from voile.core.parameters import Parameterised, parameter
from voile.errors import ParameterError


@dataclass(frozen=True, kw_only=True)
class Asked(Parameterised):
    key = "asked"
    share: Fraction = parameter("may be nothing", default=Fraction(0), minimum=0, places=0)  # noqa: RUF009
    bound: Fraction = parameter("a share of something", default=Fraction(1), places=0)  # noqa: RUF009
    number: int = parameter("a whole number", default=1, minimum=1)


@pytest.mark.parametrize("nothing", [0, 0.0, "0", "0.0", "0/5", Fraction(0)])
def test_a_number_may_be_its_minimum_however_it_is_written(nothing):
    assert Asked.configure({"share": nothing}) == Asked()


@pytest.mark.parametrize("name, value", [("share", -0.1), ("share", "-0"), ("bound", 0.0), ("number", 0)])
def test_below_the_minimum_is_refused(name, value):
    with pytest.raises(ParameterError, match="not an accepted value"):
        Asked.configure({name: value})


def test_rules_say_where_numbers_begin():
    rules = [card.rule().partition(",")[0] for card in Asked.parameters()]
    assert rules == ["a number from 0", "a number above 0", "a whole number from 1"]
