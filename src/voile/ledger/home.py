"""Where a ledger lives: a file of its own, or a PostgreSQL server. The protocol is the same in both; what differs
is how one becomes the only writer, how a step is made durable, and how a copy is told from the original."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from voile.core.address import is_address
from voile.ledger.connection import Connection
from voile.ledger.content import Content


class SealWords(NamedTuple):
    """What it means that the seal is the one the witness saw, or is not."""

    same: str
    other: str
    rule: str


class Hold(ABC):
    """Being the only writer of a ledger, until `release`."""

    open_seal: str | None  # what the witness keeps as the seal while records are written

    @abstractmethod
    def seal(self) -> str | None:
        """What tells this ledger from any other and from a copy that was changed; None after an interruption."""

    @abstractmethod
    def identity(self) -> tuple[str, bool]:
        """The id it claims, before anything is verified, and whether its tables are of an older version."""

    @abstractmethod
    def migrate(self) -> None:
        """Bring the tables to the newest version."""

    @abstractmethod
    def content(self, thorough: bool) -> Content:
        """All it says, verified; nothing is written. `thorough`: the seal does not vouch for the store itself."""

    @abstractmethod
    def begin(self) -> None:
        """From here on there are transactions."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Connection]:
        """All or nothing, durable when it is over."""

    @abstractmethod
    def scrub(self) -> None:
        """Leave nothing of deleted rows in the store."""

    @abstractmethod
    def note(self, content: bytes | None) -> None:
        """Replace the note that lies beside the ledger, or remove it; OSError where that fails."""

    @abstractmethod
    def noted(self) -> bytes | None:
        """The note, if there is one that can be read."""

    @abstractmethod
    def close(self, sealing: bool) -> str | None:
        """End writing; the seal, if one was asked for and everything is in its place. Never fails."""

    @abstractmethod
    def release(self) -> None:
        """Let others in."""


class Home(ABC):
    """A place for a ledger, whether there is one or not."""

    name: str  # for messages
    text: str  # where it is, as a steward would write it
    path: Path | None = None  # the file, if it is one
    folder: Path  # where releases go unless said otherwise
    kind: str  # in a word, for the record of a move
    seal_words: SealWords

    @property
    def where(self) -> str:
        """For messages."""
        return f"ledger {self.name}"

    @abstractmethod
    def is_at(self, path: Path) -> bool:
        """Whether a file would take the ledger's own place."""

    @abstractmethod
    def is_missing(self) -> bool:
        """Whether no ledger is there; a server is asked."""

    @abstractmethod
    def create(
        self, before: Callable[[], None], fill: Callable[[Connection], None], sealed: Callable[[str | None], None]
    ) -> None:
        """A new ledger, whole or not at all. `before` anything is written, `fill` writes the rows, and `sealed`
        hears the seal when only the last step is left."""

    @abstractmethod
    def hold(self, patience: float, waiting: Callable[[], None] | None) -> Hold:
        """Become the only writer, or refuse; `waiting` is called once when somebody else is."""

    @abstractmethod
    def read(self) -> tuple[str | None, Content]:
        """Seal and content as anybody may see them who can read it; nobody is waited for, nothing is changed."""


def home_of(ledger: str | Path | Home) -> Home:
    """A path is a file, postgresql://user@host/database#name a schema of a server.

    >>> home_of("clinic.ledger").name, home_of("postgresql://steward@db.example/hospital#clinic").name
    ('clinic.ledger', 'hospital#clinic')
    """
    if isinstance(ledger, Home):
        return ledger
    if is_address(ledger):
        from voile.ledger.postgresql import ServerHome

        return ServerHome(str(ledger))
    from voile.ledger.file_home import FileHome

    return FileHome(Path(ledger))
