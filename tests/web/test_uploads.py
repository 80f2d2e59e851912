"""What comes from a browser as a file: it goes nowhere but into the session's folder, and no monster comes in."""

import io
import json
import os
import socket
import threading
import time
import zipfile

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.web.altered import PROGRAM
from tests.web.plain import asked, cookie_of, own_host, read
from tests.web.serving import LONG, served, wait_until

pytestmark = pytest.mark.slow  # starts a server
SOON = 10  # seconds of processors, of all that works meanwhile; how long one waits: see benchmarks/app.md
MIB = 2**20
NAMES = (
    *("../../etc/x.csv", "../x.csv", "/etc/x.csv", "//etc/x.csv", "/etc/passwd", "~/x.csv", "~root/x.csv", "."),
    *(
        "..",
        "...",
        "",
        "%20",
        "....//....//x.csv",
        "..;/x.csv",
        "..\\..\\x.csv",
        "C:\\x.csv",
        "C:x.csv",
        "\\\\h\\s\\x.csv",
    ),
    *("x.csv%00.png", "%2e%2e%2fx.csv", "%2e%2e/x.csv", "..%2fx.csv", "..%252fx.csv", "%c0%ae%c0%ae%c0%afx.csv"),
    *(
        "..%c0%afx.csv",
        "..%ef%bc%8fx.csv",
        "%e2%80%a5/x.csv",
        "%ef%bc%8e%ef%bc%8e/x.csv",
        "x.csv%0d%0aSet-Cookie: a=b",
    ),
    *(
        "session-evil/x.csv",
        "../session-evil/x.csv",
        "../.voile-serve-evil/x.csv",
        "table-0.csv",
        "open.html",
        "CON",
    ),
    *(
        "x" * 5000 + ".csv",
        "x%E2%80%AEvsc.exe",
        "file:///etc/passwd",
        "x.csv::$DATA",
        "-rf",
        "$(id).csv",
        ".ssh/id",
    ),
)
TRAVERSALS = tuple(name.replace(" ", "%20").replace("\\", "%5C") for name in NAMES if len(name) < 1000)


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    patience = json.dumps({"doors.PATIENCE": 1.5})
    folder = tmp_path_factory.mktemp("around") / "served"
    folder.mkdir()
    with served(folder, "--largest-upload", 32, program=PROGRAM, ALTERED=patience) as running:
        yield running


@pytest.fixture(scope="module")
def client(app):
    return app.client()


def everything(app):
    """All paths in and around the served folder, the private part of the session apart."""
    around = app.folder.parent
    return {path for path in around.rglob("*") if not path.match("*/.voile-serve-*/session-*/*")}


def begun(client, name="x.csv"):
    return client.post("/upload", headers={"X-Name": name}).json()["id"]


def test_no_name_leads_anywhere(app, client):
    assert len(NAMES) >= 40
    before, homes = everything(app), set(os.listdir("/")) | set(os.listdir("/tmp"))
    session = next(app.folder.glob(".voile-serve-*/session-*"))
    for name in NAMES:
        key = begun(client, name.encode("utf-8", "replace"))
        assert client.post(f"/upload/{key}", content=b"a,b\n1,2\n").json()["ok"], name
        made = session / f"table-{key}.csv"
        assert made.read_bytes() == b"a,b\n1,2\n", f"control: {name} is kept under a name of the server's"
    assert everything(app) == before
    assert {name for name in set(os.listdir("/")) - homes if "x.csv" in name} == set()
    kept = {path.name for path in session.rglob("*")}
    assert all(name.startswith(("table-", "draft-")) for name in kept), kept
    assert len([name for name in kept if name.startswith("table-")]) >= len(NAMES)


def test_a_name_is_a_label_on_a_page(client):
    key = begun(client, "..%2F..%2Fetc%2F%3Cscript%3Emy%20table.csv")
    client.post(f"/upload/{key}", content=b"a,b\n1,2\n")
    place = client.post(f"/upload/{key}/done/release").json()["next"]
    text = client.get(place).text
    assert "my table.csv" in text and "<script>my" not in text and "etc" not in text.replace("fetch", "")


