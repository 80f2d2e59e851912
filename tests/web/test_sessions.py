"""A session is one person's: others see nothing of it, it locks when nobody is there; log-out leaves nothing."""

import re
import time

import psutil
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from tests.reporting.browser import chromium
from tests.web.plain import SOCKET, asked, cookie_of, websocket
from tests.web.serving import sent, served, visited

pytestmark = pytest.mark.slow  # starts a server
LABEL = "label-of-a-table.csv"
TABLE = b"town,illness\n" + b"".join(b"%d,%d\n" % (i % 9, i % 7) for i in range(70))


def private_files(app):
    """Tables of all sessions, and folders."""
    return sorted(path for folder in app.folder.glob(".voile-serve-*") for path in folder.rglob("*"))


def drafted(client, label=LABEL):
    """Upload a table; its key, and the address of its first page."""
    return sent(client, label, TABLE)


def looked_at(client, address, seconds=60):
    """Wait until the table was looked at."""
    end = time.monotonic() + seconds
    while "correct what is wrong" not in (text := client.get(address).text):
        assert time.monotonic() < end, text[-3000:]
        time.sleep(0.2)
    return text


def socket_of(app, client):
    more = {"Cookie": cookie_of(client)}
    return connect(f"ws://127.0.0.1:{app.port}{SOCKET}", origin=app.address, additional_headers=more)


def seconds_until_closed(wire, most=10):
    began = time.monotonic()
    with pytest.raises(ConnectionClosed):
        while time.monotonic() - began < most:
            wire.recv(timeout=most)
    return time.monotonic() - began


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    with served(tmp_path_factory.mktemp("sessions")) as running:
        yield running


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
        wire.recv(timeout=5)
        assert len(private_files(app)) > len(before), "control"
        assert client.post("/leave").status_code == 303
        assert seconds_until_closed(wire) < 3, "also a websocket on which nothing happens"
    end = time.monotonic() + 30  # a child that looks at the table is told to stop
    while own := [path for path in private_files(app) if path not in before and path.parent not in before]:
        assert time.monotonic() < end, own
        time.sleep(0.05)
    for address in ("/", place, "/static/app.css"):
        assert client.get(address).status_code == 403
    assert client.post(f"/upload/{half}", content=b"a").status_code == 403
    assert websocket(app, [("Origin", app.address)], cookie=cookie_of(client)).status == 403
    assert "Nothing is lost" not in client.get("/").text, "it does not pretend to be locked"
    assert other.get("/").status_code == 200, "others are still in"
    back = app.next_invitation()
    assert client.get(back).status_code == 200
    assert LABEL not in client.get("/").text, "who comes back begins anew"


def test_a_session_that_rests_is_locked_and_comes_back(tmp_path):
    with served(tmp_path, "--idle", 0.02) as app:
        client = app.client()
        _, place = drafted(client)
        looked_at(client, place)
        with socket_of(app, client) as wire:
            assert seconds_until_closed(wire) < 5, "nobody was there: pings do not count"
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
        assert cookie_of(client) != old and asked(app, "GET", "/", cookie=old).status == 403, (
            "a cookie for each time"
        )
        assert len(list(app.folder.glob(".voile-serve-*/session-*"))) == 2


def test_a_page_that_is_locked_shows_nothing_any_more(tmp_path):
    """What rested is locked; what was prepared is there when its person comes back."""
    with served(tmp_path, "--idle", 0.1) as app, chromium() as browser, visited(app, browser) as page:
        page.click("text=Try it with an invented hospital")
        page.wait_for_selector("h1:has-text('patients.csv')")
        page.wait_for_selector("#token")
        assert "Nothing is lost" in page.inner_text("main") and "patients" not in page.content()
        page.goto(app.next_invitation())
        page.wait_for_selector(".work a:has-text('patients.csv')")


@pytest.mark.parametrize("connected", [True, False])
def test_no_tab_shows_anything_after_log_out(app, connected):
    """Neither one that is connected, nor one that was about to be."""
    with chromium() as browser, visited(app, browser) as page:
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
        other.wait_for_selector("#token", timeout=60_000)
        assert LABEL not in other.content() and (connected or left[0] == 303)


def test_pages_are_forgotten_with_their_session(app):
    """A page takes half a MiB until its tab has gone (ten seconds), nobody opened its websocket (a minute), or
    its person logs out. Four times fifty pages: from the second time on the server does not grow."""
    server, sizes = psutil.Process(app.process.pid), []
    for _ in range(4):
        client = app.client()
        _, place = drafted(client)
        looked_at(client, place)
        for _ in range(50):
            assert client.get(place).status_code == 200
        client.post("/leave")
        sizes.append(server.memory_info().rss / 2**20)
    print(f"after 50, 100, 150 and 200 pages: {', '.join(f'{size:.0f}' for size in sizes)} MiB")
    assert sizes[-1] - sizes[1] < 30
