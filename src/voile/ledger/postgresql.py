"""A ledger in a schema of a PostgreSQL database, for several publishers on several machines.

Its seal says which database it is: the server's own number, its timeline, the database, the table. A dump that was
restored, a copied database, a standby that took over have another one. What the rows say is vouched for by the
chain, which is read and verified as a whole at every opening; how far it had come, by each machine's witness.
"""

import contextlib
import hashlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from voile.core.address import POSTGRESQL, Address
from voile.errors import LedgerRefused, ParameterError
from voile.ledger.connection import Connection
from voile.ledger.content import Content, ledger_id, load_content
from voile.ledger.database import reading
from voile.ledger.home import Hold, Home, SealWords
from voile.ledger.lock import wait_for
from voile.ledger.postgresql_connection import ServerConnection

DEFAULT_NAME = "voile"
_NAME = re.compile("(?!pg_)[a-z_][a-z0-9_]{0,62}")
_WRITING, _READING = "serializable, read write", "repeatable read, read only"
_SCRUBBED = ("signature", "memory", "note")
# no unique labels: an index holds short texts only, and the chain vouches for them
_TABLES = (
    "create table meta (name text primary key, value text not null)",
    """create table chain (number integer primary key, kind text not null, body text not null,
       previous text not null unique, hash text not null unique)""",
    "create table signature (number integer primary key, labels text not null)",
    """create table memory (page integer primary key, release integer not null, salt bytea not null,
       pseudonyms bytea not null, signatures bytea not null)""",
    "create table note (name text primary key, content bytea not null)",
    "create table voile (version integer not null)",
    "insert into voile values (0)",
)
Step = Callable[[Connection], None]


def _first_tables(connection: Connection) -> None:
    for table in _TABLES:
        connection.execute(table)


# step i leads from version i to version i + 1; steps are only ever added at the end
STEPS: tuple[Step, ...] = (_first_tables,)


class ServerHome(Home):
    """postgresql://user@host:port/database#name: the schema of that name, by default voile."""

    kind = "PostgreSQL"
    seal_words = SealWords(
        "it is in the database where it was last",
        "is in another database, or on another server, than when it was last used here",
        "a restored or copied database may be an old one, or one that goes on beside the original",
    )

    def __init__(self, address: str) -> None:
        place, _, name = address.partition("#")
        self._address = Address.of(place)
        self._schema = name or DEFAULT_NAME
        if self._address.scheme != POSTGRESQL or not _NAME.fullmatch(self._schema):
            raise ParameterError(
                "is not the address of a ledger",
                where="ledger",
                rule="postgresql://user@host:port/database#name; the name in small letters, digits and _",
                remedy="write it like this, or name a file",
            )
        self.name = f"{self._address.name}#{self._schema}"
        self.text = f"{self._address}#{self._schema}"
        self.folder = Path()

    def is_at(self, path: Path) -> bool:
        """Never: it is no file."""
        return False

    def is_missing(self) -> bool:
        """Whether the schema holds no ledger."""
        connection = self._connected()
        try:
            return not _is_there(connection)
        finally:
            connection.close()

    def create(
        self, before: Callable[[], None], fill: Callable[[Connection], None], sealed: Callable[[str | None], None]
    ) -> None:
        """Schema, tables and rows in one transaction."""
        connection = self._connected()
        try:
            connection.refuse_forgetful()
            _take(connection, self._schema, self.where, 0.0, None)
            if connection.value(_TAKEN, (self._schema,)):
                raise LedgerRefused("exists already", where=self.where, remedy="use it, or choose another name")
            before()
            with connection.transaction(_WRITING):
                if connection.value("select current_schema() is null"):  # an administrator may have made it
                    connection.execute(f'create schema "{self._schema}"')
                _migrate(connection, 0)
                for (other,) in connection.execute(_OTHERS).fetchall():  # by privileges that are granted unasked
                    connection.execute(f'revoke all on all tables in schema "{self._schema}" from {other}')
                fill(connection)
                sealed(_seal(connection))
        finally:
            connection.close()

    def hold(self, patience: float, waiting: Callable[[], None] | None) -> "ServerHold":
        """A session with an advisory lock: whoever loses the one loses the other."""
        connection = self._connected()
        try:
            connection.refuse_forgetful()
            self._refuse_missing(connection)
            _take(connection, self._schema, self.where, patience, waiting)
            return ServerHold(connection, self._schema, self.where)
        except BaseException:
            connection.close()
            raise

    def read(self) -> tuple[str | None, Content]:
        """One moment, whatever a writer does meanwhile; also from a standby."""
        connection = self._connected()
        try:
            self._refuse_missing(connection)
            _version(connection, self.where)
            with connection.transaction(_READING):
                return _seal(connection), load_content(connection, self.where)
        finally:
            connection.close()

    def _connected(self) -> ServerConnection:
        connection = ServerConnection(self._address, self.where)
        try:
            connection.prepare(self._schema)
        except BaseException:
            connection.close()
            raise
        return connection

    def _refuse_missing(self, connection: ServerConnection) -> None:
        if not _is_there(connection):
            raise LedgerRefused(
                "does not exist",
                where=self.where,
                remedy="correct the address, or restore it (docs/ledger.md); a series that begins needs "
                "voile ledger create",
            )
        if connection.execute(_OTHERS).fetchone() is not None:
            raise LedgerRefused(
                "can be read or written by others than its owner",
                where=self.where,
                rule="publishers use the role that made it, or may become that",
                remedy=f"\\dp {self._schema}.* in psql lists what was granted: revoke it, and ask who read it",
            )


