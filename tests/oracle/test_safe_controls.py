"""Whatever `glass` and `blind_cut` take care not to do is caught when it is done."""

from fractions import Fraction

import pytest

from tests.oracle.possible_worlds import count_vectors
from tests.oracle.safe_controls import CONTROLS, RIGHT
from tests.oracle.telling import OF_TREES, is_telling
from tests.oracle.verdicts import smallest_breach

LONG = {name for name, (_, _, _, values, _) in CONTROLS.items() if len(values) > 4}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] if n in LONG else []) for n in CONTROLS]
)
def test_control_is_caught(name):
    control, attack, ell, values, posterior = CONTROLS[name]
    assert smallest_breach(control, attack, ell) == (values, posterior)


@pytest.mark.slow
@pytest.mark.parametrize(
    "telling", [True, pytest.param(False, marks=pytest.mark.nightly)], ids=["telling", "others"]
)
@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("ell", [2, 3])
def test_without_the_mistake_nothing_is(name, ell, telling):
    right, attack = RIGHT[name]
    tried = [v for n in range(ell, 7) for v in count_vectors(n, ell) if is_telling(ell, v, OF_TREES) == telling]
    assert tried
    assert all(attack(right(ell), values) <= Fraction(1, ell) for values in tried)


@pytest.mark.slow
@pytest.mark.parametrize("name, posterior", [("RDA", Fraction(41, 68)), ("GLASS", Fraction(41, 52))])
def test_the_better_of_two_releases_tells_more_than_one(name, posterior):
    control, attack, *_ = CONTROLS[f"best of two, {name}"]
    assert attack(control(2), (0, 0, 1, 1, 2, 2)) == posterior
