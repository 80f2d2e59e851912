"""The SQLite file of a ledger: how it is opened, what its tables are, how they change from version to version.

Every pragma is read back: one that is executed and not fetched swallows its error, a full disk included.
"""

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from voile.errors import LedgerRefused
from voile.ledger.places import disk_problem, has_content, wal_of

APPLICATION_ID = 0x566F696C  # "Voil"
DAMAGED = "keep what is damaged, and restore the newest backup (docs/ledger.md)"
_BUSY_MS = 60_000
Step = Callable[[sqlite3.Connection], None]

_TABLES = (
    "create table meta (name text primary key, value text not null) without rowid",
    """create table chain (number integer primary key, kind text not null, body text not null,
       previous text not null unique, hash text not null unique)""",
    "create table signature (number integer primary key, labels text not null unique)",
    """create table memory (page integer primary key, release integer not null, salt blob not null,
       pseudonyms blob not null, signatures blob not null)""",
)


def _first_tables(connection: sqlite3.Connection) -> None:
    for table in _TABLES:
        connection.execute(table)


# step i leads from version i to version i + 1; steps are only ever added at the end
STEPS: tuple[Step, ...] = (_first_tables,)


@contextlib.contextmanager
def refusing(where: str) -> Iterator[None]:
    """What SQLite or the disk says, as a refusal."""
    problem, remedy = "", ""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", type(error).__name__)
        problem, remedy = _meaning(name)
    except UnicodeDecodeError:  # a damaged schema: what SQLite says of it is no text
        problem, remedy = _meaning("SQLITE_CORRUPT")
    except OSError as error:
        problem, remedy = disk_problem(error)
    if problem:
        raise LedgerRefused(problem, where=where, remedy=remedy)


@contextlib.contextmanager
def reading(where: str) -> Iterator[None]:
    """A damaged file can make anything fail that reads it, text that is none included: that is damage, too."""
    damaged = False
    try:
        yield
    except (ValueError, TypeError, LookupError, ArithmeticError, RecursionError):
        damaged = True
    if damaged:
        raise LedgerRefused("is damaged", where=where, remedy=DAMAGED)


def _meaning(name: str) -> tuple[str, str]:
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or name in ("SQLITE_ERROR", "SQLITE_FORMAT"):
        return "is damaged, or not a ledger", DAMAGED
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return "another program keeps it busy", "close that program, then try again"
    if name.startswith("SQLITE_READONLY"):
        return "is read-only", "make the file and its folder writable for yourself"
    remedy = "make room or mend the disk, then try again; nothing half done is believed"
    return f"cannot be read or written ({name.removeprefix('SQLITE_').lower()})", remedy


def pragma(connection: sqlite3.Connection, name: str, value: str | int, expected: object) -> None:
    """Set a pragma and make sure that it is set."""
    connection.execute(f"pragma {name} = {value}").fetchall()
    found = connection.execute(f"pragma {name}").fetchone()
    if found is None or found[0] != expected:
        raise LedgerRefused(
            f"SQLite does not accept {name} = {value}",
            where="ledger",
            remedy="use a Python whose SQLite is 3.31 or newer",
        )


def open_to_write(path: Path) -> sqlite3.Connection:
    """A connection that is durable at every commit."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None)
    try:
        pragma(connection, "busy_timeout", _BUSY_MS, _BUSY_MS)
        pragma(connection, "trusted_schema", 0, 0)
        pragma(connection, "cell_size_check", 1, 1)
        pragma(connection, "journal_mode", "wal", "wal")
        pragma(connection, "synchronous", "full", 2)
        pragma(connection, "secure_delete", 1, 1)
        pragma(connection, "foreign_keys", 1, 1)
    except BaseException:
        connection.close()
        raise
    return connection


def open_to_read(path: Path, quiet: bool) -> sqlite3.Connection:
    """A connection that changes nothing; `quiet` says that nobody writes meanwhile.

    A quiet, closed ledger is read without any lock or second file, so also from a read-only disk.
    """
    mode = "mode=ro&immutable=1" if quiet and not has_content(wal_of(path)) else "mode=ro"
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, isolation_level=None)
    try:
        pragma(connection, "busy_timeout", _BUSY_MS, _BUSY_MS)
        pragma(connection, "trusted_schema", 0, 0)
    except BaseException:
        connection.close()
        raise
    return connection


def initialise(path: Path) -> sqlite3.Connection:
    """A new file with empty tables; its mode is private before SQLite sees it, and SQLite copies the mode."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600))
    connection = open_to_write(path)
    pragma(connection, "application_id", APPLICATION_ID, APPLICATION_ID)
    migrate(connection, f"ledger {path.name}")
    return connection


def version_of(connection: sqlite3.Connection) -> int:
    """The version of the tables."""
    return int(connection.execute("pragma user_version").fetchone()[0])


def refuse_stranger(connection: sqlite3.Connection, where: str, steps: Sequence[Step] = STEPS) -> None:
    """Refuse a file that is not a ledger, or one that a newer Voile has written."""
    if connection.execute("pragma application_id").fetchone()[0] != APPLICATION_ID:
        raise LedgerRefused("is not a ledger of Voile", where=where, remedy="correct the path")
    version = version_of(connection)
    if version > len(steps):
        raise LedgerRefused(
            f"was written by a newer Voile (version {version}, this one knows {len(steps)})",
            where=where,
            remedy="install the newest Voile",
        )


def migrate(connection: sqlite3.Connection, where: str, steps: Sequence[Step] = STEPS) -> bool:
    """Bring the tables to the newest version, all steps in one transaction; whether anything was to do."""
    refuse_stranger(connection, where, steps)
    version = version_of(connection)
    if version == len(steps):
        return False
    with transaction(connection):
        for step in steps[version:]:
            step(connection)
        pragma(connection, "user_version", len(steps), len(steps))
    return True


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, durable when it is over."""
    connection.execute("begin immediate")
    try:
        yield
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("rollback")
        raise


def checkpoint(connection: sqlite3.Connection) -> bool:
    """Bring everything into the file itself and empty the log; whether that succeeded."""
    try:
        busy = connection.execute("pragma wal_checkpoint(truncate)").fetchone()[0]
    except sqlite3.Error:  # nothing is lost: what was committed stays in the log
        return False
    return bool(busy == 0)


def faults(connection: sqlite3.Connection) -> bool:
    """Whether SQLite finds its own structure damaged."""
    return bool(connection.execute("pragma integrity_check").fetchall() != [("ok",)])
