"""Every way into the app, closed unless it is opened here (docs/facts/threats.md 2.6).

One layer around everything: pages, files, uploads and the websocket. It looks at the name the browser used, at who
sent the request, and at the cookie; what has no business here gets one short answer and nothing of the app behind.
"""

import asyncio
from collections.abc import Awaitable, Callable
from urllib.parse import parse_qs

from voile.errors import place_of
from voile.web.answers import Answer, Message, Scope, Send, answered, paged, told_no
from voile.web.login_page import LOCKED, WRONG, entered_page, login_page
from voile.web.sessions import Sessions

Receive = Callable[[], Awaitable[Message]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

SESSION = "voile.session"  # where the app finds it in the scope
LOGIN = "/login"
HOSTS = ("127.0.0.1", "localhost", "[::1]")
SAFE = ("GET", "HEAD")
LARGEST_BODY = 2**20
LARGEST_LOGIN = 4096
LARGEST_SLICE = 9 * 2**20  # of an upload: see uploads.py
PATIENCE = 30.0  # seconds in which the next part of a request must come
WATCH = 1.0  # seconds until a websocket notices that its session has ended
UPLOADS = "/upload/"
MOST_COOKIES = 5  # of our name: pages of other ports on this machine can add theirs
_TOUCHES = ('42["event"', '42["javascript_response"')  # what a person does; pings do not count


class _Refused(Exception):
    """The connection takes too long, or brings too much."""

    def __init__(self, status: int, what: str) -> None:
        super().__init__(what)
        self.status, self.what = status, what


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
        self._cookie = f"voile-{port}"  # browsers send cookies to every port of a machine: each app has its own

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, one websocket, or the life of the server."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        else:
            await self._request(scope, receive, send)

    def _stranger(self, scope: Scope) -> str:
        """Why a request is refused, whoever sends it; "" if it is not."""
        if _all(scope, b"host") not in ([name] for name in self._names):
            return "another name than this machine's own"  # DNS rebinding
        origins, sites = _all(scope, b"origin"), _all(scope, b"sec-fetch-site")
        if len(origins) > 1 or not all(self._own(scope, origin, sites) for origin in origins):
            return "sent by another page"
        coming = scope.get("path") == LOGIN and scope.get("method") in SAFE  # the link may stand anywhere
        if len(sites) > 1 or (not coming and any(site not in ("same-origin", "none") for site in sites)):
            return "sent by another site"
        return ""

    def _own(self, scope: Scope, origin: str, sites: list[str]) -> bool:
        """Forms of a page that tells no referrer have the origin "null": then the browser says that it is ours."""
        nameless = origin == "null" and sites == ["same-origin"] and scope["type"] == "http"
        return nameless or origin in self._origins

    def _secret(self, scope: Scope) -> str:
        """Our cookie: of several, the one that is known."""
        pairs = [part.strip().partition("=") for part in "; ".join(_all(scope, b"cookie")).split(";")]
        given = [value for name, _, value in pairs if name == self._cookie][:MOST_COOKIES]
        return next((value for value in given if self._sessions.knows(value)), "")

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        cookie = self._secret(scope)
        session = self._sessions.of_cookie(cookie)
        if self._stranger(scope) or not _all(scope, b"origin") or session is None:
            await receive()
            await told_no(scope, send)
            return
        known, closed = session, False

        async def received() -> Message:
            """What comes, while the session is open; its end is noticed when nothing comes, too."""
            nonlocal closed
            coming = asyncio.ensure_future(receive())
            while self._sessions.of_cookie(cookie) is known and not coming.done():
                await asyncio.wait({coming}, timeout=WATCH)
            if not coming.done() or self._sessions.of_cookie(cookie) is not known:
                coming.cancel()
                await sent({"type": "websocket.close", "code": 1008})
                return {"type": "websocket.disconnect", "code": 1008}
            message = coming.result()
            if message["type"] == "websocket.receive" and str(message.get("text") or "").startswith(_TOUCHES):
                self._sessions.touch(known)
            return message

        async def sent(message: Message) -> None:
            nonlocal closed
            if closed:
                return
            if message["type"] == "websocket.send" and self._sessions.of_cookie(cookie) is not known:
                message = {"type": "websocket.close", "code": 1008}
            closed = message["type"] == "websocket.close"
            await send(message)

        await self.app({**scope, SESSION: known, "headers": _kept(scope)}, received, sent)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._stranger(scope)
        if refusal:
            await answered(send, 403, f"refused: {refusal}")
        elif scope["path"] == LOGIN:
            await self._login(scope, receive, send)
        elif (session := self._sessions.of_cookie(self._secret(scope))) is None:
            await self._closed(scope, send)
        elif scope["method"] not in (*SAFE, "POST"):
            await answered(send, 405, "refused: no such method")
        else:
            self._sessions.touch(session)
            most = LARGEST_SLICE if scope["path"].startswith(UPLOADS) else LARGEST_BODY
            inner = {**scope, SESSION: session, "headers": _kept(scope)}
            await self._inside(inner, _Incoming(receive, most), send)

    async def _closed(self, scope: Scope, send: Send) -> None:
        """Nobody is logged in. A cookie that is known is of a session that rests."""
        if scope["method"] in SAFE:
            await paged(send, 403, login_page(LOCKED if self._secret(scope) else ""))
        else:
            await answered(send, 403, "refused: log in first")

    async def _login(self, scope: Scope, receive: Receive, send: Send) -> None:
        """GET with a token in the address, or POST from the form. Where to go next is not for others to say."""
        query = scope.get("query_string", b"")
        if scope["method"] == "POST":
            query = await _body(_Incoming(receive, LARGEST_LOGIN))
        elif scope["method"] not in SAFE:
            await answered(send, 405, "refused: no such method")
            return
        token = _token(query)
        if not token:
            await paged(send, 200, login_page())
            return
        entered = self._sessions.exchange(token, self._secret(scope)) if scope["method"] != "HEAD" else None
        if entered is None:
            await paged(send, 403, login_page(WRONG))
            return
        cookie = f"{self._cookie}={entered[0]}; HttpOnly; SameSite=Strict; Path=/"
        await paged(send, 200, entered_page(), [(b"set-cookie", cookie.encode())])
        self._used()

    async def _inside(self, scope: Scope, incoming: "_Incoming", send: Send) -> None:
        """The app answers; what it sends gets our headers, and its pages our nonce."""
        answer = Answer(send, scope["method"] in SAFE)
        broken: Exception | None = None
        try:
            await self.app(scope, incoming, answer)
        except Exception as error:  # its message may hold a cell
            broken = error
        if incoming.refused is not None:
            await answer.replaced(incoming.refused.status, incoming.refused.what)
        elif broken is not None and not incoming.gone:
            self._told(broken)
            await answer.replaced(500, f"a defect of Voile ({place_of(broken)}): please report it")
        else:
            await answer.finished()


class _Incoming:
    """Counts what comes, whatever the header says, and waits only so long for each part."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._most = receive, most
        self._taken, self._whole = 0, False
        self.gone = False  # the browser went away
        self.refused: _Refused | None = None

    async def __call__(self) -> Message:
        message: Message | None = None
        try:
            message = await asyncio.wait_for(self._receive(), None if self._whole else PATIENCE)
        except TimeoutError:
            self.refused = _Refused(408, "refused: the rest did not come in time")
        if message is not None:
            self.gone = message["type"] == "http.disconnect"
            self._taken += len(message.get("body", b""))
            self._whole = not message.get("more_body")
            if self._taken > self._most:
                self.refused = _Refused(413, "refused: too much at once")
        if message is None or self.refused is not None:
            raise self.refused or _Refused(400, "refused: nothing came")
        return message


def _all(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1") for header, value in scope["headers"] if header == name]


def _kept(scope: Scope) -> list[tuple[bytes, bytes]]:
    """What the app sees of the headers: no secret, and nothing that would change what it writes."""
    hidden = (b"cookie", b"forwarded", b"x-real-ip")
    return [(n, v) for n, v in scope["headers"] if n not in hidden and not n.startswith(b"x-forwarded")]


def _token(query: bytes) -> str:
    try:
        return parse_qs(query.decode("latin-1"), max_num_fields=10).get("token", [""])[0]
    except ValueError:  # more fields than a form of ours has
        return ""


async def _body(incoming: _Incoming) -> bytes:
    """All of it, or nothing if it is too much or does not come."""
    whole, more = b"", True
    try:
        while more:
            message = await incoming()
            whole, more = whole + message.get("body", b""), bool(message.get("more_body"))
    except _Refused:
        return b""
    return whole
