"""`voile serve`: one process for the pages, children for the work, and doors around both."""

import contextlib
import logging
import os
import shutil
import signal
import socket
import sys
import threading
import warnings
import webbrowser
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI

from voile.errors import OutputError, place_of
from voile.output.staging import alone_in, sweep
from voile.unix import lock_file, require_limits, require_locks
from voile.web.desk import Desk
from voile.web.doors import SESSION, Doors
from voile.web.jobs import Jobs
from voile.web.sessions import IDLE, Session, Sessions
from voile.web.shelf import PRIVATE, Shelf
from voile.web.uploads import LARGEST, Uploads
from voile.web.wire import Wire

HOST = "127.0.0.1"
USUAL_PORT = 8420
OPENING = "open.html"
_GIB = 2**30


@dataclass(frozen=True)
class Settings:
    """What `voile serve` was asked for."""

    folder: Path
    port: int | None = None
    browser: bool = True
    memory: int = 0  # bytes that a job may take; 0: three quarters of the machine's
    minutes: float = 120.0
    idle: float = IDLE
    largest_upload: int = LARGEST

    @property
    def job_memory(self) -> int:
        """Address space, of which libraries reserve more than they use."""
        whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return self.memory or max(4 * _GIB, whole * 3 // 4)


def serve(settings: Settings, say: Callable[[str], None], opened: Callable[[str, Path], None]) -> None:
    """Run until Ctrl-C; `opened` tells the steward where to look first, `say` whatever comes later."""
    require_locks()
    require_limits()  # every job is bounded
    os.umask(0o077)  # whoever writes a file, it is the steward's alone
    shelf = Shelf(settings.folder)
    listening = _listening(settings.port)
    port = int(listening.getsockname()[1])
    private, lock = _private_folder(shelf)
    uploads = Uploads(settings.largest_upload)
    jobs = Jobs(memory=settings.job_memory, seconds=settings.minutes * 60)

    def ended(session: Any) -> None:
        jobs.forget(session)
        uploads.forget(session)
        _forget_pages(session)

    sessions = Sessions(private, settings.idle, ended=ended)
    desk = Desk(shelf, sessions, jobs, uploads)
    address = f"http://{HOST}:{port}"

    def invite() -> None:
        (private / OPENING).unlink(missing_ok=True)
        say(f"to come in from another browser, or again later: {address}/login?token={sessions.new_token()}")

    application = _application(desk)
    _hush()
    app = Doors(application, sessions, port, invite, _told)
    config = uvicorn.Config(
        app,
        http=Wire,
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ws_max_size=4 * 2**20,
        timeout_graceful_shutdown=2,
    )
    token = sessions.new_token()
    opened(f"{address}/login?token={token}", shelf.folder)
    if settings.browser:
        _opened(private, f"{address}/login?token={token}")
    try:
        _run(uvicorn.Server(config), listening)
    finally:
        sessions.end_all()
        shutil.rmtree(private, ignore_errors=True)
        os.close(lock)
        listening.close()
    say("stopped; what was uploaded is removed, releases stay in the folder")


def _run(server: uvicorn.Server, listening: socket.socket) -> None:
    """Until Ctrl-C, a polite kill, or the end of the terminal: each of them cleans up."""

    def stop(signum: int, frame: Any) -> None:
        server.should_exit = True

    signal.signal(signal.SIGTERM, stop)  # what is raised again when the server has stopped must not end us before
    signal.signal(signal.SIGHUP, stop)
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listening])


def _application(desk: Desk) -> FastAPI:
    """The pages, on a framework that keeps nothing on the disk."""
    os.environ.setdefault("NICEGUI_STORAGE_PATH", os.devnull)
    from nicegui import app as pages
    from nicegui import core, ui

    from voile.web import routes
    from voile.web.pages import every_page

    @contextlib.asynccontextmanager
    async def living(_: FastAPI) -> AsyncIterator[None]:
        await desk.jobs.warm()
        yield
        await desk.jobs.close()

    outer = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=living)
    routes.add(outer, desk)
    pages.config.socket_io_js_transports = core.sio.eio.transports = ["websocket"]
    pages._exception_handlers[:] = [_told]
    pages.on_page_exception(_defect_page)
    every_page(desk)
    ui.run_with(
        outer,
        title="Voile",
        language="en-US",
        dark=None,
        tailwind=False,
        gzip_middleware_factory=None,
        show_welcome_message=False,
        reconnect_timeout=10,
        favicon=Path(__file__).parent / "static" / "voile.svg",
    )
    return outer


def _forget_pages(session: Session) -> None:
    """A session has ended: no tab of it may go on, and nothing of it stays in memory."""
    from nicegui import Client

    for client in list(Client.instances.values()):
        if client._request is not None and client._request.scope.get(SESSION) is session:
            client.delete()


def _told(error: Exception) -> None:
    """A defect on a page: its place goes to the terminal, its message nowhere."""
    sys.stderr.write(f"voile: a defect of Voile ({place_of(error)}), please report it\n")


def _defect_page(error: Exception) -> None:
    """What the steward sees of a defect."""
    from voile.web.frame import frame, refusal

    with frame("Something went wrong"):
        remedy = "please report it; nothing was published. The first page still lists your work"
        refusal({"what": f"a defect of Voile ({place_of(error)})", "remedy": remedy})


def _hush() -> None:
    """Libraries log requests, messages and tracebacks, which may hold cells: none of it is kept."""
    logging.disable(logging.CRITICAL)
    logging.lastResort = None
    sys.unraisablehook = lambda found: None
    threading.excepthook = lambda found: None
    warnings.simplefilter("ignore")


def _listening(port: int | None) -> socket.socket:
    """A socket of this machine alone: the wanted port, the usual one, or any that is free."""
    for wanted in (port,) if port is not None else (USUAL_PORT, 0):
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError, OverflowError):
            found.bind((HOST, wanted))
            found.listen(128)  # at once: who is told the address may come before the app is ready, and waits
            return found
        found.close()
    raise OutputError("is in use, or not allowed", where=f"port {port}", remedy="choose another with --port")


def _private_folder(shelf: Shelf) -> tuple[Path, int]:
    """Where uploads go, locked while this server lives; what a killed server left is removed first."""
    found, lock = None, -1
    with contextlib.suppress(OSError), alone_in(shelf.folder):  # nobody removes a folder that is not locked yet
        sweep(shelf.folder, PRIVATE)
        sweep(shelf.folder)
        found = shelf.private()
        lock = os.open(found, os.O_RDONLY)
        lock_file(lock)
    if found is None:
        raise OutputError(
            "cannot be written", where=f"folder {shelf.folder.name}", remedy="choose another with --folder"
        )
    return found, lock


def _opened(private: Path, address: str) -> None:
    """Open the browser by a private file that leads to the address: the command line of a browser can be read by
    everybody on the machine."""
    page = private / OPENING
    with os.fdopen(os.open(page, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(
            f'<!doctype html><meta http-equiv="refresh" content="0;url={address}"><a href="{address}">Voile</a>'
        )
    with contextlib.suppress(Exception):
        webbrowser.open(page.as_uri())
