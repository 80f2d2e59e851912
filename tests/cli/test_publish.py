"""`voile publish` as a steward types it."""

import json
import os

import pytest

from tests.command_line import voile

SPEC = """
[columns]
name = { role = "subject" }
age = { role = "qi", type = "integer" }
disease = { role = "sensitive" }
"""
ROWS = [f"p{i},{20 + i},{('flu', 'cold', 'gout', 'asthma')[i % 4]}" for i in range(12)]


@pytest.fixture
def clinic(tmp_path):
    (tmp_path / "s.toml").write_text(SPEC)
    write(tmp_path / "t.csv", ROWS)

    def run(*arguments):
        return voile(*arguments, cwd=tmp_path, env={**os.environ, "VOILE_KEYS": str(tmp_path / "keys")})

    run.folder = tmp_path
    return run


def write(path, rows, header="name,age,disease"):
    path.write_text("\n".join([header, *rows]) + "\n")


@pytest.mark.slow
def test_a_quarter_after_the_other(clinic):
    refused = clinic("publish", "t.csv", "-s", "s.toml", "-p", "m=2")
    assert refused.code == 3 and "voile ledger create" in refused.err
    assert clinic("ledger", "create", "s.ledger").code == 0
    preview = clinic("publish", "t.csv", "-s", "s.toml", "-p", "m=2", "--preview")
    assert (
        preview.code == 0 and "Preview of release 1" in preview.out and not (clinic.folder / "release-1").exists()
    )
    first = clinic("publish", "t.csv", "-s", "s.toml", "-p", "m=2", "-o", "january")
    assert first.code == 0 and "Release 1" in first.out and "12 persons (12 new)" in first.out
    write(clinic.folder / "new.csv", ["p20,33,flu", "p21,34,cold", "p0,20,cold"])
    write(clinic.folder / "gone.csv", ["p3", "p4"], "name")
    second = clinic("publish", "t.csv", "-s", "s.toml", "--insert", "new.csv", "--delete", "gone.csv", "--json")
    found = json.loads(second.out)
    assert second.code == 0 and found["release"] == 2 and found["folder"].endswith("release-2")
    held = found["private"]["changed"]
    assert found["private"]["published"] + held + found["private"]["waiting"] == 12
    assert found["certificate"]["series"]["m"] == 2
    assert "folder" not in found["certificate"]["series"]
    picture = clinic("ledger", "show", "s.ledger", "--picture", "history.svg")
    assert picture.code == 0 and (clinic.folder / "history.svg").read_text().startswith("<svg")
    assert (clinic.folder / "history.svg").stat().st_mode & 0o777 == 0o600
    again = clinic("ledger", "show", "s.ledger", "--picture", "history.svg")
    assert again.code == 2 and "already there" in again.err
    assert clinic("audit", "release-2", "-s", "s.toml", "--require", "m>=2").code == 0


@pytest.mark.slow
def test_registered_once(clinic):
    clinic("ledger", "create", "s.ledger")
    arguments = ["anonymize", "t.csv", "-s", "s.toml", "-a", "rda", "-p", "l=2", "--ledger", "s.ledger", "-o"]
    assert clinic(*arguments, "one").code == 0
    second = clinic(*arguments, "two", "--json")
    assert second.code == 3 and json.loads(second.out)["error"]["kind"] == "LedgerRefused"
    assert not (clinic.folder / "two").exists()
    series = clinic("publish", "t.csv", "-s", "s.toml", "-p", "m=2")
    assert series.code == 3 and "12 persons" in series.err


@pytest.mark.slow
@pytest.mark.parametrize("spoiled", ["release-1/counterfeits.csv", "release-1/data.csv"])
def test_the_audit_notices_changed_files(clinic, spoiled):
    clinic("ledger", "create", "s.ledger")
    assert clinic("publish", "t.csv", "-s", "s.toml", "-p", "m=2").code == 0
    path = clinic.folder / spoiled
    path.write_text(path.read_text() + ("1,1\n" if "counterfeits" in spoiled else "9,40,flu\n9,40,cold\n"))
    assert clinic("audit", "release-1", "-s", "s.toml").code == 1
