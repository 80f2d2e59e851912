"""Creating a ledger, and opening one only after it has been compared with its key and its witness."""

import os
import secrets
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from voile.errors import LedgerRefused
from voile.ledger.chain import Record
from voile.ledger.content import Content, Signatures, ledger_id, load_content, write_meta, write_record
from voile.ledger.database import (
    STEPS,
    checkpoint,
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
from voile.ledger.keys import KeyFile, check_value, default_key
from voile.ledger.lock import Lock
from voile.ledger.memory import Memory
from voile.ledger.places import file_digest, has_content, refuse_file, refuse_folder, sync_folder, wal_of
from voile.ledger.witness import Witness, witness_of


@dataclass
class Session:
    """What an open ledger holds."""

    lock: Lock
    connection: sqlite3.Connection
    content: Content
    keys: KeyFile
    witness: Witness
    witness_path: Path


def create_ledger(path: Path, key: Path | None, date: str) -> None:
    """A new ledger, built beside its place and renamed into it; key and witness are durable before it appears."""
    where = f"ledger {path.name}"
    refuse_folder(path.parent, where)
    _refuse_existing(path, where)
    _refuse_existing(wal_of(path), f"ledger {wal_of(path).name}")  # SQLite would take it for the new one's
    lock = Lock(path)
    with refusing(where):
        lock.acquire(0.0)
        try:
            _refuse_existing(path, where)
            own = secrets.token_hex(16)
            keys = KeyFile.new(key or default_key(own), own)
            for place in (keys.path, witness_of(keys.path)):
                _refuse_same(place, path)
                _refuse_existing(place, f"key folder, {place.name}")
            keys.write()
            draft = path.with_name(f".{path.name}.new")
            for left in (draft, wal_of(draft), draft.with_name(draft.name + "-shm")):
                left.unlink(missing_ok=True)
            head = _first_record(draft, keys, date)
            Witness(own, 1, head, file_digest(draft)).write(witness_of(keys.path))
            os.rename(draft, path)
            sync_folder(path.parent)
        finally:
            lock.release()


def _refuse_existing(path: Path, where: str) -> None:
    if os.path.lexists(path):
        raise LedgerRefused("exists already", where=where, remedy="use it, or choose another name")


def _refuse_same(place: Path, ledger: Path) -> None:
    if os.path.realpath(place) == os.path.realpath(ledger):
        raise LedgerRefused(
            "is the ledger's own place, or leaves none for the witness",
            where=f"key folder, {place.name}",
            remedy="give key and ledger names that differ before the last dot",
        )


def _first_record(draft: Path, keys: KeyFile, date: str) -> str:
    connection = initialise(draft)
    try:
        signatures, memory = Signatures.load(connection), Memory([])
        body = {
            "ledger": keys.ledger,
            "date": date,
            "generation": 1,
            "check": check_value(keys.keys),
            "memory": memory.digest(signatures.digest),
        }
        record = Record.after((), "created", body)
        with transaction(connection):
            write_record(connection, record)
            write_meta(connection, Content(keys.ledger, (record,), signatures, memory).meta())
        whole = checkpoint(connection)
    finally:
        connection.close()
    if not whole:
        raise LedgerRefused("cannot be written", where=f"ledger {draft.name}", remedy="make room, then try again")
    return record.hash


def open_session(
    path: Path, key: Path | None, patience: float, waiting: Callable[[], None] | None, attest_current: bool
) -> Session:
    """Lock, read without touching, compare, and only then open for writing."""
    where = f"ledger {path.name}"
    refuse_folder(path.parent, where)
    refuse_file(path, where)
    lock = Lock(path)
    with refusing(where):
        lock.acquire(patience, waiting)
        try:
            return _opened(path, key, lock, attest_current, where)
        except BaseException:
            lock.release()
            raise


def _opened(path: Path, key: Path | None, lock: Lock, attest_current: bool, where: str) -> Session:
    refuse_file(path, where)
    for extra in ("-wal", "-shm"):
        beside = path.with_name(path.name + extra)
        if os.path.lexists(beside):
            refuse_file(beside, f"ledger {beside.name}")
    digest = None if has_content(wal_of(path)) else file_digest(path)
    own, version = _identity(path, where)
    keys = KeyFile.read(key or default_key(own), own)
    witness_path = witness_of(keys.path)
    witness = Witness.read(witness_path, own)
    closed = witness is not None and witness.sha256 is not None and witness.sha256 == digest
    if version < len(STEPS):
        if not closed and not attest_current:
            _refuse_unwitnessed(witness, where)
        if witness is not None:  # from here on the file's bytes change
            witness = replace(witness, sha256=None)
            witness.write(witness_path)
        _migrated(path, where)
        closed = False
    content = _content(path, where, thorough=not closed)
    keys.refuse_other(content.generation, content.check)
    if witness is not None:
        refuse_other_history(witness, content, where)
    if not closed and not attest_current:
        _refuse_unwitnessed(witness, where)
    if witness is None or not closed:
        witness = Witness(own, content.head.number, content.head.hash, None)
        witness.write(witness_path)
    return Session(lock, open_to_write(path), content, keys, witness, witness_path)


def _identity(path: Path, where: str) -> tuple[str, int]:
    connection = open_to_read(path, quiet=True)
    try:
        with reading(where):
            refuse_stranger(connection, where)
            return ledger_id(connection), version_of(connection)
    finally:
        connection.close()


def _content(path: Path, where: str, thorough: bool) -> Content:
    """Nobody writes meanwhile: the lock is ours."""
    connection = open_to_read(path, quiet=True)
    try:
        return load_content(connection, where, thorough)
    finally:
        connection.close()


def _migrated(path: Path, where: str) -> None:
    connection = open_to_write(path)
    try:
        migrate(connection, where)
        checkpoint(connection)
    finally:
        connection.close()


def refuse_other_history(witness: Witness, content: Content, where: str) -> None:
    """Refuse a ledger that is older than the witness, or that went another way."""
    if witness.number > content.head.number:
        raise LedgerRefused(
            f"is an old copy: it ends at record {content.head.number}, record {witness.number} had been written",
            where=where,
            rule="who was published since would be forgotten",
            remedy="restore the newest copy (docs/ledger.md)",
        )
    if content.chain[witness.number - 1].hash != witness.head:
        raise LedgerRefused(
            f"went another way than the one used here (record {witness.number} is a different one)",
            where=where,
            rule="two copies that publish separately disclose together",
            remedy="use the copy that was used with this key, and never publish from the other (docs/ledger.md)",
        )


def _refuse_unwitnessed(witness: Witness | None, where: str) -> None:
    """Unless a session was interrupted: it takes the digest from the witness before it writes a byte, and gives it
    one only when the log is gone, durably. So a digest beside a log that is not empty is not ours either."""
    attest = "if this is surely the newest copy: voile ledger recover LEDGER --attest-current (docs/ledger.md)"
    if witness is None:
        raise LedgerRefused(
            "has no witness beside its key that it is the newest copy",
            where=where,
            remedy=f"restore the witness, or, {attest}",
        )
    if witness.sha256 is not None:
        raise LedgerRefused(
            "was changed since it was last closed",
            where=where,
            rule="its bytes are not those the witness saw",
            remedy=f"restore the newest backup, or, {attest}",
        )
