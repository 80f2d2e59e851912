"""`voile ledger` as a steward types it."""

import json

import polars as pl
import pytest

from tests.command_line import voile
from tests.ledger.clinic import FLU, begin, publish
from voile.cli.main import run
from voile.ledger import ERASED, Ledger


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setenv("VOILE_KEYS", str(tmp_path / "keys"))
    return tmp_path / "clinic.ledger"


def ran(capsys, *arguments):
    code = run([str(a) for a in arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_life(path, tmp_path, capsys):
    code, out, _ = ran(capsys, "ledger", "create", path)
    assert code == 0 and "back it up" in out
    with Ledger.open(path) as ledger:
        body = {"algorithm": "m_invariant", "parameters": {"m": 2, "balance": "counterfeit"}, "rows": 7}
        publish(ledger, ["ann", "bob"], FLU, tmp_path / "r1")
        begin(ledger, ["carl"], FLU, tmp_path / "r2", body | {"counterfeits": 3, "withheld": 1})
    code, out, _ = ran(capsys, "ledger", "show", path)
    assert code == 0
    for word in ("published", "reserved", "m_invariant", "2, counterfeit", "release 2 was interrupted"):
        assert word in out
    code, out, _ = ran(capsys, "ledger", "verify", path)
    assert code == 3 and "release 2 was interrupted" in out
    code, out, _ = ran(capsys, "ledger", "recover", path)
    assert code == 3 and "--attest-not-published 2" in out
    code, out, _ = ran(capsys, "ledger", "recover", path, "--attest-not-published", 2)
    assert code == 0 and "abandoned" in out
    code, out, _ = ran(capsys, "ledger", "withdraw", path, 1, "--reason", "a wrong column")
    assert code == 0 and "withdrawn" in out
    code, out, _ = ran(capsys, "ledger", "verify", path)
    assert code == 0 and "WRONG" not in out


def test_erase_reads_persons_as_tables_are_read(path, tmp_path, capsys):
    ran(capsys, "ledger", "create", path)
    with Ledger.open(path) as ledger:
        publish(ledger, ["ann lee", "bob"])
    (tmp_path / "gone.txt").write_text("  ann\u00a0lee \n\nnobody\n", encoding="utf-8")
    code, out, _ = ran(capsys, "ledger", "erase", path, "--persons", tmp_path / "gone.txt", "--json")
    assert code == 0 and json.loads(out) == {"ok": True, "asked": 2, "erased": 1}
    with Ledger.open(path) as ledger:
        assert ledger.recall(ledger.pseudonyms(pl.Series(["ann lee", "bob"]))).tolist() == [ERASED, 1]
    (tmp_path / "gone.txt").write_bytes(b"\xff\xfe\x00")
    code, _, err = ran(capsys, "ledger", "erase", path, "--persons", tmp_path / "gone.txt")
    assert code == 2 and "UTF-8" in err


def test_keys(path, tmp_path, capsys):
    ran(capsys, "ledger", "create", path)
    code, out, _ = ran(capsys, "ledger", "key", path, "--backup", tmp_path / "copy.key")
    assert code == 0 and "keep it away" in out
    code, out, _ = ran(capsys, "ledger", "key", path, "--rotate", "--json")
    assert code == 0 and json.loads(out)["generation"] == 2
    code, _, err = ran(capsys, "ledger", "key", path, "--restore", tmp_path / "copy.key")
    assert code == 3 and "as it is now" in err
    code, _, err = ran(capsys, "ledger", "key", path, "--rotate", "--backup", tmp_path / "x")
    assert code == 2
    code, out, _ = ran(capsys, "ledger", "key", path, "--backup", tmp_path / "second.key")
    next((tmp_path / "keys").glob("*.key")).unlink()
    code, _, err = ran(capsys, "ledger", "key", path)
    assert code == 3 and "does not exist" in err
    code, out, _ = ran(capsys, "ledger", "key", path, "--restore", tmp_path / "second.key")
    assert code == 0 and "yes, generation 2" in out
    assert ran(capsys, "ledger", "verify", path)[0] == 0


def test_attest_current(path, tmp_path, capsys):
    ran(capsys, "ledger", "create", path)
    next((tmp_path / "keys").glob("*.witness")).unlink()
    code, _, err = ran(capsys, "ledger", "withdraw", path, 1, "--reason", "x")
    assert code == 3 and "--attest-current" in err
    code, out, _ = ran(capsys, "ledger", "recover", path, "--attest-current")
    assert code == 0 and "no release was interrupted" in out


def test_json_documents(path, capsys):
    assert json.loads(ran(capsys, "ledger", "create", path, "--json")[1])["ok"]
    with Ledger.open(path) as ledger:
        publish(ledger, ["ann"])
    shown = json.loads(ran(capsys, "ledger", "show", path, "--json")[1])
    assert [(r["release"], r["state"], r["body"]) for r in shown["releases"]] == [(1, "published", {"rows": 1})]
    found = json.loads(ran(capsys, "ledger", "verify", path, "--json")[1])
    assert found["ok"] and any(f["ok"] is None for f in found["findings"])
    assert json.loads(ran(capsys, "ledger", "recover", path, "--json")[1]) == {"ok": True, "releases": []}
    assert json.loads(ran(capsys, "ledger", "withdraw", path, 1, "--reason", "x", "--json")[1])["ok"]
    code, out, _ = ran(capsys, "ledger", "show", path.with_name("no"), "--json")
    assert code == 3 and json.loads(out)["error"]["kind"] == "LedgerRefused"


def test_persons_from_standard_input(path, tmp_path):
    assert voile("ledger", "create", path).code == 0
    done = voile("ledger", "erase", path, "--persons", "-", "--json", input="ann\n")
    assert done.code == 0, done.err
    assert json.loads(done.out) == {"ok": True, "asked": 1, "erased": 0}


def test_erase_takes_nobody_else(path, tmp_path, capsys):
    """Spelled as the spec of the series spells: Ann is not ann, unless it merges them."""
    for fold, erased in ((False, [ERASED, 1]), (True, [1, ERASED])):
        own = path.with_name(f"{fold}.ledger")
        ran(capsys, "ledger", "create", own)
        with Ledger.open(own) as ledger:
            body = {"subject": {"name": "name", "type": "category", "casefold": fold}}
            begin(ledger, ["Ann", "ann"], FLU, tmp_path / f"r{fold}", body)
        (tmp_path / "gone.txt").write_text("Ann\n", encoding="utf-8")
        code, out, _ = ran(capsys, "ledger", "erase", own, "--persons", tmp_path / "gone.txt", "--json")
        assert code == 0 and json.loads(out)["erased"] == 1
        with Ledger.open(own) as ledger:
            assert ledger.recall(ledger.pseudonyms(pl.Series(["Ann", "ann"]))).tolist() == erased
