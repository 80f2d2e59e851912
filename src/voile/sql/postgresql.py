"""PostgreSQL: reads in a read-only transaction at one snapshot, writes in one transaction, both by COPY."""

from typing import Any

from voile.core.address import travels_open
from voile.errors import InputError, OutputError
from voile.sql.connection import Column, Connection
from voile.sql.drivers import driver
from voile.sql.table_name import TableName, literal, quoted

_PLAIN = {"text", "varchar", "bpchar", "name", "bool", "int2", "int4", "int8", "float4", "float8"}
_AS_TEXT = {"date", "numeric", "uuid", "citext"}  # infinite days and numbers too, for intake to refuse
_MOMENTS = {"timestamp": "{0}", "timestamptz": "({0} at time zone 'UTC')"}
_DAY = "case when {0}::time = '00:00' then {0}::date::text else {0}::text end"  # infinity has no time of day
_REFUSED = "null::bytea"  # intake refuses such a column by its name; its cells stay where they are
_SESSION = (
    "set client_encoding to 'UTF8'",
    "set datestyle to 'ISO'",
    "set standard_conforming_strings to on",  # table_name.literal relies on it
)
_WIRE = """select coalesce(host(inet_client_addr()), '') as other,
    coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as encrypted"""
_WRITER = (
    "set idle_in_transaction_session_timeout to 0",  # the audit reads for a while
    "set statement_timeout to 0",
    "set lock_timeout to '10s'",  # of a name that somebody else is about to take
    "set synchronous_commit to on",  # what was revealed must not be forgotten when the power fails
)


class PostgreSQLConnection(Connection):
    """The password is in no address: libpq finds it in PGPASSWORD, ~/.pgpass or a service file."""

    nothing = "null::text"

    def _connected(self) -> Any:
        return driver("postgresql").connect(self.address.uri)

    def _begin(self) -> None:
        if not self.writes:
            self._ran("set transaction isolation level repeatable read, read only")
        for setting in _SESSION + (_WRITER if self.writes else ()):
            self._ran(setting)
        if travels_open(*self._rows(_WIRE).row(0)):
            kind = OutputError if self.writes else InputError
            raise kind(
                "the connection is not encrypted",
                where=self.where,
                rule="rows from or to another machine travel by TLS alone",
                remedy="have TLS switched on at the server, and add ?sslmode=verify-full to the address",
            )

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
