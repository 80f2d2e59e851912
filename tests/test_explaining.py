"""Explanations: the paper's table step by step, and what an empty outcome tells."""

import json
from dataclasses import replace
from fractions import Fraction

import polars as pl
import pytest

import voile
from tests.attacking.test_minimality_attack import CLINIC, PLAN, SPEC
from voile.cli.explain import describe
from voile.errors import ParameterError
from voile.explaining import explain


def clinic(**parameters):
    return explain(voile.read(CLINIC, SPEC), l=2, sequence=PLAN, utility="as_given", **parameters)


def test_jump_step_by_step():
    """Tables 1 to 3: g2 passes on its face, but two patients would be told; g3 is safe."""
    found = clinic()
    assert [(s.function, s.face.holds, s.disclosed, s.goes_on) for s in found.steps] == [
        (1, False, False, 2),
        (2, True, False, 3),
        (3, True, True, 4),
    ]
    first, second, third = found.steps
    assert first.left is None and (second.face.size, second.left.size) == (36, 4)
    assert (sum(second.above), third.left.size, third.left.highest) == (2, 8, Fraction(1, 2))
    outcomes = {name: (each.function, each.above) for name, each in found.outcomes.items()}
    assert outcomes == {"naive": (2, 2), "safe": (3, 0), "jump": (3, 0)}


def test_naive_is_told_what_it_does_not_ask():
    found = clinic(strategy="naive")
    assert [s.function for s in found.steps] == [1, 2] and found.steps[1].disclosed
    assert found.steps[1].left.size == 4 and sum(found.steps[1].above) == 2
    assert not found.outcome.left.holds


def test_in_words(capsys):
    describe(clinic(), show_values=False)
    said = capsys.readouterr().out
    assert "for you alone" in said and "whoever knows the algorithm is left with 4 tables" in said
    assert "they agree on 2 persons" in said and "g3 is disclosed, and safe" in said
    assert not any(word in said for word in (*CLINIC["disease"], "1974"))
    describe(clinic(), show_values=True)
    loud = capsys.readouterr().out
    assert "cancer" in loud and "1974" in loud
    assert "cancer" not in json.dumps(clinic().document()) and "cancer" in json.dumps(clinic().document(True))


@pytest.mark.parametrize(
    ("illness", "k", "functions", "size", "highest", "verdict"),
    [
        (["flu", "cold", "cancer", "cancer", "headache", "toothache"], 2, None, 72, "1/3", "safe, too"),
        (
            ["a", "a", "b", "c", "b"],
            1,
            ["AC B DE", "AD BCE", "ACE BD", "BC ADE", "ABCDE"],
            10,
            "3/5",
            "NOT safe",
        ),
    ],
    ids=["safe", "erratum 7"],
)
def test_nothing_may_tell_something(capsys, illness, k, functions, size, highest, verdict):
    """An empty outcome is safe or not; docs/facts/k_jump.md has a table for which it is not."""
    functions = functions or ["AB CD EF", "ABC DEF", "ABCD EF"]
    table = pl.DataFrame({"person": list("ABCDEF"[: len(illness)]), "illness": illness})
    plan = [[{"person": list(group)} for group in function.split()] for function in functions]
    spec = {"person": "qi", "illness": "sensitive"}
    found = explain(voile.read(table, spec), l=2, k=k, sequence=plan, utility="as_given")
    assert found.outcome.function is None
    assert (found.outcome.left.size, found.outcome.left.highest) == (size, Fraction(highest))
    describe(found, show_values=False)
    said = capsys.readouterr().out
    assert verdict in said and "would void the promise" in said
    assert ("jumps past g3: nothing is disclosed" in said) == (k == 2)


def test_what_is_beyond_reach_is_said(capsys):
    """An outcome that is not known, and one of which only the readers' side is not."""
    found = clinic(strategy="naive")
    silent = replace(found.outcomes["safe"], decided=False, function=None, left=None, beyond="too costly")
    empty = replace(silent, decided=True, strategy=found.outcomes["jump"].strategy)
    describe(replace(found, outcomes=found.outcomes | {"safe": silent, "jump": empty}), show_values=False)
    lines = capsys.readouterr().out.splitlines()
    safe, jump = (next(line for line in lines if word in line and "│" in line) for word in ("safe", "jump"))
    assert "beyond reach" in safe and "disclose" not in safe
    assert "discloses nothing; what readers are left with is beyond reach" in jump


def test_other_algorithms_have_no_steps():
    with pytest.raises(ParameterError, match="no steps"):
        explain(voile.read(CLINIC, SPEC), "elig", l=2)
