"""The ledger, open for writing: recall persons, reserve a release before anything is written, commit it after.

The order of a publication (docs/facts/threats.md 2.4): reserve, write to a private folder, audit the bytes,
`audited`, reveal, `commit`. A release that is reserved counts as published until recovery proves otherwise.
"""

import contextlib
import datetime
import os
import secrets
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
from voile.ledger.connection import Connection
from voile.ledger.content import Content, write_meta, write_record
from voile.ledger.database import refusing
from voile.ledger.home import Hold, Home, home_of
from voile.ledger.keys import check_value
from voile.ledger.members import members_note, noted_members
from voile.ledger.memory import ONCE, UNKNOWN
from voile.ledger.opening import Session, create_ledger, open_session
from voile.ledger.places import this_machine
from voile.ledger.pseudonyms import People, again, pseudonyms, read_only
from voile.ledger.view import LedgerView, read_ledger

Change = Callable[[Connection, Content], Content]
Place = str | Path | Home


@dataclass(frozen=True)
class Reservation:
    """A release number of one's own, the hash of its record and the hash before it."""

    release: int
    record: str
    previous: str


class Ledger:
    """The memory of a series of releases; `with Ledger.open(path) as ledger:`."""

    def __init__(self, home: Home, session: Session) -> None:
        self.home = home
        self._where = home.where
        self._session = session
        self._content, self._keys, self._witness = session.content, session.keys, session.witness
        self._hold: Hold | None = session.hold
        self._unsure = False  # a write has failed: what was written is known only after it is opened again

    def __repr__(self) -> str:
        return f"Ledger({counted(len(self.releases()), 'release')}, {counted(self.persons, 'person')})"

    @staticmethod
    def create(path: Place, key: str | Path | None = None) -> None:
        """A new ledger and its key; refuses where there is one already."""
        create_ledger(home_of(path), _path(key), _now())

    @classmethod
    def open(
        cls,
        path: Place,
        key: str | Path | None = None,
        patience: float = 60.0,
        waiting: Callable[[], None] | None = None,
        *,
        attest_current: bool = False,
        moving: bool = False,
    ) -> "Ledger":
        """Open for writing, alone; LedgerRefused when it is damaged, rolled back, forked, busy or without its key.

        `path`: a file, or postgresql://user@host/database#name. `attest_current`: the operator states that this is
        the newest copy, where no witness can say so. `moving` is for copying alone (copying.py).
        """
        home = home_of(path)
        return cls(home, open_session(home, _path(key), patience, waiting, attest_current, moving))

    @staticmethod
    def read(path: Place, key: str | Path | None = None) -> LedgerView:
        """What a ledger says, without its key and without waiting for anybody."""
        return read_ledger(home_of(path), _path(key))

    @property
    def id(self) -> str:
        """128 random bits, as hex."""
        return self._content.id

    @property
    def head(self) -> str:
        """The hash of the newest record."""
        return self._content.head.hash

    @property
    def content(self) -> Content:
        """All it says."""
        return self._content

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
        note = members_note(self.releases()[release - 1].record, people)
        try:
            self._writable().note(note)
        except (OSError, LedgerRefused):  # the release itself is out and remembered
            self._forget_members()

    def members(self, release: int) -> People | None:
        """Who is in a release, ascending; known of the last one at most."""
        return noted_members(self._writable().noted(), self.releases()[release - 1].record)

    def _forget_members(self) -> None:
        with contextlib.suppress(OSError, LedgerRefused):
            self._writable().note(None)

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

        def change(connection: Connection, content: Content) -> Content:
            signatures, numbers = content.signatures.adding(connection, sets)
            each = np.array(numbers or [ONCE], np.int64)[chosen[order]]
            memory = content.memory.merged(connection, settled).add(connection, release, people, each)
            return replace(content, signatures=signatures, memory=memory)

        given = {"release": release, "folder": os.path.abspath(folder), "body": body, "new": len(people)}
        given["machine"] = this_machine(self.id)
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

        def change(connection: Connection, content: Content) -> Content:
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
            self._writable().scrub()  # perhaps an earlier run could not
            return 0
        count = 0

        def change(connection: Connection, content: Content) -> Content:
            nonlocal count
            memory, count = content.memory.erased(connection, people)
            signatures = content.signatures.keeping(connection, memory.used())
            return replace(content, memory=memory, signatures=signatures)

        with refusing(self._where):
            self._writable().note(None)
        self._record("erased", {}, change)
        self._writable().scrub()
        return count

    def rotate(self) -> None:
        """A new key over the old ones: whoever has only the old key file recognises nobody any more.

        The key is durable before the ledger needs it; one left over by an interrupted rotation is replaced.
        """
        hold = self._writable()  # before a key is replaced that the ledger, after an error, may need already
        generation = self._content.generation + 1
        with refusing(self._where):
            hold.note(None)
        with refusing(f"key {self._keys.path}"):
            more = self._keys.with_another(generation - 1)
            more.write()
        self._keys, key = more, more.keys[-1]

        def change(connection: Connection, content: Content) -> Content:
            return replace(content, memory=content.memory.mapped(connection, lambda people: again(people, key)))

        check = check_value(more.keys)
        self._record("rotated", {"generation": generation, "check": check}, change)
        hold.scrub()

    def retire(self, moved: Record) -> None:
        """The last record, which its copy has already: this ledger goes on there."""
        if Record.after(self.chain, links.MOVED, moved.body) != moved:
            raise ValueError("another ledger was moved")
        with refusing(self._where):
            self._writable().note(None)
        self._record(links.MOVED, moved.body)

    def arrive(self) -> None:
        """The first record after a move: from here on it is this ledger that goes on."""
        self._record(links.ARRIVED, {})

    def _record(self, kind: str, body: dict[str, Any], change: Change | None = None) -> Record:
        """One transaction: the change and the record of it; then the witness hears of it."""
        hold = self._writable()
        links.canonical(body)  # what is no JSON fails before anything is begun
        with refusing(self._where):
            if self._witness.sha256 not in (None, hold.open_seal):  # from here on a file's bytes may change
                self._tell(self._witness.number, self._witness.head, None)
            self._unsure = True
            with hold.transaction() as connection:
                self._refuse_overtaken(connection)
                content = change(connection, self._content) if change else self._content
                memory = {"memory": content.digest()} if change else {}
                whole = {"date": _now(), "salt": secrets.token_hex(16), **body, **memory}
                record = Record.after(content.chain, kind, whole)
                write_record(connection, record)
                content = replace(content, chain=(*content.chain, record))
                write_meta(connection, content.meta())
            self._content = content
            self._tell(record.number, record.hash, None if content.moved_to else hold.open_seal)
            self._unsure = False
        return record

    def _writable(self) -> Hold:
        if self._hold is None or self._unsure:
            raise LedgerRefused(
                "is closed after an error", where=self._where, remedy="open it again: it is checked"
            )
        return self._hold

    def _refuse_overtaken(self, connection: Connection) -> None:
        row = connection.execute("select number, hash from chain order by number desc limit 1").fetchone()
        if row != (self._content.head.number, self.head):
            raise LedgerRefused("another program has written to it", where=self._where, remedy="start again")

    def _tell(self, number: int, head: str, seal: str | None) -> None:
        heard = self._witness.saw(number, head, seal)
        heard.write(self._session.witness_path)
        self._witness = heard

    def close(self) -> None:
        """Tell the witness the seal, let others in.

        An error here loses nothing: what was committed is durable, and a witness without a seal makes the next
        opening check everything. Of a ledger that was moved the witness keeps no seal.
        """
        if self._hold is None:
            return
        hold, self._hold = self._hold, None
        try:
            seal = hold.close(self._witness.sha256 is None and not self._unsure and not self._content.moved_to)
            if seal is not None:
                sealed = replace(self._witness, sha256=seal)
                sealed.write(self._session.witness_path)
                self._witness = sealed
        except OSError:
            pass
        finally:
            hold.release()

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
