"""A ledger that is damaged, old, another one, or in a bad place is refused; its file is left as it is.

Every byte and every length is tried in tests/crash; here some of each.
"""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.ledger.clinic import FLU, begin, known, publish, session
from voile.errors import LedgerRefused
from voile.ledger import Ledger
from voile.ledger.database import open_to_read, open_to_write
from voile.ledger.witness import witness_of

pytestmark = pytest.mark.slow  # of processes, or of many worlds


@pytest.fixture
def small(path):
    session(path, ["ann", "bob"], ["carl"])
    return path


def witness(keys):
    return next(keys.glob("*.witness"))


def interrupted(keys):
    """As a session leaves the witness that did not reach its end."""
    note = json.loads(witness(keys).read_text())
    witness(keys).write_text(json.dumps({**note, "sha256": None}))


def assert_flips_refused(path, places):
    sound = path.read_bytes()
    for place in places:
        damaged = bytearray(sound)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        with pytest.raises(LedgerRefused):
            Ledger.open(path)
        assert path.read_bytes() == damaged  # never repaired, the original kept
    path.write_bytes(sound)
    Ledger.open(path).close()


def test_flipped_bits(small):
    assert_flips_refused(small, range(0, small.stat().st_size, 101))


def assert_cuts_refused(path, lengths):
    sound = path.read_bytes()
    for length in lengths:
        path.write_bytes(sound[:length])
        with pytest.raises(LedgerRefused):
            Ledger.open(path)
        assert path.read_bytes() == sound[:length]


def test_cut_off(small):
    assert_cuts_refused(small, [0, 1, 15, 16, 99, 100, 101, 511, *range(512, small.stat().st_size, 512)])


def test_flips_after_an_interruption_are_refused_or_harmless(small, keys):
    """Without a digest of the closed file, chain and memory still vouch for everything that is believed."""
    with Ledger.open(small) as ledger:
        head = ledger.head
    interrupted(keys)
    sound, note = small.read_bytes(), witness(keys).read_bytes()
    refused = 0
    for place in range(0, len(sound), 211):
        small.write_bytes(sound[:place] + bytes([sound[place] ^ 16]) + sound[place + 1 :])
        witness(keys).write_bytes(note)
        try:
            with Ledger.open(small) as ledger:
                assert (ledger.head, known(ledger, ["ann", "carl"])) == (head, [FLU, FLU])
        except LedgerRefused:
            refused += 1
    assert refused > 10


@pytest.mark.parametrize(
    "change",
    [
        "update memory set signatures = zeroblob(length(signatures)) where page = 1",
        "update memory set pseudonyms = randomblob(length(pseudonyms)) where page = 1",
        "update memory set release = 0",
        "update memory set salt = randomblob(16)",
        "delete from memory where page = 2",
        "delete from memory",
        """update signature set labels = '["HIV","flu"]'""",
        "insert into signature values (2, '[\"HIV\"]')",
        "delete from signature",
        "update chain set body = replace(body, '2', '3') where number = 2",
        "update chain set kind = 'withdrawn' where kind = 'committed'",
        "delete from chain where number = 3",
        "delete from chain where number > 4",
        "delete from chain",
        "update meta set value = '2' where name = 'generation'",
        "insert into meta values ('more', '1')",
        "drop table signature",
    ],
)
def test_changes_by_another_program(small, keys, change):
    """Also where the witness cannot compare bytes, and also by those who only look."""
    interrupted(keys)
    connection = open_to_write(small)
    connection.execute(change)
    connection.close()
    with pytest.raises(LedgerRefused):
        Ledger.open(small)
    if "> 4" not in change:  # a chain without its end is a chain: only the witness knows
        with pytest.raises(LedgerRefused):
            Ledger.read(small)


def test_an_interrupted_session_goes_on(path, tmp_path, keys):
    """The process dies with everything still in the log."""
    code = (
        "import os, sys; from voile.ledger import Ledger; from tests.ledger.clinic import begin\n"
        "begin(Ledger.open(sys.argv[1]), ['ann']); os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", code, path], check=False)
    assert (tmp_path / "clinic.ledger-wal").stat().st_size > 0
    assert Ledger.read(path).persons == 1
    with Ledger.open(path) as ledger:
        assert known(ledger, ["ann"]) == [FLU]
    assert json.loads(witness(keys).read_text())["sha256"]
    assert not (tmp_path / "clinic.ledger-wal").exists()


