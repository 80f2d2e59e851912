"""The app as it really runs: `voile serve` in a process of its own, a browser or a plain client before it."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import psutil

from tests.web.pictures import KEPT

REPOSITORY = Path(__file__).parents[2]
LONG = 600  # seconds for what a busy machine does late, jobs last of all: nobody waits so long for what is there
# nothing moves: a bar that runs to and fro while a job is under way would take what a small machine has left
CALM = """
const calm = new CSSStyleSheet();
calm.replaceSync("progress { appearance: none } * { animation: none !important; transition: none !important }");
document.adoptedStyleSheets.push(calm);
"""


class Served:
    """A running server: where it is, its newest one-time address, and all it ever said."""

    def __init__(self, folder, *options, program=("-m", "voile"), **environment):
        self.folder = Path(folder)
        place = {**os.environ, "VOILE_KEYS": str(self.folder / "keys"), **environment}
        place["PYTHONPATH"] = str(REPOSITORY / "src")
        ways = ["serve", "--no-browser", "--folder", str(folder), *map(str, options)]
        command = [sys.executable, *map(str, program), *ways]
        self.process = subprocess.Popen(
            command, cwd=folder, env=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self._lines, self._clients = [], []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.address = self._waited(r"(http://[0-9.:]+)/login")
        self.port = int(self.address.rsplit(":", 1)[1])

    def _read(self):
        for line in self.process.stdout:
            self._lines.append(line)

    @property
    def said(self):
        return "".join(self._lines)

    def _waited(self, pattern, seconds=LONG):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = re.findall(pattern, self.said)
            if found:
                return found[-1]
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        raise AssertionError(f"the server did not say {pattern}: {self.said}")

    def tokens(self):
        return re.findall(r"token=(\S+)", self.said)

    def invitation(self):
        """The newest address that opens, each time another one."""
        taken = len(self.tokens())
        address = f"{self.address}/login?token={self.tokens()[-1]}"
        self._given = taken
        return address

    def next_invitation(self):
        """Wait until the server has printed the next one, and give that."""
        end = time.monotonic() + LONG
        while len(self.tokens()) <= self._given:
            assert time.monotonic() < end, "the server did not print another address"
            time.sleep(0.02)
        return self.invitation()

    def client(self):
        """A plain HTTP client that has come in."""
        address = self.next_invitation() if hasattr(self, "_given") else self.invitation()
        client = httpx.Client(base_url=self.address, timeout=LONG)
        self._clients.append(client)
        assert client.get(address).status_code == 200
        return client

    def client_of(self, page):
        """The same as whoever sits before a browser."""
        jar = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
        self._clients.append(httpx.Client(base_url=self.address, cookies=jar, timeout=LONG))
        return self._clients[-1]

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(LONG)
        self._reader.join(5)
        self.process.stdout.close()
        for client in self._clients:
            client.close()


@contextlib.contextmanager
def served(folder, *options, **environment):
    """`with served(folder) as app:`; it ends cleanly, or the test fails."""
    app = Served(folder, *options, **environment)
    try:
        yield app
    finally:
        try:
            app.stop()
        finally:
            if app.process.poll() is None:
                app.process.kill()
    assert app.process.returncode == 0, app.said


@contextlib.contextmanager
def blank(browser, **options):
    """A page of a browser that is nobody's yet."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
    context.set_default_timeout(1000 * LONG)
    if not KEPT:
        context.add_init_script(CALM)
    yield context.new_page()
    context.close()


@contextlib.contextmanager
def visited(app, browser, **options):
    """A page of a browser that has come in. `page.said` are messages, errors and failed requests that should not
    be; `page.asked` all addresses that were asked for."""
    with blank(browser, **options) as page:
        page.said, page.asked = [], []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("requestfailed", lambda request: page.said.append(f"failed: {request.url}"))
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("websocket", lambda socket: page.asked.append(socket.url))
        page.goto(app.next_invitation() if hasattr(app, "_given") else app.invitation())
        page.wait_for_selector("main h1")
        yield page


def wait_until(condition, seconds=LONG):
    """Wait for a state; what made it true."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end
        time.sleep(0.2)  # it often asks the app, which has other work
    return found


def children_of(app, at_least=1):
    """The processes of jobs, and the one that waits for the next."""
    server = psutil.Process(app.process.pid)
    wait_until(lambda: len(server.children()) >= at_least)
    return server.children()


@contextlib.contextmanager
def held(app, at_least=1):
    """The next job begins, and goes no further meanwhile: the page that shows it stays, so that nothing goes away
    under who looks. Its process is the one that waits now, after those of jobs that are held already."""
    children = children_of(app, at_least)
    for child in children:
        child.suspend()
    try:
        yield
    finally:
        for child in children:
            with contextlib.suppress(psutil.NoSuchProcess):  # it may have been told to stop meanwhile
                child.resume()


def upload(page, path, where=".drop label"):
    """Choose a file as a person does: one click."""
    with page.expect_file_chooser() as chooser:
        page.click(where)
    chooser.value.set_files(path)


def sent(client, name, content, purpose="release"):
    """A file over HTTP: its key, and the address of the page that looks at it."""
    key = client.post("/upload", headers={"X-Name": name}).json()["id"]
    if content:  # of an empty file a browser sends no slice
        got = client.post(f"/upload/{key}", content=content).json()
        assert got["ok"], got
    return key, client.post(f"/upload/{key}/done/{purpose}").json()["next"]
