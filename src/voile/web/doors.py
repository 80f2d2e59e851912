"""Every way into the app, closed unless it is opened here (facts/threats.md 2.6).

One layer around everything: pages, files, uploads and the websocket. It looks at the name the browser used, at who
sent the request, and at the cookie; what has no business here gets one short answer and nothing of the app behind it.
"""

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from voile.errors import place_of
from voile.web.login_page import LOCKED, WRONG, entered_page, login_page
from voile.web.sessions import Session, Sessions

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

SESSION = "voile.session"  # where the app finds it in the scope
COOKIE = "voile"
LOGIN = "/login"
HOSTS = ("127.0.0.1", "localhost", "[::1]")
SAFE = ("GET", "HEAD")
LARGEST_BODY = 2**20
LARGEST_SLICE = 9 * 2**20  # of an upload: see uploads.py
PATIENCE = 30.0  # seconds in which the next part of a request must come
UPLOADS = "/upload"
_TOUCHES = ('42["event"', '42["javascript_response"')  # what a person does; pings and acknowledgements do not count
_FIXED = {
    b"x-content-type-options": b"nosniff",
    b"cache-control": b"no-store",
    b"referrer-policy": b"no-referrer",
    b"x-frame-options": b"DENY",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), microphone=(), geolocation=()",
}
_CLOSED = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"


def policy(nonce: str) -> str:
    """What a page may load: from here alone. Scripts are ours (a nonce or a file); the framework evaluates what
    its own server sends, so evaluation is allowed, of nothing that came from elsewhere."""
    return (
        f"default-src 'self'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; "
        "form-action 'self'; frame-src 'none'; frame-ancestors 'none'"
    )


class _Refused(Exception):
    """The connection takes too long, or brings too much."""


