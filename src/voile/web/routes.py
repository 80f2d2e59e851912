"""What is not a page: uploads in, downloads out, our style and script."""

from importlib import resources

from fastapi import FastAPI, Request, Response
from fastapi.responses import FileResponse, JSONResponse, RedirectResponse

from voile.errors import VoileError
from voile.web import hierarchies
from voile.web.desk import Desk
from voile.web.downloads import download_of
from voile.web.uploads import Upload

STATIC = {"app.css": "text/css", "app.js": "text/javascript"}


def add(app: FastAPI, desk: Desk) -> None:
    """Register every route; the doors are outside."""

    @app.get("/static/{name}")
    def static(name: str) -> Response:
        if name not in STATIC:
            return _refused("no such file", 404)
        return Response(_static(name), media_type=STATIC[name])

    @app.post("/upload")
    async def begin(request: Request) -> Response:
        upload = desk.uploads.begin(desk.session(request), request.headers.get("x-name", ""))
        return JSONResponse({"ok": True, "id": upload.id})

    @app.post("/upload/{key}")
    async def more(request: Request, key: str) -> Response:
        upload = desk.uploads.ready(desk.session(request), key)
        if upload is None:
            return _refused("no such upload", 404)
        return await _received(desk, upload, request)

    @app.post("/upload/{key}/done/{purpose}")
    async def done(request: Request, key: str, purpose: str) -> Response:
        session = desk.session(request)
        upload = desk.uploads.ready(session, key)
        if upload is None or purpose not in ("release", "series", "audit"):
            return _refused("no such upload", 404)
        upload.whole = True
        draft = desk.new_draft(session, purpose, upload.path, upload.label)
        return JSONResponse({"ok": True, "next": draft.place("columns")})

    @app.post("/upload/{key}/done/hierarchy/{draft_key}/{position}")
    async def hierarchy(request: Request, key: str, draft_key: str, position: str) -> Response:
        session = desk.session(request)
        upload, draft = desk.uploads.ready(session, key), desk.draft(session, draft_key)
        name = None if draft is None else hierarchies.column_at(draft, position)
        if upload is None or draft is None or name is None:
            return _refused("no such upload", 404)
        large = hierarchies.refuse_large(upload.size)
        if large is None:
            hierarchies.take_file(desk, session, draft, name, upload.path, upload.label)
        desk.uploads.drop(upload)
        if large is not None:
            return JSONResponse({"ok": False, "error": large.document()}, 422)
        return JSONResponse({"ok": True, "next": hierarchies.place(draft, name)})

    @app.post("/leave")
    async def leave(request: Request) -> Response:
        desk.sessions.end(desk.session(request))
        return RedirectResponse("/login", 303)

    @app.get("/download/{key}/{name}")
    def download(request: Request, key: str, name: str) -> Response:
        draft = desk.draft(desk.session(request), key)
        found = None if draft is None else download_of(draft, name)
        if found is None:
            return _refused("no such file", 404)
        return FileResponse(found.path, filename=found.name, media_type="application/octet-stream")


async def _received(desk: Desk, upload: Upload, request: Request) -> Response:
    """A slice. One that is refused or breaks off takes the file with it, which would end in the wrong place."""
    refusal: VoileError | None = None
    problem, taken = "", False
    upload.busy = True
    try:
        with open(upload.path, "ab") as file:
            async for chunk in request.stream():
                desk.uploads.write(upload, file, chunk)
        taken = True
    except VoileError as error:
        refusal = error
    except OSError as error:
        problem = error.strerror or "the disk failed"
    finally:
        upload.busy = False
        if not taken:
            desk.uploads.drop(upload)
    if problem:
        return _refused(f"cannot be kept ({problem.lower()})", 507)
    if refusal is not None:
        return JSONResponse({"ok": False, "error": refusal.document()}, 422)
    return JSONResponse({"ok": True, "size": upload.size})


def _refused(what: str, status: int) -> Response:
    return JSONResponse({"ok": False, "error": {"what": what}}, status)


def _static(name: str) -> str:
    own = resources.files("voile.web").joinpath("static", name).read_text(encoding="utf-8")
    if name == "app.css":  # one visual language: the report's, and what only pages with controls need
        return resources.files("voile.reporting").joinpath("page.css").read_text(encoding="utf-8") + own
    return own
