"""What leaves the app: our headers on everything, our nonce on pages, and one shape for errors."""

import json
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from voile.web.login_page import missing_page

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Headers = Iterable[tuple[bytes, bytes]]

FIXED = {
    b"x-content-type-options": b"nosniff",
    b"cache-control": b"no-store",
    b"referrer-policy": b"no-referrer",
    b"x-frame-options": b"DENY",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), microphone=(), geolocation=()",
}
CLOSED = (
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HTML, JSON = b"text/html; charset=utf-8", b"application/json"
_THEIRS = (b"server", b"set-cookie")  # of the app behind: no cookie but ours
_WORDS = {400: "refused: not understood", 404: "no such address", 405: "refused: no such method"}


def policy(nonce: str) -> str:
    """What a page may load: from here alone. Scripts are ours (a nonce or a file); the framework evaluates what
    its own server sends, so evaluation is allowed, of nothing that came from elsewhere."""
    return (
        f"default-src 'self'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-src 'none'; frame-ancestors 'none'"
    )


class Answer:
    """Passes a response on, with our headers. A page waits until it is whole and its scripts have the nonce; an
    error waits until the app has ended, and is told in our words."""

    def __init__(self, send: Send, page_wanted: bool) -> None:
        self._send, self._page_wanted, self._begun = send, page_wanted, False
        self._start: Message | None = None
        self._held = bytearray()

    async def __call__(self, message: Message) -> None:
        """Part of a response."""
        if message["type"] == "http.response.start":
            headers = {name.lower(): value for name, value in message["headers"]}
            html = headers.get(b"content-type", b"").startswith(b"text/html")
            if (html and b"content-disposition" not in headers) or message["status"] >= 400:
                self._start = message
            else:
                await self._begin(message, CLOSED)
        elif self._start is None:
            await self._send(message)
        else:
            self._held += message.get("body", b"")
            if not message.get("more_body") and self._start["status"] < 400:
                await self._page(self._start)

    async def finished(self) -> None:
        """The app has ended: what it said of an error is told."""
        start, self._start = self._start, None
        if start is None or self._begun:
            return
        status, kind = start["status"], dict(start["headers"]).get(b"content-type", b"")
        if status == 404 and self._page_wanted and kind.startswith(b"text/html"):
            await paged(self._send, 404, missing_page())
        elif kind.startswith(b"text/html") and status != 404:
            await self._page(start)  # a defect, on a page of ours
        elif _ours(self._held):
            await sent(self._send, status, JSON, bytes(self._held))
        else:
            await answered(self._send, status, _WORDS.get(status, "refused"))

    async def replaced(self, status: int, what: str) -> None:
        """Something else is said instead, if nothing was said yet."""
        if not self._begun:
            self._begun = True
            await answered(self._send, status, what)

    async def _page(self, start: Message) -> None:
        nonce = secrets.token_urlsafe(16)
        body = bytes(self._held).replace(b"<script", b'<script nonce="%s"' % nonce.encode())
        await self._begin(start, policy(nonce), {b"content-length": str(len(body)).encode()})
        await self._send({"type": "http.response.body", "body": body})

    async def _begin(self, message: Message, content_policy: str, more: dict[bytes, bytes] | None = None) -> None:
        self._begun = True
        ours = {**FIXED, b"content-security-policy": content_policy.encode(), **(more or {})}
        theirs = [(n.lower(), v) for n, v in message["headers"] if n.lower() not in (*ours, *_THEIRS)]
        theirs = [(n, v) for n, v in theirs if not n.startswith(b"access-control-")]  # nobody else may read
        await self._send({**message, "headers": [*theirs, *ours.items()]})


def _ours(body: bytearray) -> bool:
    try:
        said = json.loads(bytes(body))
    except ValueError:
        return False
    return isinstance(said, dict) and said.get("ok") is False


def error_body(what: str) -> bytes:
    """One shape for every error.

    >>> error_body("no such file")
    b'{"ok": false, "error": {"what": "no such file"}}'
    """
    return json.dumps({"ok": False, "error": {"what": what}}).encode()


def own_headers(kind: bytes, body: bytes) -> dict[bytes, bytes]:
    """The headers of an answer that loads nothing."""
    length = str(len(body)).encode()
    return {**FIXED, b"content-security-policy": CLOSED.encode(), b"content-type": kind, b"content-length": length}


async def answered(send: Send, status: int, what: str) -> None:
    """An error, in one shape."""
    await sent(send, status, JSON, error_body(what))


async def paged(send: Send, status: int, text: str, more: Headers = ()) -> None:
    """A page that works without scripts."""
    await sent(send, status, HTML, text.encode(), more)


async def sent(send: Send, status: int, kind: bytes, body: bytes, more: Headers = ()) -> None:
    """Something short and whole."""
    headers = [*own_headers(kind, body).items(), *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def told_no(scope: Scope, send: Send) -> None:
    """A websocket that is not accepted: answered like a request, where the server can."""
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008})
        return
    body = error_body("refused")
    headers = list(own_headers(JSON, body).items())
    await send({"type": "websocket.http.response.start", "status": 403, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": body})