def test_a_lost_log_is_an_old_copy(path, tmp_path):
    code = (
        "import os, sys; from voile.ledger import Ledger; from tests.ledger.clinic import begin\n"
        "begin(Ledger.open(sys.argv[1]), ['ann']); os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", code, path], check=False)
    for extra in ("-wal", "-shm"):
        (tmp_path / f"clinic.ledger{extra}").unlink()
    with pytest.raises(LedgerRefused, match="old copy"):
        Ledger.open(path)


def test_yesterdays_ledger(small, tmp_path):
    shutil.copy(small, tmp_path / "yesterday")
    session(small, ["dora"])
    shutil.copy(tmp_path / "yesterday", small)
    with pytest.raises(LedgerRefused, match="old copy") as refusal:
        Ledger.open(small)
    assert refusal.value.exit_code == 3 and "restore" in refusal.value.remedy
    with pytest.raises(LedgerRefused, match="old copy"):
        Ledger.open(small, attest_current=True)  # the witness knows better than anybody's word


def test_two_copies_that_publish_separately_and_meet(small, tmp_path, keys, monkeypatch):
    away = tmp_path / "elsewhere"
    shutil.copytree(keys, away / "keys")
    shutil.copy(small, away / "clinic.ledger")
    session(small, ["dora"])
    with monkeypatch.context() as there:
        there.setenv("VOILE_KEYS", str(away / "keys"))
        session(away / "clinic.ledger", ["emil"])
    shutil.copy(away / "clinic.ledger", small)
    for attest in (False, True):
        with pytest.raises(LedgerRefused, match="another way"):
            Ledger.open(small, attest_current=attest)


def test_no_witness(small, keys):
    witness(keys).unlink()
    with pytest.raises(LedgerRefused, match="no witness") as refusal:
        Ledger.open(small)
    assert "--attest-current" in refusal.value.remedy
    Ledger.open(small, attest_current=True).close()
    session(small, ["dora"])


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"format": "voile ledger witness 1"}', "\x00"])
def test_a_damaged_witness(small, keys, text):
    witness(keys).write_text(text)
    with pytest.raises(LedgerRefused, match="witness"):
        Ledger.open(small)


def test_a_newer_copy_from_elsewhere_needs_a_word(small, tmp_path, keys, monkeypatch):
    """Nothing is forgotten by it, but it is not the file that was closed here."""
    away = tmp_path / "elsewhere"
    shutil.copytree(keys, away / "keys")
    shutil.copy(small, away / "clinic.ledger")
    with monkeypatch.context() as there:
        there.setenv("VOILE_KEYS", str(away / "keys"))
        session(away / "clinic.ledger", ["emil"])
    shutil.copy(away / "clinic.ledger", small)
    with pytest.raises(LedgerRefused, match="changed since"):
        Ledger.open(small)
    with Ledger.open(small, attest_current=True) as ledger:
        assert known(ledger, ["emil"]) == [FLU]


def test_links_are_refused(small, tmp_path):
    link = tmp_path / "link.ledger"
    link.symlink_to(small)
    with pytest.raises(LedgerRefused, match="symbolic link"):
        Ledger.open(link)
    with pytest.raises(LedgerRefused, match="symbolic link"):
        Ledger.read(link)
    os.link(small, tmp_path / "second.ledger")
    with pytest.raises(LedgerRefused, match="hard link"):
        Ledger.open(small)


@pytest.mark.parametrize(
    "mode, why", [(0o640, "by others"), (0o604, "by others"), (0o622, "by others"), (0o400, "read-only")]
)
def test_modes(small, mode, why):
    small.chmod(mode)
    with pytest.raises(LedgerRefused, match=why) as refusal:
        Ledger.open(small)
    assert "chmod 600" in refusal.value.remedy


