"""Tables of older versions are brought up step by step; those of newer versions are refused."""

import os
import sqlite3

import pytest

from tests.ledger.clinic import FLU, known, session
from voile.errors import LedgerRefused
from voile.ledger import Ledger, database, file_home


def hand_made(path, version, *statements):
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"pragma application_id = {database.APPLICATION_ID}")
    connection.execute(f"pragma user_version = {version}")
    for statement in statements:
        connection.execute(statement)
    connection.close()


def tables(connection):
    return {row[0] for row in connection.execute("select name from sqlite_schema where type = 'table'")}


def test_version_zero(tmp_path):
    hand_made(tmp_path / "old", 0)
    connection = database.open_to_write(tmp_path / "old")
    assert database.migrate(connection, "x")
    assert tables(connection) == {"meta", "chain", "signature", "memory"}
    assert database.version_of(connection) == len(database.STEPS)
    assert not database.migrate(connection, "x")
    connection.close()


def test_steps_run_in_order_and_all_or_none(tmp_path):
    def add_column(connection):
        connection.execute("alter table pages add column salt blob")

    def fail(connection):
        connection.execute("create table half (x)")
        connection.execute("nonsense")

    hand_made(tmp_path / "old", 1, "create table pages (number integer)", "insert into pages values (7)")
    connection = database.open_to_write(tmp_path / "old")
    never = database.STEPS[0]
    with pytest.raises(sqlite3.OperationalError):
        database.migrate(connection, "x", (never, add_column, fail))
    assert tables(connection) == {"pages"} and database.version_of(connection) == 1
    assert database.migrate(connection, "x", (never, add_column))
    assert connection.execute("select number, salt from pages").fetchall() == [(7, None)]
    assert database.version_of(connection) == 2
    connection.close()


def test_newer_than_we_know(path):
    connection = database.open_to_write(path)
    connection.execute(f"pragma user_version = {len(database.STEPS) + 1}")
    connection.close()
    for use in (Ledger.open, Ledger.read):
        with pytest.raises(LedgerRefused, match="newer Voile"):
            use(path)


def test_a_ledger_with_content_is_migrated_when_opened(path, monkeypatch):
    """The next version, as a later Voile will have it, on today's ledger."""
    session(path, ["ann"])

    def add_column(connection):
        connection.execute("alter table memory add column note text")

    later = (*database.STEPS, add_column)
    monkeypatch.setattr(database, "STEPS", later)
    monkeypatch.setattr(file_home, "STEPS", later)
    monkeypatch.setattr(database.migrate, "__defaults__", (later,))
    monkeypatch.setattr(database.refuse_stranger, "__defaults__", (later,))
    with Ledger.open(path) as ledger:
        assert known(ledger, ["ann"]) == [FLU]
    session(path, ["bob"])
    connection = database.open_to_read(path, quiet=True)
    assert database.version_of(connection) == 2
    connection.close()
