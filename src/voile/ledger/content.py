"""Everything a ledger says, read and verified: chain, signatures, memory, and that they belong together."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from voile.errors import LedgerRefused
from voile.ledger.chain import MOVED, Record, ReleaseRecord, canonical, last_with, parse_chain, releases
from voile.ledger.connection import Connection
from voile.ledger.database import DAMAGED, reading
from voile.ledger.memory import Memory

_CHAIN = "select number, kind, body, previous, hash from chain order by number"
_INSERT = "insert into signature (number, labels) values (?, ?)"
_ID = re.compile("[0-9a-f]{32}")


@dataclass(frozen=True, repr=False)
class Signatures:
    """The sets of sensitive values persons were published with, numbered from 1; never renumbered. Of a set that
    was forgotten only the number is left."""

    numbers: dict[str, int]  # the labels as JSON -> number; in place of forgotten ones the number itself
    digest: bytes

    @classmethod
    def none(cls) -> "Signatures":
        """Of a ledger that begins."""
        return cls({}, hashlib.sha256().digest())

    @classmethod
    def load(cls, connection: Connection) -> "Signatures":
        """Read them all; ValueError where a number is missing."""
        rows = connection.execute("select number, labels from signature order by number").fetchall()
        if [number for number, _ in rows] != list(range(1, len(rows) + 1)):
            raise ValueError("a signature is missing")
        return cls.none()._with([labels for _, labels in rows])

    def _with(self, texts: Sequence[str]) -> "Signatures":
        numbers, digest = dict(self.numbers), self.digest
        for text in texts:
            numbers[text] = len(numbers) + 1
            digest = hashlib.sha256(digest + text.encode()).digest()
        return Signatures(numbers, digest)

    def adding(self, connection: Connection, sets: Sequence[tuple[str, ...]]) -> tuple["Signatures", list[int]]:
        """The number of each set, those not seen before being stored."""
        texts = [json.dumps(sorted(labels), ensure_ascii=False, separators=(",", ":")) for labels in sets]
        new = list(dict.fromkeys(text for text in texts if text not in self.numbers))
        more = self._with(new)
        connection.executemany(_INSERT, [(more.numbers[text], text) for text in new])
        return more, [more.numbers[text] for text in texts]

    def write(self, connection: Connection) -> None:
        """Store them all in an empty table."""
        connection.executemany(_INSERT, [(number, text) for text, number in self.numbers.items()])

    def sets(self) -> dict[int, tuple[str, ...]]:
        """Number -> labels."""
        return {number: tuple(json.loads(t)) for t, number in self.numbers.items() if t != str(number)}

    def keeping(self, connection: Connection, used: NDArray[np.bool_]) -> "Signatures":
        """Forget the sets whose number nobody has any more (`used` by number)."""
        left = {t: n for t, n in self.numbers.items() if n < used.size and used[n]}
        texts = [t if t in left else str(n) for t, n in self.numbers.items()]
        gone = [(str(n), n) for t, n in self.numbers.items() if t not in left]
        connection.executemany("update signature set labels = ? where number = ?", gone)
        return Signatures.none()._with(texts)


@dataclass(frozen=True, repr=False)
class Content:
    """What a ledger says at one moment."""

    id: str
    chain: tuple[Record, ...]
    signatures: Signatures
    memory: Memory

    @property
    def head(self) -> Record:
        """The newest record."""
        return self.chain[-1]

    @cached_property
    def releases(self) -> tuple[ReleaseRecord, ...]:
        """Every release with its state."""
        return tuple(releases(self.chain))

    @property
    def moved_to(self) -> str:
        """Where a ledger goes on that ends here; "" unless it was moved."""
        return str(self.head.body["to"]) if self.head.kind == MOVED else ""

    @property
    def generation(self) -> int:
        """How many keys, one over the other, make a pseudonym."""
        return int(last_with(self.chain, "generation"))

    @property
    def check(self) -> str:
        """What the keys must yield (keys.check_value)."""
        return str(last_with(self.chain, "check"))

    def digest(self) -> str:
        """One hash over signatures and memory."""
        return self.memory.digest(self.signatures.digest)

    def meta(self) -> dict[str, str]:
        """What is also said outside the chain."""
        return {"ledger": self.id, "generation": str(self.generation), "check": self.check}


def ledger_id(connection: Connection) -> str:
    """The id it claims, before anything is verified; ValueError if it is none (it names the key file)."""
    row = connection.execute("select value from meta where name = 'ledger'").fetchone()
    if row is None or not _ID.fullmatch(row[0]):
        raise ValueError("no id")
    return str(row[0])


def write_record(connection: Connection, record: Record) -> None:
    """Append to the chain."""
    row = (record.number, record.kind, canonical(record.body), record.previous, record.hash)
    connection.execute("insert into chain (number, kind, body, previous, hash) values (?, ?, ?, ?, ?)", row)


def write_meta(connection: Connection, meta: dict[str, str]) -> None:
    """Replace what stands outside the chain."""
    insert = "insert into meta (name, value) values (?, ?) on conflict (name) do update set value = excluded.value"
    connection.executemany(insert, list(meta.items()))


def write_content(connection: Connection, content: "Content") -> None:
    """Fill empty tables with all a ledger says."""
    for record in content.chain:
        write_record(connection, record)
    content.signatures.write(connection)
    content.memory.write(connection)
    write_meta(connection, content.meta())


def load_content(connection: Connection, where: str, broken_structure: bool = False) -> Content:
    """Read and verify everything, or refuse: damage is never repaired."""
    with reading(where):
        problem = "its structure is broken" if broken_structure else ""
        rows = [] if problem else connection.execute(_CHAIN)
        chain, broken = parse_chain(rows)
        problem = problem or broken
        if not problem:
            own = (ledger_id(connection), tuple(chain), Signatures.load(connection), Memory.load(connection))
            content = Content(*own)
            problem = _contradiction(content, dict(connection.execute("select name, value from meta").fetchall()))
    if problem:
        raise LedgerRefused(f"is damaged: {problem}", where=where, remedy=DAMAGED)
    return content


def _contradiction(content: Content, meta: dict[str, str]) -> str:
    if content.chain[0].body["ledger"] != content.id or meta != content.meta():
        return "its head data are not those the chain speaks of"
    if last_with(content.chain, "memory") != content.digest():
        return "the memory is not the one the chain speaks of"
    return ""
