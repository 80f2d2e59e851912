"""Deltas: an earlier table, and what has changed since."""

import polars as pl
import pytest

import voile
from tests.series.clinic import SPEC, TWO
from voile.errors import InputError, SpecError
from voile.intake.changes import changed_frame

SCHEMA = voile.Schema.of(SPEC)


def frame(rows):
    return pl.DataFrame(rows, schema=["name", "age", "disease"], orient="row")


def test_inserted_replaced_and_deleted():
    gone = pl.DataFrame({"name": [" bob "]})
    new = frame([("ann", 31, "cold"), ("eve", 20, "flu")])
    found = changed_frame(frame(TWO), SCHEMA, insert=new, delete=gone)
    assert sorted(found.rows()) == sorted([("ann", 31, "cold"), ("eve", 20, "flu"), *TWO[2:]])


def test_persons_are_spelled_as_reading_spells_them():
    folded = voile.Schema.of({**SPEC, "name": {"role": "subject", "casefold": True}})
    found = changed_frame(frame(TWO), folded, frame([("ANN", 1, "flu")]), pl.DataFrame({"name": ["Bob"]}))
    assert sorted(found["name"]) == ["ANN", "cid", "dan"]
    whole = voile.Schema.of({**SPEC, "name": {"role": "subject", "type": "integer"}})
    numbered = frame([("007", 1, "flu"), ("08", 2, "cold")])
    assert changed_frame(numbered, whole, delete=pl.DataFrame({"name": ["7"]}))["name"].to_list() == ["08"]


def test_types_that_do_not_go_together():
    odd = frame(TWO).with_columns(disease=pl.lit(["a"]))
    with pytest.raises(InputError, match="other types"):
        changed_frame(frame(TWO), SCHEMA, insert=odd)


def test_nothing_changed():
    assert changed_frame(frame(TWO), SCHEMA).rows() == TWO


@pytest.mark.parametrize(
    ("insert", "delete", "word"),
    [
        (None, ["zoe"], "1 person not in the table"),
        (None, ["ann", "ann"], "a person twice"),
        (None, ["ann", None], "a person is missing"),
        ([("ann", 1, "flu"), ("ann", 2, "flu")], None, "a person twice"),
    ],
)
def test_contradictions_are_refused(insert, delete, word):
    new = None if insert is None else frame(insert)
    gone = None if delete is None else pl.DataFrame({"name": delete})
    with pytest.raises(InputError, match=word) as refusal:
        changed_frame(frame(TWO), SCHEMA, new, gone)
    assert "zoe" not in str(refusal.value)


def test_other_columns_and_no_subject():
    with pytest.raises(InputError, match="other columns"):
        changed_frame(frame(TWO), SCHEMA, insert=frame(TWO).drop("age"))
    with pytest.raises(SpecError, match="subject"):
        changed_frame(frame(TWO), voile.Schema.of({"age": "qi", "disease": "sensitive", "name": "id"}), frame(TWO))
