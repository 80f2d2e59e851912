"""A connection to a database: one transaction, Arrow in and out, errors in our words."""

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from types import TracebackType
from typing import Any, Self, TypeVar

import polars as pl

from voile.core.address import Address
from voile.errors import InputError, OutputError, VoileError
from voile.sql.failures import attempted
from voile.sql.table_name import TableName, quoted

T = TypeVar("T")
Column = tuple[str, str]  # its name, and the expression that reads it


class Connection(ABC):
    """`with ... as connection:`; what is not committed by then has never been. It reads, or it writes."""

    nothing = "null"  # what stands for the cells of a column that are not wanted

    def __init__(self, address: Address, *, writes: bool = False) -> None:
        self.address, self.writes = address, writes
        self._driver: Any = None
        self._failed = False

    @property
    def where(self) -> str:
        """The database, for messages."""
        return f"database {self.address.name}"

    def __enter__(self) -> Self:
        self._driver = self._told(self._connected)
        try:
            self._told(self._begin)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End it; what is not committed has never been."""
        driver, self._driver = self._driver, None
        if driver is not None:
            with contextlib.suppress(Exception):  # the other side may be gone
                driver.close()

    def has(self, table: TableName) -> bool:
        """Whether there is a table of this name."""
        return bool(self._told(lambda: self._rows(f"select {self._presence(table)} as there")).item())

    def frame(self, relation: str, blank: Collection[str] = ()) -> pl.DataFrame:
        """The rows of a table, or of a query in brackets, in any order. Columns in `blank` have their name and no
        cells: those never leave the database."""
        columns = self._told(lambda: self._columns(relation))
        if not columns or len(dict(columns)) < len(columns):
            raise InputError(
                "two columns of one name" if columns else "no columns",
                where=self.where,
                rule="a table has columns, and each its own name",
                remedy='give a query that names them apart, such as select a.id as "first", b.id as "second"',
            )
        shown = (
            f"{self.nothing if name in blank else expression} as {quoted(name)}" for name, expression in columns
        )
        return self._told(lambda: self._rows(f"select {', '.join(shown)} from {relation} as given"))

    def run(self, statement: str) -> None:
        """A statement without rows."""
        self._told(lambda: self._ran(statement))

    def write(self, table: TableName, frame: pl.DataFrame) -> None:
        """Create a table of these rows; nobody else sees it before `commit`."""
        self._told(lambda: self._written(table, frame))

    def commit(self) -> None:
        """Make all that was written visible at once. A transaction in which something failed would answer to this,
        without an error, that it was rolled back."""
        if self._failed:
            raise OutputError("something failed before", where=self.where, rule="all is written, or nothing")
        self._told(self._driver.commit)

    def _told(self, act: Callable[[], T]) -> T:
        kind: type[VoileError] = OutputError if self.writes else InputError
        try:
            return attempted(act, kind, self.where)
        except VoileError:
            self._failed = True
            raise

    def _ran(self, statement: str) -> None:
        with self._cursor() as cursor:
            cursor.execute(statement)
            cursor.fetchall()

    def _rows(self, query: str) -> pl.DataFrame:
        with self._cursor() as cursor:
            cursor.execute(query)
            return pl.DataFrame(_sound(cursor.fetch_arrow_table(), self.where))

    def _written(self, table: TableName, frame: pl.DataFrame) -> None:
        place = {"db_schema_name": table.schema} if table.schema else {}
        with self._cursor() as cursor:
            cursor.adbc_ingest(table.name, frame, mode="create", **place)

    def _cursor(self) -> Any:
        return self._driver.cursor()

    @abstractmethod
    def _connected(self) -> Any:
        """The driver's own connection, outside of autocommit."""

    @abstractmethod
    def _begin(self) -> None:
        """What comes first in the transaction."""

    @abstractmethod
    def _columns(self, relation: str) -> list[Column]:
        """The columns of a relation, each with an expression whose cells intake can read, or must refuse."""

    @abstractmethod
    def _presence(self, table: TableName) -> str:
        """An expression that tells whether a table is there."""


def _sound(table: Any, where: str) -> Any:
    """Refuse text that is no text: SQLite keeps whatever bytes it was given, and polars trusts them."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        broken = False
        try:
            column.validate(full=True)
        except ValueError:  # its message may quote the cell
            broken = True
        if broken:
            raise InputError(
                "bytes that are no text in UTF-8",
                where=f"{where}, column {name}",
                remedy="correct them in the database, or decode them in a query",
            )
    return table


def opened(address: Address, *, writes: bool = False) -> Connection:
    """A connection to whatever database is at an address."""
    from voile.sql.postgresql import PostgreSQLConnection
    from voile.sql.sqlite import SQLiteConnection

    kinds: dict[str, type[Connection]] = {"postgresql": PostgreSQLConnection, "sqlite": SQLiteConnection}
    return kinds[address.scheme](address, writes=writes)
