"""Creating a ledger, and opening one only after it has been compared with its key and its witness."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from voile.errors import LedgerRefused
from voile.ledger.chain import Record
from voile.ledger.connection import Connection
from voile.ledger.content import Content, Signatures, write_content
from voile.ledger.database import refusing
from voile.ledger.home import Hold, Home
from voile.ledger.keys import KeyFile, check_value, default_key
from voile.ledger.memory import Memory
from voile.ledger.places import refuse_existing
from voile.ledger.witness import Witness, witness_of


@dataclass
class Session:
    """What an open ledger holds."""

    hold: Hold
    content: Content
    keys: KeyFile
    witness: Witness
    witness_path: Path


def create_ledger(home: Home, key: Path | None, date: str) -> None:
    """A new ledger; key and witness are durable before it appears."""
    own = secrets.token_hex(16)
    keys = KeyFile.new(key or default_key(own), own)
    content = _first_content(keys, date)

    def write_key() -> None:
        for place in (keys.path, witness_of(keys.path)):
            _refuse_same(place, home)
            refuse_existing(place, f"key folder, {place.name}")
        keys.write()

    def write_rows(connection: Connection) -> None:
        write_content(connection, content)

    def write_witness(seal: str | None) -> None:
        Witness(own, 1, content.head.hash, seal).write(witness_of(keys.path))

    with refusing(home.where):
        home.create(write_key, write_rows, write_witness)


def _refuse_same(place: Path, home: Home) -> None:
    if home.is_at(place):
        raise LedgerRefused(
            "is the ledger's own place, or leaves none for the witness",
            where=f"key folder, {place.name}",
            remedy="give key and ledger names that differ before the last dot",
        )


def _first_content(keys: KeyFile, date: str) -> Content:
    signatures, memory = Signatures.none(), Memory([])
    body = {
        "ledger": keys.ledger,
        "date": date,
        "generation": 1,
        "check": check_value(keys.keys),
        "memory": memory.digest(signatures.digest),
    }
    return Content(keys.ledger, (Record.after((), "created", body),), signatures, memory)


def open_session(
    home: Home,
    key: Path | None,
    patience: float,
    waiting: Callable[[], None] | None,
    attest_current: bool,
    moving: bool,
) -> Session:
    """Lock, read without touching, compare, and only then open for writing; `moving` opens what was moved, too."""
    with refusing(home.where):
        hold = home.hold(patience, waiting)
        try:
            return _opened(home, hold, key, attest_current, moving)
        except BaseException:
            hold.close(sealing=False)
            hold.release()
            raise


def _opened(home: Home, hold: Hold, key: Path | None, attest_current: bool, moving: bool) -> Session:
    seal = hold.seal()
    own, outdated = hold.identity()
    keys = KeyFile.read(key or default_key(own), own)
    witness_path = witness_of(keys.path)
    witness = Witness.read(witness_path, own)
    if outdated:
        if not _vouched(witness, seal) and not attest_current:
            _refuse_unwitnessed(witness, home)
        if witness is not None:  # from here on the file's bytes change
            witness = replace(witness, sha256=hold.open_seal)
            witness.write(witness_path)
        hold.migrate()
    vouched = _vouched(witness, seal)
    content = hold.content(thorough=not vouched)
    keys.refuse_other(content.generation, content.check)
    if not moving:
        refuse_retired(content, home)
    if witness is not None:
        refuse_other_history(witness, content, home.where)
    if not vouched and not attest_current:
        _refuse_unwitnessed(witness, home)
    seal = None if content.moved_to else hold.open_seal  # what was moved has its next seal elsewhere
    if witness is None or not vouched or witness.head != content.head.hash or content.moved_to:
        witness = Witness(own, content.head.number, content.head.hash, seal)
        witness.write(witness_path)
    hold.begin()
    return Session(hold, content, keys, witness, witness_path)


def _vouched(witness: Witness | None, seal: str | None) -> bool:
    """Whether the witness has seen just this seal."""
    return witness is not None and witness.sha256 is not None and witness.sha256 == seal


def refuse_retired(content: Content, home: Home) -> None:
    """Nothing is written any more to a ledger that was moved."""
    if content.moved_to:
        raise LedgerRefused(
            f"was moved to {content.moved_to}",
            where=home.where,
            rule="two copies that publish separately disclose together",
            remedy="use that one; if moving it was interrupted, give the same command again (voile ledger copy)",
        )


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


def _refuse_unwitnessed(witness: Witness | None, home: Home) -> None:
    """Unless a session was interrupted: it takes the digest from the witness before it writes a byte, and gives it
    one only when the log is gone, durably. So a digest beside a log that is not empty is not ours either."""
    attest = "if this is surely the newest copy: voile ledger recover LEDGER --attest-current (docs/ledger.md)"
    if witness is None:
        raise LedgerRefused(
            "has no witness beside its key that it is the newest copy",
            where=home.where,
            remedy=f"restore the witness, or, {attest}",
        )
    if witness.sha256 is not None:
        raise LedgerRefused(
            home.seal_words.other,
            where=home.where,
            rule=home.seal_words.rule,
            remedy=f"restore the newest backup, or, {attest}",
        )