def test_modes_of_key_and_witness(small, keys):
    for file in keys.iterdir():
        file.chmod(0o644)
        with pytest.raises(LedgerRefused, match="by others"):
            Ledger.open(small)
        file.chmod(0o600)
    session(small, ["dora"])


def test_read_only_folder(small, tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(LedgerRefused, match="read-only"):
            Ledger.open(small)
        assert Ledger.read(small).persons == 3
    finally:
        tmp_path.chmod(0o700)


def test_not_a_ledger(tmp_path):
    other = tmp_path / "other.ledger"
    with pytest.raises(LedgerRefused, match="does not exist"):
        Ledger.open(other)
    assert not (tmp_path / "other.ledger.lock").exists()
    for content in (b"", b"name,age\nann,3\n" * 400):
        other.write_bytes(content)
        other.chmod(0o600)
        with pytest.raises(LedgerRefused):
            Ledger.open(other)
    other.unlink()
    import sqlite3

    connection = sqlite3.connect(other)
    connection.execute("create table meta (name, value)")
    connection.commit()
    connection.close()
    other.chmod(0o600)
    with pytest.raises(LedgerRefused, match="not a ledger"):
        Ledger.open(other)
    with pytest.raises(LedgerRefused, match="is not a file"):
        Ledger.read(tmp_path)
    with pytest.raises(LedgerRefused, match="folder does not exist"):
        Ledger.create(tmp_path / "no" / "x.ledger")


@pytest.mark.parametrize("own", ["'../../x'", "'a'", "x'ff'", "17", "'" + "0" * 31 + "'"])
def test_an_id_that_is_none_leads_nowhere(small, keys, own):
    """It names the key file."""
    interrupted(keys)
    connection = open_to_write(small)
    connection.execute(f"update meta set value = {own} where name = 'ledger'")
    connection.close()
    for use in (Ledger.open, Ledger.read):
        with pytest.raises(LedgerRefused, match="damaged"):
            use(small)


def test_what_was_left_of_a_creation_is_swept(tmp_path):
    (tmp_path / ".x.ledger.new").write_bytes(b"half")
    Ledger.create(tmp_path / "x.ledger")
    session(tmp_path / "x.ledger", ["ann"])
    assert not (tmp_path / ".x.ledger.new").exists()


def test_the_reader_of_a_closed_ledger_leaves_no_file(small, tmp_path):
    before = sorted(tmp_path.iterdir())
    connection = open_to_read(small, quiet=True)
    assert connection.execute("select count(*) from chain").fetchone()[0] == 7
    assert sorted(tmp_path.iterdir()) == before
    connection.close()


def test_an_error_while_writing_leaves_the_ledger_closed(path):
    """A disk that fails: what the file holds is found out by opening it again."""
    with Ledger.open(path) as ledger:
        publish(ledger, ["ann"])
        ledger._hold.connection.execute("pragma query_only = 1").fetchall()  # as if the disk refused
        with pytest.raises(LedgerRefused):
            begin(ledger, ["bob"])
        with pytest.raises(LedgerRefused, match="closed after an error"):
            begin(ledger, ["bob"])
    assert json.loads(witness_of(ledger.key_path).read_text())["sha256"] is None
    with Ledger.open(path) as ledger:
        assert known(ledger, ["ann", "bob"]) == [FLU, -1]


def test_a_log_beside_a_closed_ledger_is_not_ours(small, keys, tmp_path):
    """A copy from another machine, taken while it wrote there: here the witness has seen the ledger closed."""
    note = witness(keys).read_bytes()
    with Ledger.open(small) as ledger:
        publish(ledger, ["dora"])
        copies = {p: p.read_bytes() for p in tmp_path.glob("clinic.ledger*") if p.suffix != ".lock"}
    for file, content in copies.items():
        file.write_bytes(content)
        file.chmod(0o600)
    witness(keys).write_bytes(note)
    assert (tmp_path / "clinic.ledger-wal").stat().st_size > 0
    with pytest.raises(LedgerRefused, match="since it was last closed"):
        Ledger.open(small)
    Ledger.open(small, attest_current=True).close()