class ServerHold(Hold):
    """The session that has the lock; everything is read and written by it."""

    def __init__(self, connection: ServerConnection, schema: str, where: str) -> None:
        self.connection, self._schema, self._where = connection, schema, where
        self._old = _version(connection, where)
        self.open_seal = _seal(connection)

    def seal(self) -> str | None:
        """Which database this is."""
        return self.open_seal

    def identity(self) -> tuple[str, bool]:
        """The id it claims, and whether its tables are of an older version."""
        with reading(self._where):
            return ledger_id(self.connection), self._old < len(STEPS)

    def migrate(self) -> None:
        """Bring the tables to the newest version, all steps in one transaction."""
        with self.transaction():
            _migrate(self.connection, self._old)

    def content(self, thorough: bool) -> Content:
        """All of it, always."""
        with self.connection.transaction(_READING):
            return load_content(self.connection, self._where)

    def begin(self) -> None:
        """Nothing to do: the session is open."""

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Serializable, and only while the lock is ours: a proxy that hands a session's statements to several
        connections would leave the lock with one of them."""
        with self.connection.transaction(_WRITING):
            if not self.connection.value("select pg_try_advisory_xact_lock(?)", (_lock_of(self._schema),)):
                raise LedgerRefused(
                    "its lock is held by another connection",
                    where=self._where,
                    rule="one writer at a time",
                    remedy="name the server itself, not a proxy that shares connections (or pool by session)",
                )
            yield self.connection

    def scrub(self) -> None:
        """Have the server write its files anew, without what was deleted. A vacuum would keep what the snapshot of
        some other session might still see, and skip the tables of another owner with a warning alone."""
        with self.transaction():
            for table in _SCRUBBED:
                found = self.connection.execute(f"select * from {table}")
                rows, places = found.fetchall(), ", ".join("?" * len(found.description))
                self.connection.execute(f"truncate {table}")
                if rows:
                    self.connection.executemany(f"insert into {table} values ({places})", rows)

    def note(self, content: bytes | None) -> None:
        """A row of a table of its own, no part of the ledger."""
        with self.transaction():
            self.connection.execute("delete from note")
            if content is not None:
                self.connection.execute("insert into note (name, content) values ('members', ?)", (content,))

    def noted(self) -> bytes | None:
        """The note, if there is one."""
        row = self.connection.execute("select content from note where name = 'members'").fetchone()
        return None if row is None else bytes(row[0])

    def close(self, sealing: bool) -> str | None:
        """Nothing to bring together: what is committed is durable, and the seal stays as it is."""
        return None

    def release(self) -> None:
        """End the session, and with it the lock."""
        self.connection.close()


_TAKEN = "select exists (select from pg_class where relnamespace = to_regnamespace(quote_ident(?)))"
_OTHERS = """select distinct case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end
    from (select relowner, (aclexplode(relacl)).grantee from pg_class
              where relnamespace = current_schema()::regnamespace
          union all
          select relowner, (aclexplode(attacl)).grantee from pg_attribute join pg_class on pg_class.oid = attrelid
              where relnamespace = current_schema()::regnamespace) granted
    where grantee <> relowner"""
_SEAL = """select system_identifier::text || ' ' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) || ' ' ||
    (select oid from pg_database where datname = current_database())::text || ' ' || 'chain'::regclass::oid::text
    from pg_control_system()"""


def _seal(connection: ServerConnection) -> str | None:
    """A digest of which database this is; None on a standby, which is only read."""
    if connection.value("select pg_is_in_recovery()"):
        return None
    return hashlib.sha256(str(connection.value(_SEAL)).encode()).hexdigest()


def _is_there(connection: ServerConnection) -> bool:
    return bool(connection.value("select to_regclass('voile') is not null and current_schema() is not null"))


def _lock_of(schema: str) -> int:
    """The number of the advisory lock; such locks are one database's own."""
    return int.from_bytes(hashlib.sha256(f"voile ledger {schema}".encode()).digest()[:8], "big", signed=True)


def _take(
    connection: ServerConnection, schema: str, where: str, patience: float, waiting: Callable[[], None] | None
) -> None:
    def taken() -> bool:
        return bool(connection.value("select pg_try_advisory_lock(?)", (_lock_of(schema),)))

    wait_for(taken, where, patience, waiting)


def _version(connection: ServerConnection, where: str) -> int:
    """The version of the tables; refuses those of a newer Voile."""
    with reading(where):
        version = int(connection.value("select coalesce(max(version), -1) from voile"))
    if version < 0:
        raise LedgerRefused("is not a ledger of Voile", where=where, remedy="correct the address")
    if version > len(STEPS):
        raise LedgerRefused(
            f"was written by a newer Voile (version {version}, this one knows {len(STEPS)})",
            where=where,
            remedy="install the newest Voile",
        )
    return version


def _migrate(connection: ServerConnection, version: int) -> None:
    """The steps from a version on; in a transaction of the caller."""
    for step in STEPS[version:]:
        step(connection)
    connection.execute("update voile set version = ?", (len(STEPS),))
