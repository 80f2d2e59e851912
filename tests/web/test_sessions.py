"""A session is one person's: others see nothing of it, it locks when nobody is there; log-out leaves nothing."""

import json
import re
import time

import psutil
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.web.altered import PROGRAM
from tests.web.plain import SOCKET, asked, cookie_of, websocket
from tests.web.serving import LONG, sent, served, visited, wait_until

pytestmark = pytest.mark.slow  # starts a server
IDLE = 60  # minutes: longer than any test
LABEL = "label-of-a-table.csv"
TABLE = b"town,illness\n" + b"".join(b"%d,%d\n" % (i % 9, i % 7) for i in range(70))


def private_files(app):
    """Tables of all sessions, and folders."""
    return sorted(path for folder in app.folder.glob(".voile-serve-*") for path in folder.rglob("*"))


def drafted(client, label=LABEL):
    """Upload a table; its key, and the address of its first page."""
    return sent(client, label, TABLE)


def looked_at(client, address):
    """Wait until the table was looked at."""
    return wait_until(lambda: "correct what is wrong" in (text := client.get(address).text) and text)


def socket_of(app, client):
    more = {"Cookie": cookie_of(client)}
    return connect(f"ws://127.0.0.1:{app.port}{SOCKET}", origin=app.address, additional_headers=more)


def seconds_until_closed(wire):
    """By the app; nobody touches it meanwhile."""
    began = time.monotonic()
    with pytest.raises(ConnectionClosed):
        while True:
            wire.recv(timeout=LONG)
    return time.monotonic() - began


@pytest.fixture(scope="module")
def resting(tmp_path_factory):
    """An app in which minutes pass when a test says so."""
    with served(tmp_path_factory.mktemp("resting"), "--idle", IDLE, program=PROGRAM) as running:
        yield running


def rest(app, client):
    """Nobody does anything for so long that the session is locked."""
    assert client.post(f"/test-only/later/{IDLE + 1}").status_code == 200


def test_another_session_sees_nothing(app):
    mine, other = app.client(), app.client()
    key, place = drafted(mine)
    draft = place.split("/")[2]
    assert LABEL in looked_at(mine, place) and "illness" in mine.get(place).text, "control: its own session does"
    assert mine.get(f"/download/{draft}/spec").status_code == 404  # nothing is written before one goes on
    assert other.post(f"/upload/{key}", content=b"x").status_code == 404
    assert other.post(f"/upload/{key}/done/release").status_code == 404
    nothing = re.sub(r"nonce=\S+|[0-9a-f-]{32,}|\d", "", other.get("/release/0000000000000000/columns").text)
    for step in ("columns", "promise", "run", "result", "hierarchy/0"):
        text = other.get(f"/release/{draft}/{step}").text
        assert LABEL not in text and "illness" not in text, step
        assert len(re.sub(r"nonce=\S+|[0-9a-f-]{32,}|\d", "", text)) - len(nothing) in range(-40, 40), step
    assert LABEL in mine.get("/").text and LABEL not in other.get("/").text
    for name in ("spec", "data", "report", "certificate", "../spec", "table"):
        assert other.get(f"/download/{draft}/{name}").status_code == 404


def test_log_out_leaves_nothing(app):
    client, other = app.client(), app.client()
    drafted(other, "another.csv")
    before = private_files(app)
    _, place = drafted(client)
    half = client.post("/upload", headers={"X-Name": "half.csv"}).json()["id"]
    assert client.post(f"/upload/{half}", content=b"a,b\n").json()["ok"]
    with socket_of(app, client) as wire:
        ping = json.loads(wire.recv(timeout=LONG)[1:])["pingInterval"] / 1000
        assert len(private_files(app)) > len(before), "control"
        assert client.post("/leave").status_code == 303
        assert seconds_until_closed(wire) < ping, "a websocket on which nothing happens, too: it takes one second"
    # a child that looks at the table is told to stop
    wait_until(lambda: not [p for p in private_files(app) if p not in before and p.parent not in before])
    for address in ("/", place, "/static/app.css"):
        assert client.get(address).status_code == 403
    assert client.post(f"/upload/{half}", content=b"a").status_code == 403
    assert websocket(app, [("Origin", app.address)], cookie=cookie_of(client)).status == 403
    assert "Nothing is lost" not in client.get("/").text, "it does not pretend to be locked"
    assert other.get("/").status_code == 200, "others are still in"
    back = app.next_invitation()
    assert client.get(back).status_code == 200
    assert LABEL not in client.get("/").text, "who comes back begins anew"


