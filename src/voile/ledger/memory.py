"""The memory: person -> signature, in pages of sorted pseudonyms, about 20 bytes a person.

A release appends its new persons as pages of their own; when there are many small pages of settled releases,
they are merged, so that looking up stays as fast after hundreds of releases. Each page has a random salt in its
digest, renewed whenever the page is written: the chain keeps old digests, and without the salt they would let
somebody test a guess about what was erased, or about persons under a rotated key.
"""

import hashlib
import secrets
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from voile.kernels.pair_order import ascending_pairs
from voile.kernels.sorted_match import sorted_match
from voile.ledger.connection import Connection
from voile.ledger.pseudonyms import People, read_only

UNKNOWN, ONCE, ERASED = -1, 0, -2
PAGE = 1 << 20  # persons in a page, at most
MANY = 16  # small pages (less than half full) that are left alone
_SETTLED = 0  # in place of a release number: merged from releases that can no longer be abandoned


@dataclass(frozen=True, repr=False)
class Page:
    """Some persons, ascending, with the signature number of each."""

    number: int
    release: int
    salt: bytes
    people: People
    signatures: NDArray[np.int32]
    digest: bytes = b""

    @classmethod
    def of(
        cls, number: int, release: int, people: People, signatures: NDArray[np.int32], salt: bytes = b""
    ) -> "Page":
        """A page with its digest, and a fresh salt unless it is read from the file."""
        salt = salt or secrets.token_bytes(16)
        digest = hashlib.sha256(f"{number} {release} {len(people)}\n".encode() + salt)
        digest.update(np.ascontiguousarray(people).data)
        digest.update(np.ascontiguousarray(signatures).data)
        return cls(number, release, salt, people, signatures, digest.digest())


class Memory:
    """All pages in memory, and how they change in the file. Changes need a transaction of the caller, who keeps
    the object only if it is committed: every change returns a new Memory."""

    def __init__(self, pages: Iterable[Page]) -> None:
        self.pages = {page.number: page for page in pages}

    def __repr__(self) -> str:
        return f"Memory({self.persons} persons in {len(self.pages)} pages)"

    @property
    def persons(self) -> int:
        """How many persons are remembered."""
        return sum(len(page.people) for page in self.pages.values())

    @property
    def signed(self) -> int:
        """How many persons have a signature."""
        return sum(int((page.signatures > 0).sum()) for page in self.pages.values())

    @classmethod
    def load(cls, connection: Connection) -> "Memory":
        """Read all pages; ValueError if their parts do not fit together."""
        rows = connection.execute("select page, release, salt, pseudonyms, signatures from memory order by page")
        pages = []
        for number, release, salt, pseudonyms, signatures in rows:
            people = np.frombuffer(pseudonyms, "<u8").reshape(-1, 2)
            numbers = np.frombuffer(signatures, "<i4")
            if len(people) != len(numbers) or len(salt) != 16:
                raise ValueError("a page of the memory is not whole")
            pages.append(Page.of(number, release, people, numbers, salt))
        return cls(pages)

    def digest(self, signatures: bytes) -> str:
        """One hash over all pages and the digest of the signatures."""
        whole = hashlib.sha256(signatures)
        for number in sorted(self.pages):
            whole.update(self.pages[number].digest)
        return whole.hexdigest()

    def write(self, connection: Connection) -> None:
        """Store all pages in an empty table."""
        for page in self.pages.values():
            _write(connection, page)

    def recall(self, people: People) -> NDArray[np.int64]:
        """The signature number of each person, UNKNOWN, ONCE or ERASED."""
        asked, origin = ascending_pairs(read_only(people))
        found = np.empty(len(people), np.int64)
        found[origin] = self.recall_ascending(asked)
        return found

    def recall_ascending(self, people: People) -> NDArray[np.int64]:
        """The same of persons that are sorted already."""
        found = np.full(len(people), UNKNOWN, np.int64)
        for page in self.pages.values():
            position = sorted_match(read_only(people), read_only(page.people))
            here = position >= 0
            found[here] = page.signatures[position[here]]
        return found

    def add(self, connection: Connection, release: int, people: People, numbers: NDArray[np.int64]) -> "Memory":
        """Append ascending persons as pages of this release."""
        changed = Memory(self.pages.values())
        for start in range(0, len(people), PAGE):
            part = slice(start, start + PAGE)
            number = max(changed.pages, default=0) + 1
            page = Page.of(number, release, people[part], numbers[part].astype("<i4"))
            changed.pages[number] = page
            _write(connection, page)
        return changed

    def without(self, connection: Connection, release: int) -> "Memory":
        """Forget the persons whom this release alone introduced."""
        connection.execute("delete from memory where release = ?", (release,))
        return Memory(page for page in self.pages.values() if page.release != release)

    def merged(self, connection: Connection, settled: Collection[int]) -> "Memory":
        """Merge the small pages of settled releases, if there are many."""
        small = [
            page
            for page in self.pages.values()
            if len(page.people) < PAGE // 2 and (page.release == _SETTLED or page.release in settled)
        ]
        if len(small) <= MANY:
            return self
        connection.executemany("delete from memory where page = ?", [(page.number,) for page in small])
        gone = {page.number for page in small}
        people = np.concatenate([page.people for page in small])
        numbers = np.concatenate([page.signatures for page in small]).astype(np.int64)
        people, order = ascending_pairs(read_only(people))
        left = Memory(page for page in self.pages.values() if page.number not in gone)
        return left.add(connection, _SETTLED, people, numbers[order])

    def erased(self, connection: Connection, people: People) -> tuple["Memory", int]:
        """Forget the signatures of these persons; how many there were to forget."""
        asked, _ = ascending_pairs(read_only(people))
        changed, count = Memory(self.pages.values()), 0
        for page in self.pages.values():
            position = sorted_match(read_only(asked), read_only(page.people))
            position = np.unique(position[position >= 0])
            position = position[page.signatures[position] != ERASED]
            if position.size:
                signatures = page.signatures.copy()
                signatures[position] = ERASED
                changed._rewrite(connection, Page.of(page.number, page.release, page.people, signatures))
                count += position.size
        return changed, count

    def used(self) -> NDArray[np.bool_]:
        """By signature number: whether somebody has it."""
        most = max((int(page.signatures.max(initial=0)) for page in self.pages.values()), default=0)
        found = np.zeros(most + 1, np.bool_)
        for page in self.pages.values():
            found[page.signatures[page.signatures > 0]] = True
        return found

    def mapped(self, connection: Connection, renew: Callable[[People], People]) -> "Memory":
        """Every person under a new pseudonym."""
        changed = Memory(self.pages.values())
        for page in self.pages.values():
            people, order = ascending_pairs(read_only(renew(page.people)))
            changed._rewrite(connection, Page.of(page.number, page.release, people, page.signatures[order]))
        return changed

    def _rewrite(self, connection: Connection, page: Page) -> None:
        connection.execute("delete from memory where page = ?", (page.number,))
        _write(connection, page)
        self.pages[page.number] = replace(page)


def _write(connection: Connection, page: Page) -> None:
    connection.execute(
        "insert into memory (page, release, salt, pseudonyms, signatures) values (?, ?, ?, ?, ?)",
        (
            page.number,
            page.release,
            page.salt,
            np.ascontiguousarray(page.people).data.cast("B") if len(page.people) else b"",
            np.ascontiguousarray(page.signatures).data.cast("B") if len(page.signatures) else b"",
        ),
    )
