"""A ledger as anybody may look at it who can read it: no key, no waiting, nothing changed."""

from dataclasses import dataclass
from pathlib import Path

from voile.errors import counted
from voile.ledger.chain import Record, ReleaseRecord
from voile.ledger.content import Content
from voile.ledger.home import Home
from voile.ledger.keys import default_key


@dataclass(frozen=True, repr=False)
class LedgerView:
    """What a ledger says at one moment, its chain, signatures and memory verified against each other."""

    home: Home
    key_path: Path
    seal: str | None  # None where it cannot be told: while somebody writes to a file, after an interruption
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


def read_ledger(home: Home, key: Path | None) -> LedgerView:
    """Read and verify what can be verified without the key."""
    seal, content = home.read()
    return LedgerView(home, key or default_key(content.id), seal, content)
