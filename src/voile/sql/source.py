"""A table or a query of a database, as a source: it stands wherever a file or a data frame can."""

import contextlib
import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from voile.core.address import SQLITE, Address, is_address
from voile.errors import ParameterError
from voile.sql.connection import opened
from voile.sql.sqlite import HEADER
from voile.sql.table_name import TableName


@dataclass(frozen=True, repr=False)
class DatabaseSource:
    """Rows that a database has at the moment they are asked for."""

    address: Address
    table: TableName | None
    query: str = ""

    @property
    def name(self) -> str:
        """The table; for messages and file names."""
        return self.table.name if self.table is not None else "query"

    @property
    def relation(self) -> str:
        """As SQL takes it after `from`. A query stands in brackets: there it can only read."""
        query = self.query.strip().rstrip(";")
        return self.table.sql if self.table is not None else f"({query}\n)"  # its last line may be a comment

    @property
    def arguments(self) -> list[str]:
        """How a command line names it. A query is not repeated: it may hold somebody's value."""
        what = ["--table", str(self.table)] if self.table is not None else ["--query", "..."]
        return [self.address.file or self.address.uri, *what]

    def frame(self, blank: Collection[str] = ()) -> pl.DataFrame:
        """All rows at one moment, read by one read-only transaction; see `Connection.frame`."""
        with opened(self.address) as connection:
            return connection.frame(self.relation, blank)

    def __repr__(self) -> str:
        return f"DatabaseSource({self.address}, {self.name})"


def database(address: str | Path, *, table: str | None = None, query: str | None = None) -> DatabaseSource:
    """A table, or a query, of a database, to be given wherever a file is: to `voile.inspect`, `voile.audit`, ...

    >>> database("postgresql://steward@db.example/clinic", table="patients")
    DatabaseSource(postgresql://db.example/clinic, patients)
    """
    if (table is None) == (query is None):
        raise ParameterError(
            "both a table and a query" if query is not None else "neither a table nor a query",
            where="database",
            rule="one of them says what to read",
            remedy='--table NAME, or --query "select ..." (in Python: table= or query=)',
        )
    text = str(address)
    place = Address.of(text) if is_address(text) else Address(SQLITE, f"{SQLITE}:///{text}", file=text)
    return DatabaseSource(place, None if table is None else TableName.of(table), query or "")


def source_of(source: Any, table: str | None = None, query: str | None = None) -> Any:
    """What to read: an address or the file of a database with its table or query, anything else as it is."""
    if is_address(source) or is_sqlite(source):
        return database(source, table=table, query=query)
    if table is not None or query is not None:
        raise ParameterError(
            "neither the address nor the file of a database",
            where="source",
            rule="only databases have tables and queries",
            remedy="leave --table and --query out, or give postgresql://user@host/database or an SQLite file",
        )
    return source


def is_sqlite(source: Any) -> bool:
    """Whether this is the file of an SQLite database, by how it begins."""
    if not isinstance(source, str | os.PathLike):
        return False
    with contextlib.suppress(OSError, ValueError):
        if os.path.isfile(source):  # opening a pipe would wait for whoever writes to it
            with open(source, "rb") as file:
                return file.read(len(HEADER)) == HEADER
    return False
