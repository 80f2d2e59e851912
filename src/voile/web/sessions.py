"""Who may come in: one-time tokens, the cookie they are exchanged for, and rest after a while (threats.md 2.6)."""

import hashlib
import hmac
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BITS = 256
IDLE = 30 * 60.0  # seconds without a touch after which a session is locked


def digest_of(secret: str) -> bytes:
    """What is kept of a secret: enough to recognise it."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()


@dataclass(eq=False, repr=False)
class Session:
    """One browser that came in with a token. What it uploads and prepares is its own: no other session sees it."""

    id: str
    folder: Path  # private, gone with the session
    seen: float
    locked: bool = False
    ended: bool = False  # logged out: nothing of it may come back
    things: dict[str, Any] = field(default_factory=dict)  # drafts by id

    def __repr__(self) -> str:
        return "Session()"


class Sessions:
    """Tokens that open, cookies that keep open. Only digests of secrets are kept.

    >>> import tempfile
    >>> doors = Sessions(Path(tempfile.mkdtemp()))
    >>> token = doors.new_token()
    >>> cookie, session = doors.exchange(token)
    >>> doors.of_cookie(cookie) is session, doors.exchange(token)
    (True, None)
    """

    def __init__(
        self,
        folder: Path,
        idle: float = IDLE,
        clock: Callable[[], float] = time.monotonic,
        ended: Callable[[Session], None] = lambda session: None,
    ) -> None:
        self._folder, self._idle, self._clock, self._ended = folder, idle, clock, ended
        self._token = b""
        self._open: dict[bytes, Session] = {}

    def new_token(self) -> str:
        """A token that opens once; the one before it opens no more."""
        token = secrets.token_urlsafe(BITS // 8)
        self._token = digest_of(token)
        return token

    def exchange(self, token: str, cookie: str = "") -> tuple[str, Session] | None:
        """A cookie for a token, which is used up. A browser whose session was locked gets it back."""
        known = hmac.compare_digest(digest_of(token), self._token) and bool(self._token)
        if not known:
            return None
        self._token = b""
        session = self._found(cookie) or self._new()
        session.locked, session.seen = False, self._clock()
        fresh = secrets.token_urlsafe(BITS // 8)
        self._open = {key: each for key, each in self._open.items() if each is not session}
        self._open[digest_of(fresh)] = session
        return fresh, session

    def of_cookie(self, cookie: str) -> Session | None:
        """The session of a cookie, unless it is locked or has rested too long."""
        session = self._found(cookie)
        if session is None:
            return None
        session.locked = session.locked or self._clock() - session.seen > self._idle
        return None if session.locked else session

    def knows(self, cookie: str) -> bool:
        """Whether a cookie is of a session, open or locked."""
        return self._found(cookie) is not None

    def touch(self, session: Session) -> None:
        """A person did something: the session stays open."""
        session.seen = self._clock()

    def end(self, session: Session) -> None:
        """Log out: everything that was uploaded or prepared is gone."""
        self._open = {key: each for key, each in self._open.items() if each is not session}
        session.locked = session.ended = True
        self._ended(session)
        session.things.clear()
        shutil.rmtree(session.folder, ignore_errors=True)

    def end_all(self) -> None:
        """The server stops."""
        for session in list(self._open.values()):
            self.end(session)

    def _found(self, cookie: str) -> Session | None:
        """Looks at all of them: how long it takes tells nothing of how much was right."""
        given, found = digest_of(cookie), None
        for key, session in self._open.items():
            if hmac.compare_digest(key, given):
                found = session
        return found

    def _new(self) -> Session:
        folder = Path(tempfile.mkdtemp(prefix="session-", dir=self._folder))  # mode 0700
        os.chmod(folder, 0o700)
        return Session(secrets.token_hex(8), folder, self._clock())
