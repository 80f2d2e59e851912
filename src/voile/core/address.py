"""The address of a database, as a steward types it: never with a password, never shown with a user name."""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote, urlsplit

from voile.errors import ParameterError

POSTGRESQL, SQLITE = "postgresql", "sqlite"
_SCHEMES = {"postgresql": POSTGRESQL, "postgres": POSTGRESQL, "sqlite": SQLITE}
_WHERE = "address"


@dataclass(frozen=True, repr=False)
class Address:
    """Where a database is. `uri` is what a driver is given: a password is not in it, the driver finds it by itself
    in the environment or in the server's own files.

    >>> Address.of("postgres://steward@db.example:5433/clinic")
    postgresql://db.example:5433/clinic
    >>> Address.of("sqlite:///data/clinic.db").file
    'data/clinic.db'
    """

    scheme: str  # postgresql or sqlite
    uri: str
    host: str = ""  # with the port; several, separated by commas, as the server's own programs take them
    database: str = ""
    file: str = ""  # of SQLite

    @classmethod
    def of(cls, text: str) -> "Address":
        """Read an address; one with a password in it is refused: the shell and the process table would show it.

        >>> Address.of("postgresql://steward:secret@db.example/clinic")
        Traceback (most recent call last):
        voile.errors.ParameterError: address: a password in it (the shell's history and the list of processes \
show it); leave it out, and set PGPASSWORD or write it to ~/.pgpass or a service file
        """
        name, colon, rest = text.partition("://")
        scheme = _SCHEMES.get(name.casefold()) if colon else None
        if scheme is None:
            raise ParameterError(
                "not the address of a database",
                where=_WHERE,
                rule="postgresql://user@host:port/database, or sqlite:///file",
                remedy="write it like one of these",
            )
        if re.search(r"[\x00-\x1f\x7f]", text):
            raise ParameterError("control characters in it", where=_WHERE, remedy="check what was pasted")
        return cls._postgresql(rest) if scheme == POSTGRESQL else cls._sqlite(rest)

    @classmethod
    def _postgresql(cls, rest: str) -> "Address":
        uri = f"{POSTGRESQL}://{rest}"
        cls._refuse_password(":" in rest.rpartition("@")[0])  # whatever else is in it: readers of URIs differ
        parts = None
        try:
            parts = urlsplit(uri)
            options = {key.casefold() for key, _ in parse_qsl(parts.query, keep_blank_values=True)}
        except ValueError:  # its message quotes the address
            parts = None
        if parts is None or parts.fragment or "@" in parts.path + parts.query:
            raise ParameterError(
                "cannot be read",
                where=_WHERE,
                rule="postgresql://user@host:port/database",
                remedy="write signs that have a meaning in addresses as %..",
            )
        cls._refuse_password(any("password" in option for option in options))
        host = parts.netloc.rpartition("@")[2]
        return cls(POSTGRESQL, uri, host=host, database=unquote(parts.path.removeprefix("/")))

    @staticmethod
    def _refuse_password(found: bool) -> None:
        if found:
            raise ParameterError(
                "a password in it",
                where=_WHERE,
                rule="the shell's history and the list of processes show it",
                remedy="leave it out, and set PGPASSWORD or write it to ~/.pgpass or a service file",
            )

    @classmethod
    def _sqlite(cls, rest: str) -> "Address":
        if not rest.startswith("/") or not rest[1:]:
            raise ParameterError(
                "no file in it",
                where=_WHERE,
                rule="sqlite:///relative/file.db, or sqlite:////absolute/file.db",
                remedy="write three strokes before the file",
            )
        return cls(SQLITE, f"{SQLITE}://{rest}", file=rest[1:])

    @property
    def name(self) -> str:
        """The database alone: for messages."""
        return self.file.rpartition("/")[2] if self.scheme == SQLITE else self.database or POSTGRESQL

    def __str__(self) -> str:
        return (
            f"{SQLITE}:///{self.file}" if self.scheme == SQLITE else f"{POSTGRESQL}://{self.host}/{self.database}"
        )

    def __repr__(self) -> str:
        return str(self)


def travels_open(other: str, encrypted: bool) -> bool:
    """Whether rows would travel readable through a network: neither within this machine nor by TLS. `other` is the
    address of the other side, without one it is a socket of this machine.

    >>> travels_open("192.0.2.7", False), travels_open("192.0.2.7", True), travels_open("127.0.0.1", False)
    (True, False, False)
    """
    near = not other or ipaddress.ip_address(other.partition("%")[0].partition("/")[0]).is_loopback
    return not near and not encrypted


def is_address(text: object) -> bool:
    """Whether this is meant as an address, and not as a path.

    >>> is_address("postgresql://db.example/clinic"), is_address("patients.csv")
    (True, False)
    """
    return isinstance(text, str) and re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", text) is not None
