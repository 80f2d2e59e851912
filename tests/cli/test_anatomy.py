"""Anatomy through the commands: two files, what is said of them, what does not apply."""

import json

import pytest

from tests.algorithms.test_anatomy import CLINIC
from tests.command_line import voile

SPEC = """
[columns]
person = { role = "subject" }
age = { role = "quasi-identifying", type = "integer" }
sex = { role = "quasi-identifying" }
disease = { role = "sensitive" }
"""
pytestmark = pytest.mark.slow  # a process per command


@pytest.fixture
def folder(tmp_path):
    CLINIC.with_row_index("person").write_csv(tmp_path / "t.csv")
    (tmp_path / "s.toml").write_text(SPEC)
    done = anonymize(tmp_path, "out")
    assert done.code == 0, done.err
    assert "sensitive.csv" in done.out and "as they are" in " ".join(done.out.replace("│", " ").split())
    return tmp_path


def anonymize(folder, out, *more):
    return voile("anonymize", "t.csv", "-s", "s.toml", "-a", "anatomy", "-p", "l=2", "-o", out, *more, cwd=folder)


def test_audit_says_that_people_are_found(folder):
    done = voile("audit", "out", "-s", "s.toml", cwd=folder)
    assert done.code == 0, done.err
    assert "two tables" in done.out and "finds the row" in done.out
    asked = voile("audit", "out", "-s", "s.toml", "--require", "k>=2", "--json", cwd=folder)
    assert asked.code == 1
    assert json.loads(asked.out)["published"] == "two tables"


def test_what_compares_people_with_groups_is_refused(folder):
    attack = voile("attack", "minimality", "out", "-s", "s.toml", "--known", "t.csv", cwd=folder)
    series = voile(
        "audit", "--series", "out", "out", "-s", "s.toml", "--known", "t.csv", "--known", "t.csv", cwd=folder
    )
    explain = voile("explain", "t.csv", "-s", "s.toml", "-a", "anatomy", "-p", "l=2", cwd=folder)
    for done in (attack, series):
        assert done.code == 2 and "two tables" in done.err, (done.out, done.err)
    assert explain.code == 2 and "no steps to explain" in explain.err


def test_a_ledger_knows_both_files_and_refuses_a_second_draw(folder):
    assert voile("ledger", "create", "x.ledger", "--key", "x.key", cwd=folder).code == 0
    options = ("--ledger", "x.ledger", "--key", "x.key")
    first = anonymize(folder, "first", *options)
    assert first.code == 0, first.err
    named = json.loads((folder / "first" / "certificate.json").read_text())["files"]
    assert set(named) == {"data.csv", "sensitive.csv"}
    assert voile("ledger", "verify", "x.ledger", "--key", "x.key", cwd=folder).code == 0
    assert anonymize(folder, "second", *options).code == 3
    assert not (folder / "second").exists()
