"""A session of a PostgreSQL server that can be trusted with a ledger. The only place that knows psycopg.

What the driver says quotes rows, users and hosts: none of its errors gets out of here. The password is the
driver's own business (PGPASSWORD, ~/.pgpass, a service file); an address that holds one was refused before.
"""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from voile.core.address import Address, travels_open
from voile.errors import LedgerRefused, VoileError

if TYPE_CHECKING:
    import psycopg

_OLDEST = 140000
_AGAIN = "try again; what was recorded until then is safe, and the next opening checks everything"
_LOGIN = "set PGPASSWORD or write the password to ~/.pgpass (mode 600), and check the user in the address"
# SQLSTATE, or the class it begins with -> what happened, what to do; the longest fit counts
_MEANINGS = {
    "08": ("the connection to the server was lost", _AGAIN),
    "22": ("is damaged, or not a ledger", "keep what is damaged, and restore the newest backup (docs/ledger.md)"),
    "23": ("another program has written to it", "start again"),
    "25006": ("the server is read-only", "name the primary server, not a standby"),
    "28": ("the server does not let you in", _LOGIN),
    "3D000": ("there is no such database on the server", "correct the address, or have the database made"),
    "40": ("another program has written to it at the same time", "start again"),
    "42": ("is damaged, or not a ledger", "keep what is damaged, and restore the newest backup (docs/ledger.md)"),
    "42501": ("your role may not do that on the server", "use the role that made the ledger (docs/ledger.md)"),
    "42P06": ("exists already", "use it, or choose another name"),
    "53": ("the server has no room or no free connection", "make room there, then try again"),
    "55P03": ("another program keeps it busy", "close that program, then try again"),
    "57": ("the server was stopped, or stopped the statement", _AGAIN),
    "XX": ("the server found its own files damaged", "have an administrator look; then restore the newest backup"),
}
# of what the driver says before there is a session: servers in other languages get the general words
_BEFORE = {
    "password": ("the server does not let you in", _LOGIN),
    "pg_hba": ("the server does not let you in from here", "ask its administrator"),
    'role "': ("the server does not know the user", _LOGIN),
    'database "': _MEANINGS["3D000"],
    "refused": ("the server cannot be reached", "check host and port in the address, and that the server runs"),
    "translate host": ("the server cannot be found", "correct the host in the address"),
    "resolve": ("the server cannot be found", "correct the host in the address"),
    "timeout": ("the server does not answer", "check host and port in the address, and that the server runs"),
    "ssl": ("no encrypted connection could be made", "check sslmode in the address and the server's certificate"),
    "starting up": ("the server is starting", "try again in a moment"),
}
_SETTINGS = {
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    "idle_session_timeout": "0",  # grouping a large table takes a while; the lock must outlive it
    "lock_timeout": "60s",
    "row_security": "off",  # rows that somebody hides must be an error, not absent
    "tcp_keepalives_idle": "30",  # the lock of a machine that is gone ends within a minute
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
}

_KEEPS = """select pg_is_in_recovery(), case current_setting('synchronous_commit') when 'remote_apply'
    then 'remote_apply' else set_config('synchronous_commit', 'on', false) end, current_setting('server_encoding'),
    current_setting('fsync'), current_setting('full_page_writes')"""


