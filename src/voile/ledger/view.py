"""A ledger as anybody may look at it who can read its file: no key, no waiting, nothing changed."""

from dataclasses import dataclass
from pathlib import Path

from voile.errors import counted
from voile.ledger.chain import Record, ReleaseRecord
from voile.ledger.content import Content, load_content
from voile.ledger.database import open_to_read, refuse_stranger, refusing
from voile.ledger.keys import default_key
from voile.ledger.lock import Lock
from voile.ledger.places import file_digest, has_content, refuse_file, refuse_folder, wal_of


@dataclass(frozen=True, repr=False)
class LedgerView:
    """What a ledger says at one moment, its chain, signatures and memory verified against each other."""

    path: Path
    key_path: Path
    digest: str | None  # of the closed file; None while somebody writes or after an interruption
    content: Content

    def __repr__(self) -> str:
        return f"LedgerView({counted(len(self.releases()), 'release')}, {counted(self.persons, 'person')})"

    @property
    def id(self) -> str:
        """128 random bits, as hex."""
        return self.content.id

    @property
    def head(self) -> str:
        """The hash of the newest record."""
        return self.content.head.hash

    @property
    def chain(self) -> tuple[Record, ...]:
        """All records."""
        return self.content.chain

    @property
    def persons(self) -> int:
        """How many persons are remembered."""
        return self.content.memory.persons

    @property
    def next_release(self) -> int:
        """The number the next reservation will have."""
        return len(self.releases()) + 1

    def releases(self) -> list[ReleaseRecord]:
        """Every release with its state."""
        return list(self.content.releases)

    def signatures(self) -> dict[int, tuple[str, ...]]:
        """The sets of sensitive values by number."""
        return self.content.signatures.sets()


def read_ledger(path: Path, key: Path | None) -> LedgerView:
    """Read and verify what can be verified without the key."""
    where = f"ledger {path.name}"
    refuse_folder(path.parent, where, writing=False)
    refuse_file(path, where, writing=False)
    lock = Lock(path)
    with refusing(where):
        quiet = lock.try_shared() or not lock.path.exists()  # whoever writes has made the lock file first
        try:
            digest = file_digest(path) if quiet and not has_content(wal_of(path)) else None
            content = _read(path, quiet, where)
        finally:
            lock.release()
    return LedgerView(path, key or default_key(content.id), digest, content)


def _read(path: Path, quiet: bool, where: str) -> Content:
    connection = open_to_read(path, quiet)
    try:
        refuse_stranger(connection, where)
        connection.execute("begin")  # one moment, whatever a writer does meanwhile
        return load_content(connection, where, thorough=True)
    finally:
        connection.close()
