"""Every route is closed to who has no token, whatever comes to be routed; the token opens once, and them all."""

import hmac
import re

import pytest

from tests.web.plain import asked, cookie_of, exchanged, own_host, websocket
from tests.web.serving import blank
from voile.web import sessions
from voile.web.sessions import Sessions

pytestmark = pytest.mark.slow  # starts a server
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW")
NEXT = ("//evil.example", "/\\evil.example", "https:evil.example", "///evil.example", "\\\\evil.example")
NEXT += ("%2f%2fevil.example", "http:///evil.example")


@pytest.fixture(scope="module")
def app(altered):
    return altered


@pytest.fixture(scope="module")
def client(app):
    return app.client()


@pytest.fixture(scope="module")
def routes(client):
    """Of the running app: [address, methods, kind]."""
    found = client.get("/test-only/routes").json()
    places = {place for place, *_ in found}
    assert len(found) > 25
    for known in (
        "/",
        "/upload",
        "/download/{key}/{name}",
        "/release/{key}/promise",
        "/favicon.ico",
        "/_nicegui_ws",
    ):
        assert known in places, "control: ours, the framework's and what it mounts are all there"
    assert "/test-only/break/page" in places, "control: what was added a moment ago is there"
    return found


def filled(place, kind):
    """An address of a route."""
    address = re.sub(r"\{[^}]*\}", "1", place)
    return [f"{address}/", f"{address}/x.js"] if kind == "Mount" else [address or "/"]


def addresses(routes):
    return [(at, methods) for place, methods, kind in routes for at in filled(place, kind)]


def test_no_route_opens_without_a_token(app, routes):
    for address, _ in addresses(routes):
        for method in METHODS:
            for cookie in ("", f"voile-{app.port}=wrong"):
                got = asked(app, method, address, cookie=cookie)
                assert got.status in (403, 405), (method, address)
                assert "nicegui" not in got.text.lower(), (method, address)
                assert got.header("set-cookie") is None


def test_no_websocket_opens_without_a_token(app, routes):
    origin = [("Origin", app.address)]
    for address in ("/_nicegui_ws/socket.io/?EIO=4&transport=websocket", *(at for at, _ in addresses(routes))):
        assert websocket(app, origin, address).status == 403, address
    assert websocket(app, origin, cookie=f"voile-{app.port}=wrong").status == 403


def test_every_route_opens_with_the_token(app, client, routes):
    """Positive control of the first two: there was something behind each door."""
    mine = cookie_of(client)
    for address, methods in addresses(routes):
        for method in methods or ["GET"]:
            if address != "/leave":
                assert asked(app, method, address, cookie=mine).status not in (403, 405), (method, address)
    assert asked(app, "GET", "/", cookie=mine).status == 200
    assert websocket(app, [("Origin", app.address)], cookie=mine).status == 101


def test_no_other_method_opens_with_the_token(app, client):
    for method in ("PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"):
        for address in ("/", "/upload", "/login"):
            assert asked(app, method, address, cookie=cookie_of(client)).status == 405, (method, address)


@pytest.mark.parametrize(
    "address",
    ["/login/", "//login", "/login/..", "/LOGIN", "/login;x", "/login%00", "/./login", "/login%2f", "/log%20in"],
)
def test_only_the_login_page_is_open(app, address):
    assert asked(app, "GET", address).status == 403
    assert asked(app, "GET", "/login").status == 200


WRONG = {
    "wrong": "x" * 43,
    "empty": "",
    "NUL": "%00",
    "long": "x" * 60_000,
    "not text": "%ff%fe",
    "many": "x&" + "a=1&" * 50,
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_token_opens_nothing(app, client, name):
    for got in (
        asked(app, "GET", f"/login?token={WRONG[name]}"),
        asked(app, "POST", "/login", body=f"token={WRONG[name]}".encode()),
    ):
        assert got.status in (200, 403) and got.header("set-cookie") is None
        assert got.header("location") is None and "xxxxx" not in got.text


def test_an_address_that_never_ends_is_refused(app):
    got = exchanged(app, b"GET /login?token=" + b"x" * 200_000)
    assert got.status in (0, 400)  # 0: it hung up


def test_a_token_opens_once(app, client):
    address = app.next_invitation()
    target = address.removeprefix(app.address)
    assert asked(app, "HEAD", target).header("set-cookie") is None  # a look at the link does not use it up
    assert asked(app, "GET", target).header("set-cookie")
    for _ in range(2):
        assert asked(app, "GET", target).status == 403


def test_a_newer_token_ends_the_one_before(tmp_path):
    known = Sessions(tmp_path)
    first, second = known.new_token(), known.new_token()
    assert known.exchange(first) is None and known.exchange(second) is not None
    assert known.exchange("") is None, "no token is open now: the empty one is none"


def test_the_cookie_is_for_this_app_alone(app, client):
    got = asked(app, "GET", app.next_invitation().removeprefix(app.address))
    name, _, rest = got.header("set-cookie").partition("=")
    value, *attributes = rest.split("; ")
    assert name == f"voile-{app.port}", "browsers send cookies to every port: another app must not overwrite it"
    assert sorted(attributes) == ["HttpOnly", "Path=/", "SameSite=Strict"]
    assert len(value) >= 43, "256 bits"
    assert got.header("location") is None and 'content="0;url=/"' in got.text


def test_secrets_are_compared_as_digests_in_constant_time(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(sessions.hmac, "compare_digest", lambda a, b: seen.append((a, b)) or a == b)
    known = Sessions(tmp_path)
    token = known.new_token()
    cookie, session = known.exchange(token)
    assert known.of_cookie(cookie) is session and known.exchange("x" * 99) is None
    assert len(seen) >= 3
    assert all(len(a) == 32 and len(b) in (0, 32) for a, b in seen), "no secret, and nothing as long as one"
    assert token not in repr(vars(known)) and cookie not in repr(vars(known))
    monkeypatch.undo()
    assert sessions.hmac.compare_digest is hmac.compare_digest


@pytest.mark.parametrize("place", NEXT)
def test_the_address_cannot_say_where_to_go_next(app, client, place):
    """Jupyter's seven shapes of an open redirect."""
    for more in (f"&next={place}", f"&next=/x&url={place}"):
        got = asked(app, "GET", app.next_invitation().removeprefix(app.address) + more)
        assert got.status == 200 and got.header("location") is None and got.header("refresh") is None
        assert "evil" not in got.text
        assert re.findall(r'(?:url=|href=")([^"]*)"', got.text) == ["/", "#content", "/"]
    got = asked(app, "GET", f"/login?next={place}")
    assert got.status == 200 and "evil" not in got.text and got.header("location") is None


def test_the_token_leaves_the_address(app, client, browser):
    """In a browser, by the link and by the form, from a page of nobody's."""
    for way in ("link", "form"):
        with blank(browser) as page:
            address = app.next_invitation()
            if way == "link":
                page.goto(address)
            else:
                page.goto(f"{app.address}/login")
                page.fill("#token", address.rpartition("=")[2])
                page.click("button")
            page.wait_for_selector("main h1")
            assert page.url == f"{app.address}/"
            assert "token" not in page.evaluate("document.referrer + document.documentElement.outerHTML")
            assert page.evaluate("document.cookie") == "", "no script reads it"
            page.click("text=Log out")
            page.wait_for_selector("#token")  # by the form, or by the script that notices first
            page.goto(f"{app.address}/")
            assert page.title() == "Voile" and page.locator("#token").count() == 1
    assert own_host(app) in app.said
