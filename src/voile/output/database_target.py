"""The release as tables of a database: nobody sees them before they are audited, then all at once.

PostgreSQL: one transaction creates the tables, fills them and reads them again; its commit reveals them. Whoever
is killed before, we or the server, leaves nothing. SQLite: a new file, staged as all are and revealed by its name.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import polars as pl

from voile.core.address import SQLITE, Address
from voile.core.schema import CERTIFICATE, COUNTERFEITS, SENSITIVE_TABLE
from voile.errors import OutputError, ParameterError
from voile.output.staging import Staging
from voile.sql.connection import Connection, opened
from voile.sql.source import DatabaseSource
from voile.sql.table_name import TableName

_LONGEST = 63  # bytes of a name in PostgreSQL, which cuts longer ones off without a word
_BESIDE = (SENSITIVE_TABLE, COUNTERFEITS, CERTIFICATE)


class DatabaseTarget(ABC):
    """`with target:` it is certain that the names are free; then write, read again, reveal."""

    def __init__(self, address: Address, table: TableName) -> None:
        self.address, self.table = address, table
        self._open = ExitStack()

    @property
    def source(self) -> DatabaseSource:
        """The release as whoever reads it names it."""
        return DatabaseSource(self.address, self.table)

    def __enter__(self) -> Self:
        self._reserve()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def place_of(self, name: str) -> TableName:
        """The table for a part of the release: the rows have the name itself."""
        return self.table if name == "data" else self.table.beside(name)

    @abstractmethod
    def _reserve(self) -> None:
        """Refuse what would fail at the end of a long run."""

    @abstractmethod
    def write(self, tables: Mapping[str, pl.DataFrame]) -> Connection:
        """Write all tables where nobody else sees them; the connection reads what is there."""

    @abstractmethod
    def reveal(self) -> None:
        """Make all tables visible at once."""


class PostgreSQLTarget(DatabaseTarget):
    """Tables in a schema of a server."""

    def _reserve(self) -> None:
        _refuse_long([self.place_of(name).name for name in _BESIDE], "table")
        with opened(self.address, writes=True) as connection:  # what the server would refuse, it refuses now
            for name in ("data", *_BESIDE):
                connection.run(f"create table {self.place_of(name).sql} (rehearsed integer)")
                connection.run(f"select rehearsed from {self.place_of(name).sql}")

    def write(self, tables: Mapping[str, pl.DataFrame]) -> Connection:
        """In one transaction; the same one reads."""
        _refuse_long([column for table in tables.values() for column in table.columns], "column")
        self._writing = self._open.enter_context(opened(self.address, writes=True))
        for name, table in tables.items():
            self._writing.write(self.place_of(name), table)
        return self._writing

    def reveal(self) -> None:
        """A server that goes away just now may have done it: then the release is there, and whole."""
        unsure = False
        try:
            self._writing.commit()
        except OutputError:
            unsure = True
        if unsure:
            raise OutputError(
                "the database did not confirm that the release is there",
                where=f"table {self.table}",
                rule="its tables are there as a whole, or not at all",
                remedy=f"voile audit ADDRESS --table '{self.table}' says which; if they are not, run it again",
            )


class SQLiteTarget(DatabaseTarget):
    """A new file: one with other tables in it would be handed out with them."""

    def _reserve(self) -> None:
        if self.table.schema:
            raise ParameterError("a schema", where="table", rule="SQLite has none", remedy="name the table alone")
        if os.path.lexists(self.address.file):
            raise OutputError(
                "is already there",
                where=f"output file {self.address.name}",
                rule="a release is a file of its own, so that nothing else is handed out with it",
                remedy="choose another name",
            )
        self._staging = self._open.enter_context(Staging(self.address.file, "output file"))

    def write(self, tables: Mapping[str, pl.DataFrame]) -> Connection:
        """Into a private file, which is then read."""
        file = self._staging.path / self._staging.target.name
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        staged = Address(SQLITE, "", file=str(file))
        with opened(staged, writes=True) as connection:
            for name, table in tables.items():
                connection.write(self.place_of(name), table)
            connection.commit()
        return self._open.enter_context(opened(staged))

    def reveal(self) -> None:
        """By the file's name."""
        self._staging.reveal_file(self._staging.target.name)


def _refuse_long(names: Iterator[str] | list[str], what: str) -> None:
    longest = max((len(name.encode()) for name in names), default=0)
    if longest > _LONGEST:
        raise ParameterError(
            f"the name of a {what} would have {longest} bytes",
            where=what,
            rule=f"at most {_LONGEST} in PostgreSQL, with what is added for the tables beside it",
            remedy="choose a shorter name",
        )


def target_of(address: str | Path, table: str | None) -> DatabaseTarget:
    """Where a release goes: postgresql://user@host/database or sqlite:///file, and the name of its table.

    >>> target_of("sqlite:///release.db", "patients").source
    DatabaseSource(sqlite:///release.db, patients)
    """
    if not table:
        raise ParameterError(
            "no name for the table", where="--to", rule="the release is a table", remedy="--to-table NAME"
        )
    place = Address.of(str(address))
    kind = SQLiteTarget if place.scheme == SQLITE else PostgreSQLTarget
    return kind(place, TableName.of(table))