class Doors:
    """The application behind its doors."""

    def __init__(
        self,
        app: Application,
        sessions: Sessions,
        port: int,
        used: Callable[[], None] = lambda: None,
        told: Callable[[Exception], None] = lambda error: None,
    ) -> None:
        self.app, self._sessions, self._used, self._told = app, sessions, used, told
        self._names = {f"{host}{suffix}" for host in HOSTS for suffix in ("", f":{port}")}
        self._origins = {f"http://{host}:{port}" for host in HOSTS}

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """One request, one websocket, or the life of the server."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        else:
            await self._request(scope, receive, send)

    def _stranger(self, scope: MutableMapping[str, Any]) -> str:
        """Why a request is refused, whoever sends it; "" if it is not."""
        if _all(scope, b"host") not in ([name] for name in self._names):
            return "another name than this machine's own"  # DNS rebinding
        origins, sites = _all(scope, b"origin"), _all(scope, b"sec-fetch-site")
        if any(origin not in self._origins for origin in origins) or len(origins) > 1:
            return "sent by another page"
        coming = scope.get("path") == LOGIN and scope.get("method") in SAFE  # the link may stand anywhere
        if not coming and any(site not in ("same-origin", "none") for site in sites):
            return "sent by another site"
        return ""

    def _session(self, scope: MutableMapping[str, Any]) -> Session | None:
        return self._sessions.of_cookie(_cookie(scope))

    async def _websocket(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        session = self._session(scope)
        if self._stranger(scope) or not _all(scope, b"origin") or session is None:
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        known, cookie = session, _cookie(scope)

        async def received() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive":
                if self._sessions.of_cookie(cookie) is not known:
                    return {"type": "websocket.disconnect", "code": 1008}
                if str(message.get("text") or "").startswith(_TOUCHES):
                    self._sessions.touch(known)
            return message

        async def sent(message: Message) -> None:
            if message["type"] == "websocket.send" and self._sessions.of_cookie(cookie) is not known:
                message = {"type": "websocket.close", "code": 1008}
            await send(message)

        await self.app({**scope, SESSION: known, "headers": _kept(scope)}, received, sent)

    async def _request(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        refusal = self._stranger(scope)
        if refusal:
            await _answer(send, 403, f"refused: {refusal}")
        elif scope["path"] == LOGIN:
            await self._login(scope, receive, send)
        elif (session := self._session(scope)) is None:
            why = LOCKED if self._rests(scope) else ""
            await _page(send, 403, login_page(why))
        elif scope["method"] not in (*SAFE, "POST"):
            await _answer(send, 405, "refused: no such method")
        else:
            self._sessions.touch(session)
            scope = {**scope, SESSION: session, "headers": _kept(scope)}
            await self._inside(scope, _bounded(receive, _most(scope["path"])), send)

    def _rests(self, scope: MutableMapping[str, Any]) -> bool:
        return bool(_cookie(scope)) and self._sessions.of_cookie(_cookie(scope)) is None

    async def _login(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """GET with a token in the address, or POST from the form. Where to go next is not for the address to say."""
        query = scope.get("query_string", b"").decode("latin-1")
        if scope["method"] == "POST":
            body = await _body(_bounded(receive, 4096))
            query = "" if body is None else body.decode("latin-1")
        elif scope["method"] not in SAFE:
            await _answer(send, 405, "refused: no such method")
            return
        token = parse_qs(query, max_num_fields=10).get("token", [""])[0]
        if not token:
            await _page(send, 200, login_page())
            return
        entered = self._sessions.exchange(token, _cookie(scope)) if scope["method"] != "HEAD" else None
        if entered is None:
            await _page(send, 403, login_page(WRONG))
            return
        cookie = f"{COOKIE}={entered[0]}; HttpOnly; SameSite=Strict; Path=/"
        await _page(send, 200, entered_page(), [(b"set-cookie", cookie.encode())])
        self._used()

    async def _inside(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """The app answers; what it sends gets our headers, and its pages our nonce."""
        answer = _Answer(send)
        broken = ""
        try:
            await self.app(scope, receive, answer)
        except _Refused as error:
            broken = str(error)
        except Exception as error:  # its message may hold a cell
            self._told(error)
            broken = f"a defect of Voile ({place_of(error)}): please report it"
        if broken and not answer.begun:
            await _answer(send, 413 if "much" in broken else 500, broken)


class _Answer:
    """Passes a response on, with our headers; a page waits until it is whole and its scripts have the nonce."""

    def __init__(self, send: Send) -> None:
        self._send, self.begun = send, False
        self._start: Message | None = None
        self._page = bytearray()

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = {name.lower(): value for name, value in message["headers"]}
            html = headers.get(b"content-type", b"").startswith(b"text/html")
            if html and b"content-disposition" not in headers:
                self._start = message
                return
            await self._begin(message, _CLOSED, 0)
        elif self._start is not None:
            self._page += message.get("body", b"")
            if not message.get("more_body"):
                await self._whole(self._start)
        else:
            await self._send(message)
            return

    async def _whole(self, start: Message) -> None:
        nonce = secrets.token_urlsafe(16)
        body = bytes(self._page).replace(b"<script", b'<script nonce="%s"' % nonce.encode())
        await self._begin(start, policy(nonce), len(body))
        await self._send({"type": "http.response.body", "body": body})

    async def _begin(self, message: Message, content_policy: str, length: int) -> None:
        self.begun = True
        ours = {**_FIXED, b"content-security-policy": content_policy.encode()}
        ours |= {b"content-length": str(length).encode()} if length else {}
        theirs = [(n.lower(), v) for n, v in message["headers"] if n.lower() not in (*ours, b"server", b"set-cookie")]
        await self._send({**message, "headers": [*theirs, *ours.items()]})


def _all(scope: MutableMapping[str, Any], name: bytes) -> list[str]:
    return [value.decode("latin-1") for header, value in scope["headers"] if header == name]


def _kept(scope: MutableMapping[str, Any]) -> list[tuple[bytes, bytes]]:
    """What the app sees of the headers: no secret, and nothing that would change what it writes."""
    return [(n, v) for n, v in scope["headers"] if n != b"cookie" and not n.startswith(b"x-forwarded")]


def _cookie(scope: MutableMapping[str, Any]) -> str:
    jar: SimpleCookie = SimpleCookie()
    try:
        jar.load("; ".join(_all(scope, b"cookie")))
    except CookieError:
        return ""
    return jar[COOKIE].value if COOKIE in jar else ""


def _most(path: str) -> int:
    return LARGEST_SLICE if path.startswith(UPLOADS) else LARGEST_BODY


def _bounded(receive: Receive, most: int) -> Receive:
    """Counts what comes, whatever the header says, and waits only so long for each part."""
    taken, whole = 0, False

    async def received() -> Message:
        nonlocal taken, whole
        message: Message | None = None
        try:
            message = await asyncio.wait_for(receive(), None if whole else PATIENCE)
        except TimeoutError:
            message = None
        if message is None:
            return {"type": "http.disconnect"}
        taken, whole = taken + len(message.get("body", b"")), not message.get("more_body")
        if taken > most:
            raise _Refused("refused: too much at once")
        return message

    return received


async def _body(receive: Receive) -> bytes | None:
    whole = b""
    try:
        while True:
            message = await receive()
            whole += message.get("body", b"")
            if not message.get("more_body"):
                return whole
    except _Refused:
        return None


async def _answer(send: Send, status: int, what: str) -> None:
    """One shape for every error: {"ok": false, "error": {"what": ...}}."""
    body = json.dumps({"ok": False, "error": {"what": what}}).encode()
    await _sent(send, status, b"application/json", body)


async def _page(send: Send, status: int, text: str, more: Iterable[tuple[bytes, bytes]] = ()) -> None:
    await _sent(send, status, b"text/html; charset=utf-8", text.encode(), more)


async def _sent(
    send: Send, status: int, kind: bytes, body: bytes, more: Iterable[tuple[bytes, bytes]] = ()
) -> None:
    own = {**_FIXED, b"content-security-policy": _CLOSED.encode(), b"content-type": kind}
    own[b"content-length"] = str(len(body)).encode()
    await send({"type": "http.response.start", "status": status, "headers": [*own.items(), *more]})
    await send({"type": "http.response.body", "body": body})
