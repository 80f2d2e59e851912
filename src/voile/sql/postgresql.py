"""PostgreSQL: reads in a read-only transaction at one snapshot, writes in one transaction, both by COPY."""

from typing import Any

from voile.sql.connection import Column, Connection
from voile.sql.drivers import driver
from voile.sql.table_name import TableName, literal, quoted

_PLAIN = {"text", "varchar", "bpchar", "name", "bool", "int2", "int4", "int8", "float4", "float8"}
_AS_TEXT = {"date", "numeric", "uuid", "citext"}  # infinite days and numbers too, for intake to refuse
_MOMENTS = {"timestamp": "{0}", "timestamptz": "({0} at time zone 'UTC')"}
_DAY = "case when {0}::time = '00:00' then {0}::date::text else {0}::text end"  # infinity has no time of day
_REFUSED = "null::bytea"  # intake refuses such a column by its name; its cells stay where they are
_SESSION = ("set client_encoding to 'UTF8'", "set datestyle to 'ISO'")


class PostgreSQLConnection(Connection):
    """The password is in no address: libpq finds it in PGPASSWORD, ~/.pgpass or a service file."""

    nothing = "null::text"

    def _connected(self) -> Any:
        return driver("postgresql").connect(self.address.uri)

    def _begin(self) -> None:
        if not self.writes:
            self._ran("set transaction isolation level repeatable read, read only")
        for setting in _SESSION:
            self._ran(setting)

    def _columns(self, relation: str) -> list[Column]:
        with self._cursor() as cursor:
            fields = cursor.adbc_execute_schema(f"select * from {relation} as given")
        return [(field.name, _read(field)) for field in fields]

    def _presence(self, table: TableName) -> str:
        return f"to_regclass({literal(table.sql)}) is not null"


def _read(field: Any) -> str:
    """The expression that reads a column: as text what Arrow has no equal for, not at all what is no cell."""
    kind, name = (field.metadata or {}).get(b"POSTGRESQL:type", b"").decode(), quoted(field.name)
    if kind in _MOMENTS:
        return _DAY.format(_MOMENTS[kind].format(name))
    if kind in _AS_TEXT:
        return f"{name}::text"
    is_word = str(field.type) == "string"  # of an enum, too
    return name if kind in _PLAIN or is_word else _REFUSED
