"""Queries that are understood, and queries that are refused with the place where they go wrong."""

import pytest

from voile.errors import ParameterError
from voile.querying.query_text import parse_query

UNDERSTOOD = {
    "age = 30": [("age", "=", ["30"], False)],
    "age<30 AND age >=-2.5": [("age", "<", ["30"], False), ("age", ">=", ["-2.5"], False)],
    "hours-per-week <> 40": [("hours-per-week", "!=", ["40"], False)],
    "disease not in ('a, b', 'it''s')": [("disease", "in", ["a, b", "it's"], True)],
    '"home ""town""" = \'and\'': [('home "town"', "=", ["and"], False)],
    "born Between '2020-01-01' and '2020-12-31'": [("born", "between", ["2020-01-01", "2020-12-31"], False)],
    "age not between 1 and 2 and sex='f'": [("age", "between", ["1", "2"], True), ("sex", "=", ["f"], False)],
    "größe > .5": [("größe", ">", [".5"], False)],
}


@pytest.mark.parametrize("text", UNDERSTOOD)
def test_understood(text):
    parsed = [(c.column, c.sign, [v.text for v in c.values], c.negated) for c in parse_query(text)]
    assert parsed == UNDERSTOOD[text]


REFUSED = {
    "": 1,
    "   ": 4,
    "age": 4,
    "age =": 6,
    "age = flu": 7,
    "age = 'flu": 7,
    "age = 30 or age = 31": 10,
    "age = 30 and": 13,
    "age between 30 39": 16,
    "age in 3": 8,
    "age in (3": 10,
    "age in ()": 9,
    "age = 2020-01-01": 7,
    "30 = age": 1,
    "age not = 3": 9,
    "age ; drop": 5,
    "age = 3 = 4": 9,
    "age = 1.2.3": 7,
}


@pytest.mark.parametrize("text", REFUSED)
def test_refused_with_position(text):
    with pytest.raises(ParameterError) as refused:
        parse_query(text)
    assert refused.value.where == f"query, character {REFUSED[text]}"
    assert refused.value.remedy


def test_no_refusal_repeats_the_query():
    for text in ("age = canary", "age = 'canary", "canary", "age = 3 canary", "age canary 3"):
        with pytest.raises(ParameterError) as refused:
            parse_query(text)
        assert "canary" not in str(refused.value)
