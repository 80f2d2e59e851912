"""SQLite: a file that is opened for reading alone, or a new one."""

from typing import Any
from urllib.parse import quote

from voile.sql.connection import Column, Connection
from voile.sql.drivers import driver
from voile.sql.table_name import TableName, literal, quoted

HEADER = b"SQLite format 3\0"  # how such a file begins
# The driver types a column by the rows of its first batch, and refuses others afterwards: hence one batch.
_ONE_BATCH = {"adbc.sqlite.query.batch_rows": str(2**30)}


class SQLiteConnection(Connection):
    """Cells have a type of their own here, columns have none: a column is read as what all its cells are, and one
    whose cells differ as text, as SQLite itself writes them."""

    def _connected(self) -> Any:
        mode = "rwc" if self.writes else "ro"
        return driver("sqlite").connect(f"file:{quote(self.address.file)}?mode={mode}")

    def _begin(self) -> None:
        if not self.writes:
            self._ran("pragma query_only = on")

    def _cursor(self) -> Any:
        cursor = self._driver.cursor()
        cursor.adbc_statement.set_options(**_ONE_BATCH)
        return cursor

    def _columns(self, relation: str) -> list[Column]:
        with self._cursor() as cursor:
            cursor.execute(f"select * from {relation} as given limit 0")
            names = [name for name, *_ in cursor.description]
        kinds = ", ".join(f"group_concat(distinct nullif(typeof({quoted(name)}), 'null'))" for name in names)
        with self._cursor() as cursor:
            cursor.execute(f"select {kinds or 'null'} from {relation} as given")
            found = cursor.fetchone()
        return [(name, _read(name, kind or "")) for name, kind in zip(names, found, strict=False)]

    def _presence(self, table: TableName) -> str:
        known = "select 1 from sqlite_master where type in ('table', 'view') and name"
        return f"exists ({known} = {literal(table.name)})"


def _read(name: str, kinds: str) -> str:
    """The expression that reads a column. Of cells of several types the driver would make text by itself, with six
    decimals: 1 and 1.000000e+00 would pass for two values."""
    several = "," in kinds and "blob" not in kinds  # intake refuses these
    return f"cast({quoted(name)} as text)" if several else quoted(name)
