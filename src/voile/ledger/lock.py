"""One writer at a time: a lock file beside the ledger, which the system releases when its holder dies."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from voile.errors import LedgerRefused
from voile.unix import lock_file, require_locks

_PAUSE = 0.05


def wait_for(
    taken: Callable[[], bool], where: str, patience: float, waiting: Callable[[], None] | None = None
) -> None:
    """Try to take a lock for `patience` seconds, then refuse; `waiting` is called once meanwhile."""
    end = time.monotonic() + patience
    told = False
    while not taken():
        if time.monotonic() >= end:
            raise LedgerRefused(
                "another publisher is using it",
                where=where,
                rule="one writer at a time",
                remedy="try again when it has finished",
            )
        if not told and waiting is not None:
            waiting()
        told = True
        time.sleep(_PAUSE)


class Lock:
    """Exclusive for those who write, shared for those who look; waits for `patience` seconds, then refuses."""

    def __init__(self, ledger: Path) -> None:
        self.path = ledger.with_name(ledger.name + ".lock")
        self._where = f"ledger {ledger.name}"
        self._handle = -1

    def acquire(self, patience: float, waiting: Callable[[], None] | None = None) -> None:
        """Become the only writer; `waiting` is called once when somebody else is."""
        require_locks()
        self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            wait_for(self._taken, self._where, patience, waiting)
        except BaseException:
            self.release()
            raise

    def try_shared(self) -> bool:
        """Keep writers away for a moment, unless one is at work or there is no lock file to hold."""
        require_locks()
        try:
            self._handle = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return False
        if self._taken(shared=True):
            return True
        self.release()
        return False

    def _taken(self, shared: bool = False) -> bool:
        try:
            lock_file(self._handle, shared=shared, wait=False)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        """Let others in."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
