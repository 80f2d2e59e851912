"""What leaves the app: the same headers on every answer, one shape for errors, and of a defect its place alone."""

import json
import re

import pytest

from tests.web.altered import SECRET
from tests.web.plain import asked, cookie_of, exchanged, own_host, websocket
from tests.web.serving import visited, wait_until

pytestmark = pytest.mark.slow  # starts a server
FIXED = {
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
}


@pytest.fixture(scope="module")
def app(altered):
    return altered


@pytest.fixture(scope="module")
def client(app):
    return app.client()


def assert_guarded(got):
    for name, value in FIXED.items():
        assert got.header(name) == value, name
    policy = dict(part.strip().split(" ", 1) for part in got.header("content-security-policy").split(";"))
    assert policy["frame-ancestors"] == "'none'" and policy["base-uri"] == "'none'"
    assert policy["default-src"] in ("'none'", "'self'")
    assert "http" not in str(policy) and "*" not in str(policy) and "//" not in str(policy), "no other origin"
    scripts = policy.get("script-src", "")
    assert "unsafe-inline" not in scripts and "data:" not in scripts
    assert not any(name.startswith("access-control-") or name == "server" for name, _ in got.headers)


def answers(app, client):
    """One of every kind, by what it is."""
    mine = cookie_of(client)
    key = client.post("/upload", headers={"X-Name": "a.csv"}).json()["id"]
    big = client.post("/upload", headers={"X-Name": "a.csv"}).json()["id"]
    slices = [
        (f"/upload/{key}", b"a,b\n1,2\n"),
        (f"/upload/{key}/done/release", b""),
        (f"/upload/{big}", b"\x1f\x8b"),
    ]
    yield from (("upload", asked(app, "POST", at, body=body, cookie=mine)) for at, body in slices)
    huge = client.post("/upload", headers={"X-Name": "a.csv"}).json()["id"]
    yield "too much", asked(app, "POST", f"/upload/{huge}", body=b"a\n" * 5 * 2**20, cookie=mine)
    for address in ("/", "/nonsense", "/static/app.css", "/static/nonsense", "/favicon.ico", "/download/1/2"):
        for method in ("GET", "POST", "PUT", "HEAD"):
            yield f"{method} {address}", asked(app, method, address, cookie=mine)
    for address in (
        "/_nicegui/3/x",
        "/_nicegui_ws/socket.io/?transport=polling&EIO=4",
        "/release/x/run",
        "/series",
    ):
        yield f"GET {address}", asked(app, "GET", address, cookie=mine)
    yield "stranger", asked(app, "GET", "/", [("Host", "evil.example")], host=False)
    yield "closed", asked(app, "GET", "/")
    yield "login", asked(app, "GET", "/login")
    yield "wrong", asked(app, "GET", "/login?token=x")
    yield "websocket", websocket(app)
    yield "garbage", exchanged(app, b"GARBAGE\r\n\r\n")
    yield (
        "no length",
        exchanged(app, f"POST / HTTP/1.1\r\nHost: {own_host(app)}\r\nContent-Length: x\r\n\r\n".encode()),
    )
    for kind in ("route", "page", "half", "async", "checked/x", "events"):
        yield kind, asked(app, "GET", f"/test-only/break/{kind}", cookie=mine)


def test_every_answer_is_guarded_and_every_error_has_one_shape(app, client):
    seen = {}
    for name, got in answers(app, client):
        assert_guarded(got)
        seen[got.status] = seen.get(got.status, 0) + 1
        assert SECRET not in got.text and "Traceback" not in got.text and ".venv" not in got.text, name
        kind = got.header("content-type") or ""
        if got.status >= 400 and got.body:
            if kind.startswith("text/html"):
                assert name.startswith("GET") or got.status in (403, 500), name
            else:
                said = json.loads(got.body)
                assert said["ok"] is False and isinstance(said["error"]["what"], str), name
                assert set(said) == {"ok", "error"} and set(said["error"]) <= {
                    *("kind", "what", "where", "rule", "remedy"),
                }
    assert {200, 400, 403, 404, 405, 413, 422, 500} <= set(seen), f"control: all kinds were met ({seen})"
    for what in ("ValueError", "altered.py"):
        assert what in app.said, "control: type and place are told on the terminal"
    assert SECRET not in app.said and "Traceback" not in app.said


def test_an_event_that_breaks_tells_its_place_alone(app, browser):
    told = "ValueError at altered.py"
    with visited(app, browser) as page:
        page.goto(f"{app.address}/test-only/break/events")
        page.wait_for_selector("main h1")
        for name in ("now", "later", "task", "timer"):
            before = app.said.count(told)
            page.click(f"button:text-is('{name}')")
            wait_until(lambda before=before: app.said.count(told) > before)  # control: it broke
        page.click("button:text-is('whole')")
        page.wait_for_selector("text=all that came before is here")
        assert SECRET not in page.content() + "".join(page.said)
    assert SECRET not in app.said and "Traceback" not in app.said


def test_scripts_of_a_page_have_its_nonce_and_every_page_another(app, client):
    nonces = set()
    for _ in range(3):
        got = asked(app, "GET", "/", cookie=cookie_of(client))
        nonce = re.search(r"'nonce-([^']+)'", got.header("content-security-policy"))[1]
        assert len(nonce) >= 22
        assert set(re.findall(r"<script([^>]*)>", got.text)) and f'nonce="{nonce}"' in got.text
        assert all(f'nonce="{nonce}"' in attributes for attributes in re.findall(r"<script([^>]*)>", got.text))
        nonces.add(nonce)
    assert len(nonces) == 3
