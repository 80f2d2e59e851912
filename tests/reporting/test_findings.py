"""Attacks as lines of a report."""

import pytest

from voile.core.attack import Finding
from voile.reporting.findings import findings_table


def line(**others):
    document = Finding("a", "an attack", "in words", 10, 5, private=True, **others).document()
    return str(findings_table("Attacks", [document]))


@pytest.mark.parametrize(
    "ok, beyond, words",
    [
        (True, False, "held off"),
        (True, True, "above the promise"),
        (False, True, "gets through"),
        (None, False, "not promised"),
    ],
)
def test_the_verdict_in_words(ok, beyond, words):
    text = line(ok=ok, beyond=beyond)
    assert words in text and ("held off" in text) == (words == "held off")


def test_inconclusive_is_neither_a_pass_nor_a_success():
    text = line(inconclusive=True)
    assert "inconclusive" in text and "verdict open" in text and "held off" not in text
    assert "verdict kept" in line(ok=True), "control: a pass has its sign"


@pytest.mark.parametrize(
    "allowed, shown",
    [("1/3", "33.3 %"), ("0.25", "25 %"), (None, "-"), ("1/0", "1/0"), ("1e999999999", "inf %"), ("few", "few")],
)
def test_shares_are_percentages(allowed, shown):
    """Fractions, too; a text that is none stays, and no exponent is written out."""
    assert f">{shown}<" in str(findings_table("Attacks", [{"rate": 0.5, "allowed": allowed}]))