def test_a_session_that_rests_is_locked_and_comes_back(resting):
    app, client = resting, resting.client()
    _, place = drafted(client)
    looked_at(client, place)
    before = len(list(app.folder.glob(".voile-serve-*/session-*")))
    with socket_of(app, client) as wire:
        rest(app, client)
        seconds_until_closed(wire)  # nobody was there: pings do not count
    for address in ("/", place, "/static/app.css"):
        got = client.get(address)
        assert got.status_code == 403 and LABEL not in got.text
    assert "Nothing is lost" in client.get("/").text
    assert client.post("/upload").json()["ok"] is False
    stranger = app.client()
    assert LABEL not in stranger.get("/").text, "a token from another browser opens another session"
    old = cookie_of(client)
    assert client.get(app.next_invitation()).status_code == 200
    assert LABEL in client.get("/").text and LABEL in client.get(place).text
    assert cookie_of(client) != old and asked(app, "GET", "/", cookie=old).status == 403, "a cookie for each time"
    assert len(list(app.folder.glob(".voile-serve-*/session-*"))) == before + 1


def test_a_page_that_is_locked_shows_nothing_any_more(resting, browser):
    """What rested is locked; what was prepared is there when its person comes back."""
    with visited(resting, browser) as page:
        drafted(resting.client_of(page))
        page.reload()
        page.wait_for_selector(f".work a:has-text('{LABEL}')")
        page.wait_for_function("window.did_handshake")
        rest(resting, resting.client_of(page))
        page.wait_for_selector("#token")
        assert "Nothing is lost" in page.inner_text("main") and LABEL not in page.content()
        page.goto(resting.next_invitation())
        page.wait_for_selector(f".work a:has-text('{LABEL}')")


@pytest.mark.parametrize("connected", [True, False])
def test_no_tab_shows_anything_after_log_out(app, browser, connected):
    """Neither one that is connected, nor one that was about to be."""
    with visited(app, browser) as page:
        client, other, left = app.client_of(page), page.context.new_page(), []
        drafted(client)

        def late(route):
            left.append(client.post("/leave").status_code)
            route.connect_to_server()

        if not connected:
            other.route_web_socket("**/*", late)
        other.goto(app.address)
        if connected:
            other.wait_for_selector(f".work a:has-text('{LABEL}')")
            other.wait_for_function("window.socket?.connected")
            page.reload()
            page.click("text=Log out")
        other.wait_for_selector("#token")
        assert LABEL not in other.content() and (connected or left[0] == 303)


def test_pages_are_forgotten_with_their_session(app):
    """A page takes half a MiB until its tab has gone (ten seconds), nobody opened its websocket (a minute), or
    its person logs out. Three times forty pages: after the first time the server does not grow."""
    server, sizes = psutil.Process(app.process.pid), []
    for _ in range(3):
        client = app.client()
        _, place = drafted(client)
        looked_at(client, place)
        for _ in range(40):
            assert client.get(place).status_code == 200
        client.post("/leave")
        sizes.append(server.memory_info().rss / 2**20)
    print(f"after 40, 80 and 120 pages: {', '.join(f'{size:.0f}' for size in sizes)} MiB")
    assert sizes[-1] - sizes[0] < 24
