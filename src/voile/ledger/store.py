"""The ledger, open for writing: recall persons, reserve a release before anything is written, commit it after.

The order of a publication (facts/threats.md 2.4): reserve, write to a private folder, audit the bytes, `audited`,
reveal, `commit`. A release that is reserved counts as published until recovery proves otherwise.
"""

import datetime
import os
import secrets
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from voile.errors import LedgerRefused, counted
from voile.kernels.pair_order import ascending_pairs
from voile.ledger import chain as links
from voile.ledger.chain import Record, ReleaseRecord
from voile.ledger.content import Content, write_meta, write_record
from voile.ledger.database import checkpoint, refusing, transaction
from voile.ledger.keys import check_value
from voile.ledger.members import forget_members, note_members, noted_members
from voile.ledger.memory import ONCE, UNKNOWN
from voile.ledger.opening import Session, create_ledger, open_session
from voile.ledger.places import file_digest, log_is_gone
from voile.ledger.pseudonyms import People, again, pseudonyms, read_only
from voile.ledger.view import LedgerView, read_ledger

Change = Callable[[sqlite3.Connection, Content], Content]


@dataclass(frozen=True)
class Reservation:
    """A release number of one's own, the hash of its record and the hash before it."""

    release: int
    record: str
    previous: str


class Ledger:
    """The memory of a series of releases; `with Ledger.open(path) as ledger:`."""

    def __init__(self, path: Path, session: Session) -> None:
        self.path = path
        self._where = f"ledger {path.name}"
        self._session = session
        self._content, self._keys, self._witness = session.content, session.keys, session.witness
        self._connection: sqlite3.Connection | None = session.connection
        self._unsure = False  # a write has failed: what the file holds is known only after it is opened again

    def __repr__(self) -> str:
        return f"Ledger({counted(len(self.releases()), 'release')}, {counted(self.persons, 'person')})"

    @staticmethod
    def create(path: str | Path, key: str | Path | None = None) -> None:
        """A new ledger and its key; refuses where there is one already."""
        create_ledger(Path(path).absolute(), _path(key), _now())

    @classmethod
    def open(
        cls,
        path: str | Path,
        key: str | Path | None = None,
        patience: float = 60.0,
        waiting: Callable[[], None] | None = None,
        *,
        attest_current: bool = False,
    ) -> "Ledger":
        """Open for writing, alone; LedgerRefused when it is damaged, rolled back, forked, busy or without its key.

        `attest_current`: the operator states that this is the newest copy, where no witness can say so.
        """
        own = Path(path).absolute()
        return cls(own, open_session(own, _path(key), patience, waiting, attest_current))

    @staticmethod
    def read(path: str | Path, key: str | Path | None = None) -> LedgerView:
        """What a ledger says, without its key and without waiting for anybody."""
        return read_ledger(Path(path).absolute(), _path(key))

    @property
    def id(self) -> str:
        """128 random bits, as hex."""
        return self._content.id

    @property
    def head(self) -> str:
        """The hash of the newest record."""
        return self._content.head.hash

    @property
    def chain(self) -> tuple[Record, ...]:
        """All records."""
        return self._content.chain

    @property
    def key_path(self) -> Path:
        """Where the key lies."""
        return self._keys.path

    @property
    def persons(self) -> int:
        """How many persons are remembered."""
        return self._content.memory.persons

    @property
    def in_series(self) -> int:
        """How many persons have a signature: neither erased nor published otherwise."""
        return self._content.memory.signed

    @property
    def next_release(self) -> int:
        """The number the next reservation will have."""
        return len(self.releases()) + 1

    def releases(self) -> list[ReleaseRecord]:
        """Every release with its state."""
        return list(self._content.releases)

    def signatures(self) -> dict[int, tuple[str, ...]]:
        """The sets of sensitive values by number."""
        return self._content.signatures.sets()

    def pseudonyms(self, texts: pl.Series) -> People:
        """The pseudonyms of persons, in the order of the texts; shape (n, 2)."""
        return pseudonyms(texts, self._keys.keys[: self._content.generation])

    def recall(self, people: People) -> NDArray[np.int64]:
        """The signature number of each person, or UNKNOWN, ONCE (published otherwise, never again), ERASED."""
        return self._content.memory.recall(people)

    def note_members(self, release: int, people: People) -> None:
        """Note who is in a release, for the next preview; nothing depends on it."""
        note_members(self.path, self.releases()[release - 1].record, people)

    def members(self, release: int) -> People | None:
        """Who is in a release, ascending; known of the last one at most."""
        return noted_members(self.path, self.releases()[release - 1].record)

    def reserve(
        self,
        people_new: People,
        signature_of: ArrayLike,
        sets: Sequence[tuple[str, ...]],
        body: dict[str, Any],
        folder: str | Path,
    ) -> Reservation:
        """Remember the new persons with their signatures and take the next number, in one durable step.

        `signature_of` holds positions in `sets`; without sets all persons are ONCE.
        """
        chosen = np.asarray(signature_of, np.int64)
        people, order = ascending_pairs(read_only(people_new))
        self._refuse_reservation(people, chosen, sets)
        release = self.next_release
        settled = {r.number for r in self.releases() if r.state not in links.DANGLING}

        def change(connection: sqlite3.Connection, content: Content) -> Content:
            signatures, numbers = content.signatures.adding(connection, sets)
            each = np.array(numbers or [ONCE], np.int64)[chosen[order]]
            memory = content.memory.merged(connection, settled).add(connection, release, people, each)
            return replace(content, signatures=signatures, memory=memory)

        given = {"release": release, "folder": os.path.abspath(folder), "body": body, "new": len(people)}
        record = self._record("reserved", given, change)
        return Reservation(release, record.hash, record.previous)

    def _refuse_reservation(
        self, people: People, chosen: NDArray[np.int64], sets: Sequence[tuple[str, ...]]
    ) -> None:
        problem = ""
        if len(chosen) != len(people):
            problem = "persons and signatures differ in number"
        elif chosen.size and not (chosen.min() >= 0 and chosen.max() < max(len(sets), 1)):
            problem = "a signature is not among the sets"
        elif any(len(set(labels)) != len(labels) or not labels for labels in sets):
            problem = "a signature is empty or repeats a value"
        elif (people[1:] == people[:-1]).all(axis=1).any():
            problem = "a person is reserved twice"
        elif (self._content.memory.recall_ascending(people) != UNKNOWN).any():
            problem = "a person is in the ledger already"
        if problem:
            raise LedgerRefused(
                problem,
                where=self._where,
                rule="one signature per person, for ever",
                remedy="recall persons first",
            )

    def audited(self, release: int, files: dict[str, str]) -> None:
        """Note the digests of the staged files, just before they are revealed."""
        self._step("audited", release, {"files": dict(files)})

    def commit(self, release: int) -> None:
        """The release is visible."""
        self._step("committed", release, {})

    def abandon(self, release: int, reason: str, *, forget: bool = True) -> None:
        """Nothing of it was revealed: forget the persons it introduced, unless a later release relied on them.

        Who does not know that for certain, as its own publisher does, must not `forget`.
        """
        later = any(r.remembered for r in self.releases()[release:])
        remembered = later or not forget

        def change(connection: sqlite3.Connection, content: Content) -> Content:
            return replace(content, memory=content.memory.without(connection, release))

        body = {"reason": reason, "remembered": remembered}
        self._step("abandoned", release, body, None if remembered else change)

    def withdraw(self, release: int, reason: str) -> None:
        """The release was recalled from its readers: noted, never forgotten, since it may have been read."""
        self._step("withdrawn", release, {"reason": reason})

    def _step(self, kind: str, release: int, more: dict[str, Any], change: Change | None = None) -> None:
        body = {"release": release, **more}
        after = Record.after(self._content.chain, kind, {**body, "date": _now()})
        try:
            links.releases([*self._content.chain, after])
            fits = 1 <= release < self.next_release
        except (ValueError, IndexError):
            fits = False
        if not fits:
            found = [r.state for r in self.releases() if r.number == release]
            state = f"is {found[0]}" if found else "does not exist"
            raise LedgerRefused(
                f"release {release} {state}: it cannot be {kind}",
                where=self._where,
                remedy="see voile ledger show, and voile ledger recover for a release that was interrupted",
            )
        self._record(kind, body, change)

    def erase(self, people: People) -> int:
        """Forget the signatures of these persons, and sets that nobody else has; returns of how many persons.
        Their pseudonyms stay."""
        if (self.recall(people) >= ONCE).sum() == 0:
            return 0
        count = 0

        def change(connection: sqlite3.Connection, content: Content) -> Content:
            nonlocal count
            memory, count = content.memory.erased(connection, people)
            signatures = content.signatures.keeping(connection, memory.used())
            return replace(content, memory=memory, signatures=signatures)

        with refusing(self._where):
            forget_members(self.path)
        self._record("erased", {}, change)
        return count

    def rotate(self) -> None:
        """A new key over the old ones: whoever has only the old key file recognises nobody any more.

        The key is durable before the ledger needs it; one left over by an interrupted rotation is replaced.
        """
        self._writable()  # before a key is replaced that the file, after an error, may need already
        generation = self._content.generation + 1
        with refusing(self._where):
            forget_members(self.path)
        with refusing(f"key {self._keys.path}"):
            more = self._keys.with_another(generation - 1)
            more.write()
        self._keys, key = more, more.keys[-1]

        def change(connection: sqlite3.Connection, content: Content) -> Content:
            return replace(content, memory=content.memory.mapped(connection, lambda people: again(people, key)))

        check = check_value(more.keys)
        self._record("rotated", {"generation": generation, "check": check}, change)

    def _record(self, kind: str, body: dict[str, Any], change: Change | None = None) -> Record:
        """One transaction: the change and the record of it; then the witness hears of it."""
        connection = self._writable()
        links.canonical(body)  # what is no JSON fails before anything is begun
        with refusing(self._where):
            if self._witness.sha256 is not None:  # from here on the file's bytes may change
                self._tell(self._witness.number, self._witness.head)
            self._unsure = True
            with transaction(connection):
                self._refuse_moved(connection)
                content = change(connection, self._content) if change else self._content
                memory = {"memory": content.digest()} if change else {}
                whole = {**body, **memory, "date": _now(), "salt": secrets.token_hex(16)}
                record = Record.after(content.chain, kind, whole)
                write_record(connection, record)
                content = replace(content, chain=(*content.chain, record))
                write_meta(connection, content.meta())
            self._content = content
            self._tell(record.number, record.hash)
            self._unsure = False
        return record

    def _writable(self) -> sqlite3.Connection:
        if self._connection is None or self._unsure:
            raise LedgerRefused(
                "is closed after an error", where=self._where, remedy="open it again: it is checked"
            )
        return self._connection

    def _refuse_moved(self, connection: sqlite3.Connection) -> None:
        row = connection.execute("select number, hash from chain order by number desc limit 1").fetchone()
        if row != (self._content.head.number, self.head):
            raise LedgerRefused("another program has written to it", where=self._where, remedy="start again")

    def _tell(self, number: int, head: str) -> None:
        heard = self._witness.saw(number, head)
        heard.write(self._session.witness_path)
        self._witness = heard

    def close(self) -> None:
        """Bring everything into one file, tell the witness its digest, let others in.

        An error here loses nothing: what was committed is durable in the log, and a witness without a digest makes
        the next opening check everything.
        """
        if self._connection is None:
            return
        try:
            whole = self._witness.sha256 is None and not self._unsure and checkpoint(self._connection)
            self._connection.close()
            self._connection = None
            if whole and log_is_gone(self.path):
                sealed = replace(self._witness, sha256=file_digest(self.path))
                sealed.write(self._session.witness_path)
                self._witness = sealed
        except (OSError, sqlite3.Error):
            pass
        finally:
            self._connection = None
            self._session.lock.release()

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _path(key: str | Path | None) -> Path | None:
    return None if key is None else Path(key).absolute()


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
