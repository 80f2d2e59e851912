"""A second reader of a ledger file, written from its description alone: it trusts nothing of `voile.ledger`."""

import hashlib
import json
import shutil
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

ONCE = 0


@dataclass(frozen=True)
class Record:
    number: int
    kind: str
    body: dict
    previous: str
    hash: str


@dataclass
class Book:
    """What a ledger says, and what is wrong with it."""

    records: list[Record] = field(default_factory=list)
    signatures: dict[int, tuple[str, ...]] = field(default_factory=dict)
    memory: dict[bytes, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    born: bool = False  # it holds its first record

    def of_kind(self, kind: str) -> dict[int, Record]:
        """Records of a kind by release number; the last one counts."""
        return {r.body["release"]: r for r in self.records if r.kind == kind}

    def recall(self, name: str, keys: list[bytes]) -> tuple[str, ...] | None:
        """A person's signature: labels, () for published once and never again, None for unknown."""
        number = self.memory.get(pseudonym(name, keys))
        if number is None:
            return None
        return () if number <= ONCE else self.signatures[number]


def pseudonym(name: str, keys: list[bytes]) -> bytes:
    """Keyed BLAKE2b of 16 bytes, key after key."""
    text = name.encode()
    for key in keys:
        text = hashlib.blake2b(text, digest_size=16, key=key).digest()
    return text


def keys_of(book: Book, folder: Path) -> list[bytes]:
    """The keys this ledger uses, of those in its key file: the oldest ones, as many as it was rotated to."""
    path = folder / f"{book.records[0].body['ledger']}.key"
    lines = path.read_text(encoding="ascii").split() if path.exists() else []
    generation = max(record.body.get("generation", 0) for record in book.records)
    return [bytes.fromhex(word) for word in lines if len(word) == 64][:generation]


def read_book(ledger: Path | str) -> Book:
    """Read a copy, so that the original keeps its log of unfinished work; shared memory is not copied. On a server
    nobody sees unfinished work."""
    book = Book()
    if isinstance(ledger, str):
        _read_server(book, ledger)
        return book
    if not ledger.exists():
        return book
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "copy"
        for suffix in ("", "-wal"):
            if Path(f"{ledger}{suffix}").exists():
                shutil.copyfile(f"{ledger}{suffix}", f"{copy}{suffix}")
        try:
            with closing(sqlite3.connect(copy)) as base:
                _fill(book, base)
        except sqlite3.DatabaseError as error:
            book.faults.append(f"I1: SQLite cannot read the ledger: {error}")
    return book


def _read_server(book: Book, ledger: str) -> None:
    import psycopg

    address, _, schema = ledger.partition("#")
    with psycopg.connect(address) as base:
        found = base.execute("select 1 from pg_tables where schemaname = %s and tablename = 'chain'", (schema,))
        if found.fetchall():
            base.execute(f"set search_path = {schema}")
            _fill_rows(book, base)


def _fill(book: Book, base: sqlite3.Connection) -> None:
    integrity = base.execute("pragma integrity_check").fetchall()
    if integrity != [("ok",)]:
        book.faults.append(f"I1: integrity {integrity}")
    tables = {name for (name,) in base.execute("select name from sqlite_master where type = 'table'")}
    if "chain" in tables:
        _fill_rows(book, base)


def _fill_rows(book: Book, base) -> None:
    for number, kind, body, previous, digest in base.execute(
        "select number, kind, body, previous, hash from chain order by number"
    ):
        text = body if isinstance(body, str) else body.decode()
        book.records.append(Record(number, kind, json.loads(text), previous, digest))
        if digest != chained(number, kind, previous, text):
            book.faults.append(f"I1: record {number} does not hash to what it says")
    book.born = bool(book.records)
    for number, labels in base.execute("select number, labels from signature"):
        book.signatures[number] = tuple(json.loads(labels))
    for persons, numbers in base.execute("select pseudonyms, signatures from memory"):
        _remember(book, persons, numbers)
    _check_links(book)


def _remember(book: Book, persons: bytes, numbers: bytes) -> None:
    for row in range(len(numbers) // 4):
        name = persons[16 * row : 16 * row + 16]
        if name in book.memory:
            book.faults.append("I1: a person is remembered twice")
        book.memory[name] = int.from_bytes(numbers[4 * row : 4 * row + 4], "little", signed=True)


def chained(number: int, kind: str, previous: str, body: str) -> str:
    """The hash of a record as docs/ledger.md gives it."""
    return hashlib.sha256(f"{number}\n{kind}\n{previous}\n{body}".encode()).hexdigest()


def _check_links(book: Book) -> None:
    for place, record in enumerate(book.records):
        if record.number != place + 1:
            book.faults.append(f"I1: record {place + 1} is missing")
        if place and record.previous != book.records[place - 1].hash:
            book.faults.append(f"I1: record {record.number} does not follow its predecessor")
