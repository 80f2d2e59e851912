"""What reads and writes the tables of a ledger, whatever the database."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol


class Connection(Protocol):
    """Statements with ? for each parameter; sqlite3's own connections are some."""

    def execute(self, sql: str, parameters: Sequence[Any] = ..., /) -> Any:
        """Run a statement; returns a cursor."""

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]], /) -> Any:
        """Run a statement once for each row."""
