"""`voile attack minimality` on the screen and as JSON: exit codes, words, and nobody's value."""

import json

import pytest

from tests.attacking.test_minimality_attack import CLINIC, PLAN
from tests.command_line import voile
from voile.cli.main import run

SPEC = """
[columns]
name = { role = "identifying" }
born = { role = "quasi-identifying", type = "integer" }
disease = { role = "sensitive" }
"""
CELLS = [str(cell) for column in CLINIC.iter_columns() for cell in column]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    CLINIC.write_csv(tmp_path / "t.csv")
    CLINIC.select("born").write_csv(tmp_path / "known.csv")
    (tmp_path / "s.toml").write_text(SPEC)
    (tmp_path / "plan.json").write_text(json.dumps(PLAN))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def anonymized(strategy):
    searched = f"l=2,sequence=@plan.json,utility=as_given,strategy={strategy}"
    assert run(["anonymize", "t.csv", "-s", "s.toml", "-a", "k_jump", "-p", searched, "-o", "out"]) == 0


def attacked(capsys, *more, release="out"):
    capsys.readouterr()
    code = run(["attack", "minimality", release, "-s", "s.toml", "--known", "known.csv", *more])
    return code, capsys.readouterr()


def test_naive_search_is_seen_through(folder, capsys):
    anonymized("naive")
    code, said = attacked(capsys)
    assert code == 1
    assert "on its face: no value likelier than 1/2. Who knows the algorithm is left with 4 tables" in said.out
    assert "2 of 6 persons are told for certain, 2 are above 1/2" in said.out and "-a k_jump" in said.out
    assert not any(cell in said.out + said.err for cell in CELLS)
    code, said = attacked(capsys, "--json")
    assert code == 1 and json.loads(said.out)["persons_certain"] == 2
    assert not any(cell in said.out + said.err for cell in CELLS)
    code, said = attacked(capsys, "--show-values")
    assert "cancer" in said.out and "1974" in said.out and "Charlie" not in said.out


def test_safe_search_is_not(folder, capsys):
    anonymized("safe")
    code, said = attacked(capsys)
    assert code == 0 and "no value likelier than 1/2 still" in said.out


def test_table_of_another_tool(folder, capsys):
    """No certificate, no group column; suppressed rows are refused."""
    labels = ["[1970, 1999]"] * 3 + ["[1940, 1969]"] * 3
    rows = [f'"{label}",{disease}' for label, disease in zip(labels, CLINIC["disease"], strict=True)]
    (folder / "theirs.csv").write_text("\n".join(["born,disease", *rows]) + "\n")
    known = ("--sequence", "@plan.json", "--utility", "as_given", "--require", "l>=2", "--strategy", "naive")
    code, said = attacked(capsys, *known, release="theirs.csv")
    assert code == 1 and "2 are above 1/2" in said.out
    (folder / "a,b.json").write_bytes((folder / "plan.json").read_bytes())
    assert attacked(capsys, "--sequence", "@a,b.json", *known[2:], release="theirs.csv")[0] == 1
    (folder / "theirs.csv").write_text("\n".join(["born,disease", "*,flu", *rows[1:]]) + "\n")
    code, said = attacked(capsys, *known, release="theirs.csv")
    assert code == 2 and "1 row suppressed" in said.err and not any(cell in said.err for cell in CELLS)
    code, said = attacked(capsys, release="theirs.csv")
    assert code == 2


@pytest.mark.slow
def test_in_processes_of_their_own(folder):
    searched = "l=2,sequence=@plan.json,utility=as_given"
    done = voile("explain", "t.csv", "-s", "s.toml", "-p", searched, cwd=folder)
    assert done.code == 0 and "whoever knows the algorithm is left with 4 tables" in done.out, done.err
    assert not any(cell in done.out + done.err for cell in CELLS)
    done = voile("attack", "minimality", "t.csv", "-s", "s.toml", "--known", "known.csv", "--json", cwd=folder)
    assert done.code == 2 and json.loads(done.out)["error"]["kind"] == "ParameterError"
    assert not any(cell in done.out + done.err for cell in CELLS)
