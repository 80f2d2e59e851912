"""Every statement that a publisher sends to the server, and what can happen just before one."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

from voile.ledger.postgresql_connection import ServerConnection

_EXECUTE, _MANY = ServerConnection.execute, ServerConnection.executemany


class Statements:
    """Counts statements while it is in place; `strike` is called before the one with this number, or after a path
    has come to be."""

    def __init__(
        self, strike: Callable[[], None] = lambda: None, at: int = 0, shown: Path = Path("/nowhere")
    ) -> None:
        self.sent: list[str] = []
        self._strike, self._at, self._shown = strike, at, shown

    def __enter__(self) -> "Statements":
        ServerConnection.execute = self._wrapped(_EXECUTE)  # type: ignore[method-assign]
        ServerConnection.executemany = self._wrapped(_MANY)  # type: ignore[method-assign]
        return self

    def __exit__(self, *_: object) -> None:
        ServerConnection.execute, ServerConnection.executemany = _EXECUTE, _MANY  # type: ignore[method-assign]

    def _wrapped(self, real):
        def run(connection, sql, *arguments):
            self.sent.append(sql)
            if len(self.sent) == self._at or (self._shown.is_absolute() and self._shown.exists()):
                self._strike()
            return real(connection, sql, *arguments)

        return run


def die_at(when: str) -> None:
    """As if somebody pulled the plug of this machine, not of the server: before the statement of that number, or
    before the first one after a path is there."""
    number = int(when) if when.isdigit() else 0
    Statements(lambda: os.kill(os.getpid(), signal.SIGKILL), number, Path(when)).__enter__()
