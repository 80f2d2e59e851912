"""A ledger in a SQLite file. Its seal is the digest of the closed file: bytes that another program changed, and an
older copy, are told by it before SQLite looks at them."""

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from voile.errors import LedgerRefused
from voile.ledger.connection import Connection
from voile.ledger.content import Content, ledger_id, load_content
from voile.ledger.database import (
    STEPS,
    checkpoint,
    faults,
    initialise,
    migrate,
    open_to_read,
    open_to_write,
    reading,
    refuse_stranger,
    refusing,
    transaction,
    version_of,
)
from voile.ledger.home import Hold, Home, SealWords
from voile.ledger.lock import Lock
from voile.ledger.members import members_file
from voile.ledger.places import (
    file_digest,
    has_content,
    log_is_gone,
    refuse_existing,
    refuse_file,
    refuse_folder,
    replace_file,
    sync_folder,
    wal_of,
)


class FileHome(Home):
    """A file, its lock, its log and its note beside it."""

    kind = "a file"
    path: Path
    seal_words = SealWords(
        "the bytes of the file are those of the last closing",
        "was changed since it was last closed",
        "its bytes are not those the witness saw",
    )

    def __init__(self, path: Path) -> None:
        self.text, self.folder, self.path = str(path), path.parent, path.absolute()
        self.name = self.path.name

    def is_at(self, path: Path) -> bool:
        """Whether a file would take the ledger's own place."""
        return os.path.realpath(path) == os.path.realpath(self.path)

    def is_missing(self) -> bool:
        """Whether there is no such file."""
        return not self.path.exists()

    def create(
        self, before: Callable[[], None], fill: Callable[[Connection], None], sealed: Callable[[str | None], None]
    ) -> None:
        """Built beside its place and renamed into it."""
        path, where = self.path, self.where
        refuse_folder(path.parent, where)
        refuse_existing(path, where)
        refuse_existing(wal_of(path), f"ledger {wal_of(path).name}")  # SQLite would take it for the new one's
        lock = Lock(path)
        with refusing(where):
            lock.acquire(0.0)
            try:
                refuse_existing(path, where)
                before()
                draft = path.with_name(f".{path.name}.new")
                for left in (draft, wal_of(draft), draft.with_name(draft.name + "-shm")):
                    left.unlink(missing_ok=True)
                _fill(draft, fill)
                sealed(file_digest(draft))
                os.rename(draft, path)
                sync_folder(path.parent)
            finally:
                lock.release()

    def hold(self, patience: float, waiting: Callable[[], None] | None) -> "FileHold":
        """Lock it."""
        refuse_folder(self.path.parent, self.where)
        refuse_file(self.path, self.where)
        lock = Lock(self.path)
        lock.acquire(patience, waiting)
        try:
            return FileHold(self, lock)
        except BaseException:
            lock.release()
            raise

    def read(self) -> tuple[str | None, Content]:
        """Without waiting; the seal is None while somebody writes or after an interruption."""
        path, where = self.path, self.where
        refuse_folder(path.parent, where, writing=False)
        refuse_file(path, where, writing=False)
        lock = Lock(path)
        with refusing(where):
            quiet = lock.try_shared() or not lock.path.exists()  # whoever writes has made the lock file first
            try:
                seal = file_digest(path) if quiet and not has_content(wal_of(path)) else None
                return seal, _read(path, quiet, where)
            finally:
                lock.release()


class FileHold(Hold):
    """The locked file; nothing of it is touched before `begin`."""

    open_seal = None  # its bytes change

    def __init__(self, home: FileHome, lock: Lock) -> None:
        self._path, self._where, self._lock = home.path, home.where, lock
        self.connection: sqlite3.Connection | None = None
        refuse_file(home.path, home.where)
        for extra in ("-wal", "-shm"):
            beside = home.path.with_name(home.name + extra)
            if os.path.lexists(beside):
                refuse_file(beside, f"ledger {beside.name}")

    def seal(self) -> str | None:
        """The digest of the file; None where there is a log."""
        return None if has_content(wal_of(self._path)) else file_digest(self._path)

    def identity(self) -> tuple[str, bool]:
        """The id it claims, and whether its tables are of an older version."""
        connection = open_to_read(self._path, quiet=True)
        try:
            with reading(self._where):
                refuse_stranger(connection, self._where)
                return ledger_id(connection), version_of(connection) < len(STEPS)
        finally:
            connection.close()

    def migrate(self) -> None:
        """Bring the tables to the newest version."""
        connection = open_to_write(self._path)
        try:
            migrate(connection, self._where)
            checkpoint(connection)
        finally:
            connection.close()

    def content(self, thorough: bool) -> Content:
        """Nobody writes meanwhile: the lock is ours. `thorough` has SQLite look at its own structure."""
        connection = open_to_read(self._path, quiet=True)
        try:
            return load_content(connection, self._where, thorough and _broken(connection, self._where))
        finally:
            connection.close()

    def begin(self) -> None:
        """Open for writing."""
        self.connection = open_to_write(self._path)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Connection]:
        """All or nothing, durable when it is over."""
        assert self.connection is not None
        with transaction(self.connection):
            yield self.connection

    def scrub(self) -> None:
        """Nothing to do: secure_delete has overwritten what was deleted."""

    def note(self, content: bytes | None) -> None:
        """A private file beside the ledger."""
        if content is None:
            members_file(self._path).unlink(missing_ok=True)
        else:
            replace_file(members_file(self._path), content)

    def noted(self) -> bytes | None:
        """The note, unless it is a link."""
        path = members_file(self._path)
        try:
            return None if path.is_symlink() else path.read_bytes()
        except OSError:
            return None

    def close(self, sealing: bool) -> str | None:
        """Bring everything into one file. An error loses nothing: what was committed is durable in the log."""
        if self.connection is None:
            return None
        try:
            whole = sealing and checkpoint(self.connection)
            self.connection.close()
            return file_digest(self._path) if whole and log_is_gone(self._path) else None
        except (OSError, sqlite3.Error):
            return None
        finally:
            self.connection = None

    def release(self) -> None:
        """Let others in."""
        self._lock.release()


def _fill(draft: Path, fill: Callable[[Connection], None]) -> None:
    connection = initialise(draft)
    try:
        with transaction(connection):
            fill(connection)
        whole = checkpoint(connection)
    finally:
        connection.close()
    if not whole:
        raise LedgerRefused("cannot be written", where=f"ledger {draft.name}", remedy="make room, then try again")


def _broken(connection: sqlite3.Connection, where: str) -> bool:
    with reading(where):
        return faults(connection)


def _read(path: Path, quiet: bool, where: str) -> Content:
    connection = open_to_read(path, quiet)
    try:
        refuse_stranger(connection, where)
        connection.execute("begin")  # one moment, whatever a writer does meanwhile
        return load_content(connection, where, _broken(connection, where))
    finally:
        connection.close()