class ServerConnection:
    """Statements with ? for each parameter; every failure is a refusal in our own words."""

    def __init__(self, address: Address, where: str) -> None:
        self._where = where
        self._raw = _connected(address, where)

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Any:
        """Run a statement; returns a cursor."""
        import psycopg

        try:
            return self._raw.execute(_own(sql), list(parameters) or None, binary=True)
        except psycopg.Error as error:
            problem, remedy = _meaning(error.sqlstate)
        raise LedgerRefused(problem, where=self._where, remedy=remedy)

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]], /) -> Any:
        """Run a statement once for each row."""
        import psycopg

        try:
            cursor = self._raw.cursor()
            cursor.executemany(_own(sql), list(rows))
            return cursor
        except psycopg.Error as error:
            problem, remedy = _meaning(error.sqlstate)
        raise LedgerRefused(problem, where=self._where, remedy=remedy)

    def value(self, sql: str, parameters: Sequence[Any] = (), /) -> Any:
        """The one value a statement yields."""
        return self.execute(sql, parameters).fetchone()[0]

    @contextlib.contextmanager
    def transaction(self, mode: str) -> Iterator[None]:
        """All or nothing. One that has failed answers to commit, without an error, that it rolled back."""
        self.execute(f"begin isolation level {mode}")
        try:
            yield
            done = self.execute("commit").statusmessage
        except BaseException:
            with contextlib.suppress(LedgerRefused):
                self.execute("rollback")
            raise
        if done != "COMMIT":
            raise LedgerRefused("the server did not commit", where=self._where, remedy=_AGAIN)

    def prepare(self, schema: str) -> None:
        """Settle what the session depends on; `schema` alone is looked into."""
        version = int(self.value("select current_setting('server_version_num')::int"))
        if version < _OLDEST:
            raise LedgerRefused(
                "the server is too old", where=self._where, remedy="use PostgreSQL 14 or a newer one"
            )
        self._refuse_open_wire()
        more = {"transaction_timeout": "0"} if version >= 170000 else {}
        settings = _SETTINGS | more | {"search_path": f'"{schema}"'}
        calls = ", ".join(["set_config(?, ?, false)"] * len(settings))
        self.execute(f"select {calls}", [word for setting in settings.items() for word in setting])

    def _refuse_open_wire(self) -> None:
        """Signatures and pseudonyms do not travel readable through a network."""
        if travels_open(self._raw.info.hostaddr, self._raw.pgconn.ssl_in_use):
            raise LedgerRefused(
                "the connection is not encrypted",
                where=self._where,
                rule="a ledger on another machine is reached by TLS alone",
                remedy="have TLS switched on at the server, and add ?sslmode=verify-full to the address",
            )

    def refuse_forgetful(self) -> None:
        """Refuse a server that may lose what it has confirmed."""
        standby, synchronous, encoding, *kept = self.execute(_KEEPS).fetchone()
        if standby:
            raise LedgerRefused("the server is a standby", where=self._where, remedy="name the primary server")
        for name, value in zip(("fsync", "full_page_writes"), kept, strict=True):
            if value != "on":
                raise LedgerRefused(
                    f"the server runs with {name} = off",
                    where=self._where,
                    rule="a release that was recorded must not be forgotten when the power fails",
                    remedy=f"have its administrator set {name} = on",
                )
        if synchronous not in ("on", "remote_apply"):
            raise LedgerRefused(
                "the server does not accept synchronous_commit = on",
                where=self._where,
                remedy="ask its administrator",
            )
        if encoding != "UTF8":
            raise LedgerRefused(
                "the database is not in UTF-8", where=self._where, remedy="make one with encoding UTF8"
            )

    def close(self) -> None:
        """End the session; its locks are free then."""
        self._raw.close()


def _own(sql: str) -> bytes:
    return sql.replace("?", "%s").encode()


def _connected(address: Address, where: str) -> "psycopg.Connection[Any]":
    try:
        import psycopg
        from psycopg.conninfo import conninfo_to_dict
    except ImportError:
        psycopg = None  # type: ignore[assignment]
    if psycopg is None:
        raise VoileError(
            "a ledger on a server needs the package psycopg", where=where, remedy="pip install 'voile[sql]'"
        )
    try:
        given = conninfo_to_dict(address.uri)
        own: dict[str, Any] = {"connect_timeout": 20, "application_name": "voile"} | given
        own |= {"client_encoding": "UTF8"}
        return psycopg.connect(autocommit=True, prepare_threshold=None, **own)
    except psycopg.Error as error:
        problem, remedy = _before(error)
    except (ValueError, TypeError):
        problem, remedy = "its address cannot be read", "correct it: postgresql://user@host:port/database#name"
    raise LedgerRefused(problem, where=where, remedy=remedy)


def _before(error: "psycopg.Error") -> tuple[str, str]:
    """Why there is no session."""
    if error.sqlstate:
        return _meaning(error.sqlstate)
    said = str(error).lower()
    general = (
        "the server cannot be reached, or does not let you in",
        f"check the address and the server; {_LOGIN}",
    )
    return next((words for sign, words in _BEFORE.items() if sign in said), general)


def _meaning(sqlstate: str | None) -> tuple[str, str]:
    """What happened, in words; no state at all is a connection that broke.

    >>> _meaning("42501")[0], _meaning(None)[0]
    ('your role may not do that on the server', 'the connection to the server was lost')
    """
    fits = [state for state in _MEANINGS if (sqlstate or "08").startswith(state)]
    if not fits:
        return f"the server refuses ({sqlstate})", "have its administrator look this code up, then try again"
    return _MEANINGS[max(fits, key=len)]
