"""The twins of Adult, Nursery, ACS and a survey, and the demo: proposals as a steward's,
doubts visible, and the spec runs unchanged."""

import os
import re
import shlex
import tomllib
from pathlib import Path

import polars as pl
import pytest

import voile
from benchmarks import adult, data
from tests.command_line import voile as command
from tests.inspection import expected_roles
from voile.hospital import patients, write_hospital

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("twins")]  # keeps `make quick` under two minutes


def headless(file, names):
    return pl.read_csv(data.path(file), has_header=False, new_columns=names, infer_schema=False)


def adult_with_question_marks():
    frame = headless("adult/adult.data", adult.NAMES)
    return frame.with_columns(pl.all().str.strip_chars()).drop_nulls("workclass")


def adult_of_arx():
    return pl.read_csv(data.path("adult/arx_adult.csv"), separator=";", infer_schema=False)


def nursery():
    return headless("nursery/nursery.data", list(expected_roles.NURSERY)).drop_nulls()


def acs():
    return pl.read_parquet(data.path("acs2018/acs-income-2018-holdout.parquet"))


def work():
    return pl.read_csv(data.path("longitudinal/nlswork.csv"), infer_schema=False)


TABLES = {
    "adult": (adult_with_question_marks, expected_roles.ADULT),
    "adult of ARX": (adult_of_arx, expected_roles.ADULT),
    "nursery": (nursery, expected_roles.NURSERY),
    "ACS": (acs, expected_roles.ACS),
    "demo": (lambda: patients(), expected_roles.DEMO),
    "work": (work, expected_roles.WORK),
}


REAL = ["adult", "adult of ARX", "nursery", "work"]
LARGE_ARE_SLOW = [n if n != "ACS" else pytest.param(n, marks=pytest.mark.slow) for n in TABLES]


@pytest.mark.parametrize("name", LARGE_ARE_SLOW)
def test_nine_of_ten_roles_are_right_and_the_others_are_asked(name):
    read, expected = TABLES[name]
    found = voile.inspect(read())
    wrong = [p for p in found.columns if p.role not in expected[p.name]]
    assert 10 * len(wrong) <= len(found.columns), [(p.name, p.role) for p in wrong]
    assert all(p.question for p in wrong), [p.name for p in wrong if not p.question]
    changed = [p for p in found.columns if p.written != p.role]
    assert all(p.question for p in changed), "a column is dropped without a word"
    spec = found.spec()
    for p in found.columns:
        assert not p.question or f"# ? {p.question[:40]}" in spec


@pytest.mark.parametrize("name", LARGE_ARE_SLOW)
def test_the_spec_says_what_was_proposed(name):
    read, _ = TABLES[name]
    found = voile.inspect(read())
    document = tomllib.loads(found.spec())
    assert {c: o["role"] for c, o in document["columns"].items()} == {p.name: p.written for p in found.columns}
    schema = voile.Schema.of(document["columns"], document.get("file"))
    for column, p in zip(schema, found.columns, strict=True):
        if p.published:
            assert (column.type, column.missing) == (p.type, p.missing)


@pytest.mark.parametrize("name", ["demo", *(pytest.param(n, marks=pytest.mark.slow) for n in REAL)])
def test_the_written_spec_runs_unchanged(name, tmp_path):
    read, _ = TABLES[name]
    table = tmp_path / "t.csv"
    read().write_csv(table, separator=";")
    done = command("inspect", table)
    assert done.code == 0, done.err
    said = voile.inspect(table).command(str(tmp_path / "t.toml"), str(tmp_path / "out"))
    done = command(*shlex.split(said)[1:])  # as it stands in the spec, against readers it can be kept against
    assert done.code == 0, done.err


@pytest.mark.slow
def test_the_written_spec_runs_unchanged_on_acs(tmp_path):
    table = data.path("acs2018/acs-income-2018-holdout.parquet")
    done = command("inspect", table, "-o", tmp_path / "s.toml")
    assert done.code == 0, done.err
    done = command(*("anonymize", table, "-s", tmp_path / "s.toml", "-p", "l=auto", "-o", tmp_path / "out"))
    assert done.code == 0, done.err


def test_adult_in_detail():
    found = voile.inspect(adult_with_question_marks())
    by_name = {p.name: p for p in found.columns}
    assert found.file == {"missing": ["?"]}
    assert by_name["workclass"].missing == "category"
    assert by_name["occupation"].missing == "drop-row"
    assert by_name["age"].type == "integer"
    best = found.candidates[0]
    assert (best.name, best.chosen, best.values, best.largest_l) == ("occupation", True, 14, 7)
    assert next(c for c in found.candidates if c.name == "salary-class").largest_l == 1
    assert "education and education-num say the same: one of them is enough" in found.warnings
    assert any(w.startswith("fnlwgt alone singles out") for w in found.warnings)


@pytest.mark.slow
def test_acs_in_detail():
    found = voile.inspect(acs())
    assert found.largest_l >= 30
    assert any("Income holds many numbers" in w for w in found.warnings)
    assert "State tells Region: without Region nothing is lost" in found.warnings
    left_out = next(p for p in found.columns if p.name == "Vehicle occupancy")
    assert left_out.question.startswith("left out: 14.5% missing")


def test_the_command_is_readable_at_80_columns(tmp_path):
    table, _ = write_hospital(tmp_path)
    environment = {**os.environ, "COLUMNS": "80", "FORCE_COLOR": "1"}
    done = command("inspect", table, "-o", tmp_path / "first.toml", env=environment)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", done.out)
    assert done.code == 0, done.err
    assert max(map(len, plain.splitlines())) <= 80
    assert "quasi-identifying" in plain and "diagnosis" in plain and "voile anonymize" in plain.replace("\n", "")
    assert Path(tmp_path / "first.toml").stat().st_mode & 0o077 == 0