def test_no_address_leads_anywhere(app, client):
    mine, draft = cookie_of(client), begun(client)
    (app.folder.parent / "x.csv").write_text("cnry outside")
    for name in TRAVERSALS:
        for address in (f"/upload/{name}", f"/upload/{name}/done/release", f"/upload/{draft}/done/{name}"):
            assert asked(app, "POST", address, cookie=mine).status in (400, 404), address
        for address in (f"/download/{name}/spec", f"/download/{draft}/{name}", f"/static/{name}", f"/{name}"):
            got = asked(app, "GET", address, cookie=mine)
            assert b"cnry" not in got.body and b"root:" not in got.body, address
            assert got.status in (400, 404) or got.header("content-type").startswith("text/html"), address
        for folder in ("static", "libraries", "components", "resources/x", "esm/x", "dynamic_resources"):
            got = asked(app, "GET", f"/_nicegui/3.18.0/{folder}/{name}", cookie=mine)
            assert got.status in (400, 403, 404) and b"root:" not in got.body, (folder, name)
    assert asked(app, "GET", "/static/app.js", cookie=mine).status == 200  # control


def chunked(app, cookie, address, chunks):
    """A body without a length; how much was taken before the answer, and the answer."""
    head = f"POST {address} HTTP/1.1\r\nHost: {own_host(app)}\r\nCookie: {cookie}\r\n"
    head += "Transfer-Encoding: chunked\r\n\r\n"
    sent = 0
    with socket.create_connection(("127.0.0.1", app.port), timeout=LONG) as wire:
        wire.sendall(head.encode())
        try:
            for chunk in chunks:
                wire.sendall(b"%x\r\n%b\r\n" % (len(chunk), chunk))
                sent += len(chunk)
        except (ConnectionError, TimeoutError):
            pass
        else:
            wire.sendall(b"0\r\n\r\n")
        try:
            return sent, read(wire.recv(2**16))
        except ConnectionError:
            return sent, None


