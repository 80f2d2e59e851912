"""`voile serve`: one process for the pages, children for the work, and doors around both."""

import contextlib
import logging
import os
import shutil
import socket
import sys
import webbrowser
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI

from voile.errors import OutputError, place_of
from voile.web.desk import Desk
from voile.web.doors import Doors
from voile.web.jobs import Jobs
from voile.web.sessions import IDLE, Sessions
from voile.web.shelf import PRIVATE, Shelf
from voile.web.uploads import LARGEST, Uploads

HOST = "127.0.0.1"
USUAL_PORT = 8420
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


def serve(settings: Settings, say: Callable[[str], None]) -> None:
    """Run until Ctrl-C; `say` tells the steward where to look."""
    shelf = Shelf(settings.folder)
    listening = _listening(settings.port)
    port = int(listening.getsockname()[1])
    private = _private_folder(shelf)
    uploads = Uploads(settings.largest_upload)
    jobs = Jobs(memory=settings.job_memory, seconds=settings.minutes * 60)

    def ended(session: Any) -> None:
        jobs.forget(session)
        uploads.forget(session)

    sessions = Sessions(private, settings.idle, ended=ended)
    desk = Desk(shelf, sessions, jobs, uploads)
    address = f"http://{HOST}:{port}"

    def invite() -> None:
        say(f"to come in from another browser, or again later: {address}/login?token={sessions.new_token()}")

    _hush()
    app = Doors(_application(desk), sessions, port, invite, _told)
    config = uvicorn.Config(
        app,  # type: ignore[arg-type]
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ws_max_size=4 * 2**20,
        timeout_graceful_shutdown=2,
    )
    token = sessions.new_token()
    say(f"Voile is open at {address}/login?token={token}")
    say(f"folder {shelf.folder}; the address opens once; Ctrl-C stops")
    page = _opened(private, f"{address}/login?token={token}") if settings.browser else None
    try:
        with contextlib.suppress(KeyboardInterrupt):  # how one stops it
            uvicorn.Server(config).run(sockets=[listening])
    finally:
        sessions.end_all()
        if page is not None:
            page.unlink(missing_ok=True)
        shutil.rmtree(private, ignore_errors=True)
        listening.close()
    say("stopped; what was uploaded is removed, releases stay in the folder")


def _application(desk: Desk) -> FastAPI:
    """The pages, on a framework that keeps nothing on the disk."""
    os.environ.setdefault("NICEGUI_STORAGE_PATH", os.devnull)
    from nicegui import app as pages
    from nicegui import ui

    from voile.web import routes
    from voile.web.pages import every_page

    @contextlib.asynccontextmanager
    async def living(_: FastAPI) -> AsyncIterator[None]:
        await desk.jobs.warm()
        yield
        await desk.jobs.close()

    outer = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=living)
    routes.add(outer, desk)
    pages.config.socket_io_js_transports = ["websocket"]
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
    logging.getLogger().handlers[:] = [logging.NullHandler()]
    for name in ("nicegui", "uvicorn", "uvicorn.error", "uvicorn.access", "asyncio", "engineio", "socketio"):
        logger = logging.getLogger(name)
        logger.handlers[:] = [logging.NullHandler()]
        logger.propagate = False


def _listening(port: int | None) -> socket.socket:
    """A socket of this machine alone: the wanted port, the usual one, or any that is free."""
    for wanted in (port,) if port is not None else (USUAL_PORT, 0):
        found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with contextlib.suppress(OSError, OverflowError):
            found.bind((HOST, wanted))
            return found
        found.close()
    raise OutputError("is in use, or not allowed", where=f"port {port}", remedy="choose another with --port")


def _private_folder(shelf: Shelf) -> Path:
    """Where uploads go; what a killed server left there is removed first."""
    found = None
    with contextlib.suppress(OSError):
        for left in shelf.folder.glob(f"{PRIVATE}*"):
            if not _alive(left):
                shutil.rmtree(left, ignore_errors=True)
        found = shelf.private()
        (found / "pid").write_text(str(os.getpid()))
    if found is None:
        raise OutputError(
            "cannot be written", where=f"folder {shelf.folder.name}", remedy="choose another with --folder"
        )
    return found


def _alive(folder: Path) -> bool:
    """Whether the server that made a folder still runs."""
    try:
        os.kill(int((folder / "pid").read_text()), 0)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False
    return True


def _opened(private: Path, address: str) -> Path | None:
    """Open the browser by a private file that leads to the address: the command line of a browser can be read by
    everybody on the machine."""
    page = private / "open.html"
    with os.fdopen(os.open(page, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0;url={address}"><a href="{address}">Voile</a>')
    with contextlib.suppress(Exception):
        webbrowser.open(page.as_uri())
    return page