def test_the_size_of_a_slice_is_counted_not_believed(app, client):
    key = begun(client)
    sent, got = chunked(app, cookie_of(client), f"/upload/{key}", [b"a,b\n" * (MIB // 4)] * 8)
    assert got.status == 200, "control: eight MiB without a length are fine"
    sent, got = chunked(app, cookie_of(client), f"/upload/{key}", [b"a,b\n" * (MIB // 4)] * 100)
    assert got is None or got.status == 413
    assert sent <= 100 * MIB and not list(app.folder.rglob(f"table-{key}.csv")), "what was refused is not kept"
    assert client.post(f"/upload/{key}", content=b"1,2\n").status_code == 404


def test_the_size_of_a_file_is_counted_over_its_slices(app, client):
    key, part = begun(client), b"a,b\n" * MIB  # 4 MiB
    said = [client.post(f"/upload/{key}", content=part).json() for _ in range(9)]
    assert [one["ok"] for one in said] == [True] * 8 + [False]
    assert said[-1]["error"]["what"] == "more than 32 MiB" and "folder" in said[-1]["error"]["remedy"]
    assert not list(app.folder.rglob(f"table-{key}.csv"))


def test_nothing_is_added_to_a_file_that_is_whole(client):
    key = begun(client)
    client.post(f"/upload/{key}", content=b"a,b\n1,2\n")
    assert client.post(f"/upload/{key}/done/release").json()["ok"]
    assert client.post(f"/upload/{key}", content=b"3,4\n").status_code == 404
    assert client.post(f"/upload/{key}/done/audit").status_code == 404


def zipped():
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("t.csv", "a,b\n")
    return made.getvalue()


ARCHIVES = {
    "gzip": b"\x1f\x8b\x08\x00rest",
    "zip": zipped(),
    "zstd": b"\x28\xb5\x2f\xfdrest",
    "bzip2": b"BZh91AY",
    "xz": b"\xfd7zXZ\x00",
    "7z": b"7z\xbc\xaf\x27\x1c",
    "rar": b"Rar!\x1a\x07",
}


@pytest.mark.parametrize("kind", ARCHIVES)
def test_nothing_is_unpacked(client, kind):
    for pieces in ([ARCHIVES[kind]], [ARCHIVES[kind][:1], ARCHIVES[kind][1:]], [b"", ARCHIVES[kind]]):
        key = begun(client, f"t.{kind}.csv")
        said = [client.post(f"/upload/{key}", content=piece).json() for piece in pieces]
        assert not said[-1]["ok"] and said[-1]["error"]["remedy"] == "unpack it first", pieces


def worked(process):
    """Seconds of processors."""
    times = process.cpu_times()
    return times.user + times.system


class Watched:
    """How much the resident memory of the server and its children grows from now on, and how long they work."""

    def __init__(self, app):
        self._server, self._before, self.most = psutil.Process(app.process.pid), {}, 0
        self._worked = {}
        for process in self._all():
            self._before[process.pid] = process.memory_info().rss
            self._worked[process.pid] = [worked(process)] * 2
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _all(self):
        return [self._server, *self._server.children(recursive=True)]

    def _look(self):
        while not self._stop.wait(0.01):
            for process in self._all():
                try:
                    grown = process.memory_info().rss - self._before.setdefault(process.pid, 2**62)
                    self._worked.setdefault(process.pid, [0, 0])[1] = worked(process)
                except psutil.Error:
                    continue
                self.most = max(self.most, grown)  # a child that is started meanwhile is the next one's, and idle

    def over(self, name):
        self._stop.set()
        self._thread.join()
        self.seconds = sum(after - before for before, after in self._worked.values())
        print(f"{name}: {self.seconds:.2f} s, {self.most / MIB:.0f} MiB more")
        return self


def refusal_of(client, place):
    """Wait for the words of a refusal."""

    def refused():
        text = client.get(place).text
        return text if "What would work" in text or "The rule" in text else ""

    return wait_until(refused)


def rested(app):
    """Wait until one child is loaded and idle: what is measured then is the file, not the libraries."""
    server = psutil.Process(app.process.pid)

    def loaded():
        children = server.children()
        if len(children) != 1 or children[0].memory_info().rss < 100 * MIB:
            return False
        return all(children[0].status() == psutil.STATUS_SLEEPING for _ in range(50) if not time.sleep(0.005))

    wait_until(loaded)


def bomb(path, rows=200_000_000, group=10_000_000):
    """200 million rows of a thousand letters each, in less than 124 kB."""
    cells = pa.DictionaryArray.from_arrays(pa.array(np.zeros(group, np.int32)), pa.array(["x" * 1000]))
    whole = {"max_rows_per_page": group, "write_batch_size": group, "data_page_size": 2**30}
    with pq.ParquetWriter(path, pa.schema([("a", cells.type)]), compression="zstd", **whole) as writer:
        for _ in range(rows // group):
            writer.write_table(pa.table({"a": cells}), row_group_size=group)
    assert path.stat().st_size < 124_000 and pq.ParquetFile(path).metadata.num_rows == rows


def test_a_parquet_bomb_is_refused(app, client, tmp_path):
    """Measured from the moment the whole file is there to the refusal on the page, over server and children."""
    bomb(tmp_path / "bomb.parquet")
    key = begun(client, "bomb.parquet")
    assert client.post(f"/upload/{key}", content=(tmp_path / "bomb.parquet").read_bytes()).json()["ok"]
    rested(app)
    watched = Watched(app)
    place = client.post(f"/upload/{key}/done/release").json()["next"]
    text = refusal_of(client, place)
    assert "200000000 cells in so small a file" in text
    found = watched.over("parquet bomb")
    assert found.seconds < SOON and found.most < 100 * MIB


def test_a_field_of_a_gigabyte_is_refused_while_it_comes(app, client):
    """Measured from its first byte to the refusal; the rest is never sent."""
    key, slices = begun(client), 0
    rested(app)
    watched = Watched(app)
    while slices < 128:
        body = (b"a,b\n1," if slices == 0 else b"") + b"x" * (8 * MIB - 6 * (slices == 0))
        said = client.post(f"/upload/{key}", content=body).json()
        slices += 1
        if not said["ok"]:
            break
    assert said["error"]["what"] == "a line of more than 16 MiB" and slices <= 3
    found = watched.over(f"one line, refused after {8 * slices} MiB")
    assert found.seconds < SOON and found.most < 100 * MIB


MONSTERS = {"quoted": b'a,b\n1,"' + (b"x" * 63 + b"\n") * (4 * MIB // 64), "bare": b"a,b\n1," + b"x" * 4 * MIB}
MONSTERS["NUL"] = b"a,b\n1,2\n"


@pytest.mark.parametrize("kind", MONSTERS)
def test_a_gigabyte_in_the_folder_is_refused(app, client, kind):
    """As if picked, not uploaded: no cap holds there. Begun with 4 MiB of text, the rest of the gigabyte is a hole
    in the file, which reads as NULs. Measured from the moment it is chosen to the refusal on the page."""
    path = next(app.folder.glob(".voile-serve-*/session-*")) / f"table-{begun(client)}.csv"
    path.write_bytes(MONSTERS[kind])
    os.truncate(path, 2**30)
    key = path.stem.removeprefix("table-")
    rested(app)
    watched = Watched(app)
    text = refusal_of(client, client.post(f"/upload/{key}/done/release").json()["next"])
    assert ("a NUL byte" if kind == "NUL" else "a field of more than 1 MiB") in text
    found = watched.over(f"gigabyte, {kind}")
    assert found.seconds < SOON and found.most < 100 * MIB
    path.unlink()


def last_words(wire):
    """What the server says before it hangs up."""
    said = b""
    wire.settimeout(LONG)
    try:
        while part := wire.recv(4096):
            said += part
    except ConnectionError:
        pass
    return said


def stalled(app, client, where):
    """A connection on which nothing comes any more, wherever a request stops."""
    head = f"POST /upload/{begun(client)} HTTP/1.1\r\nHost: {own_host(app)}\r\nCookie: {cookie_of(client)}\r\n"
    whole = f"GET /static/app.css HTTP/1.1\r\nHost: {own_host(app)}\r\n\r\n"
    sent = {
        "nothing": "",
        "address": "GET /lo",
        "header": head,
        "body": f"{head}Content-Length: 1000\r\n\r\nabc",
        "login": f"POST /login HTTP/1.1\r\nHost: {own_host(app)}\r\nContent-Length: 99\r\n\r\ntoken=",
        "chunk": f"{head}Transfer-Encoding: chunked\r\n\r\n5\r\nab",
        "second": f"{whole}GET /",
    }[where]
    wire = socket.create_connection(("127.0.0.1", app.port))
    wire.sendall(sent.encode())
    return wire


def test_who_does_not_go_on_is_left(app, client):
    """Slow loris, with a patience of 1.5 seconds instead of 30; wherever it stops, all of them at once."""
    places = ("nothing", "address", "header", "body", "login", "chunk", "second")
    wires = {where: stalled(app, client, where) for where in places}
    for where, wire in wires.items():
        with wire:
            said = last_words(wire)
        if where in ("body", "chunk"):
            assert b" 408 " in said.split(b"\r\n")[0] and b'"ok": false' in said, where
    assert "defect" not in app.said


def test_a_browser_that_goes_away_leaves_no_half_file(app, client):
    key = begun(client)
    head = f"POST /upload/{key} HTTP/1.1\r\nHost: {own_host(app)}\r\nCookie: {cookie_of(client)}\r\n"
    with socket.create_connection(("127.0.0.1", app.port)) as wire:
        wire.sendall(f"{head}Content-Length: 1000\r\n\r\na,b\n1".encode())
        wait_until(lambda: any(key in file.path for file in psutil.Process(app.process.pid).open_files()))
        assert client.post(f"/upload/{key}/done/release").status_code == 404, "one thing after the other"
    wait_until(lambda: not list(app.folder.rglob(f"table-{key}.csv")))
    assert "defect" not in app.said, "that is nobody's defect"
