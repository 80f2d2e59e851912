"""`voile serve` with pages and routes that are there for tests alone; otherwise it is the app as it really runs.

/test-only/routes lists every route of the running app; /test-only/break/... break in every way that a page can;
/test-only/draft/... is given a draft as far as a test has prepared it; /test-only/later/... lets minutes pass.
What is changed besides comes as JSON in the variable ALTERED: {"doors.PATIENCE": 1}.
"""

import asyncio
import importlib
import json
import os
import sys
from functools import partial
from pathlib import Path

PROGRAM = (Path(__file__),)
SECRET = "cnrySECRETofabrokenpage"  # what an exception's message might hold


def walked(routes, before=""):
    """Every route below: its address, its methods, and what it is."""
    for route in routes:
        place = before + getattr(route, "path", "")
        inner = getattr(route, "routes", None) or []
        if place or not inner:
            yield [place, sorted(getattr(route, "methods", None) or []), type(route).__name__]
        yield from walked(inner, place)


def add_routes(app):
    @app.get("/test-only/routes")
    def routes():
        return list(walked(app.routes))

    @app.get("/test-only/break/route")
    async def route():
        raise ValueError(SECRET)

    @app.get("/test-only/break/checked/{number}")
    def checked(number: int):
        return number


def add_draft(app, desk):
    from fastapi import Request

    from voile.web.draft import Draft

    @app.post("/test-only/draft/{kind}")
    async def draft(kind: str, request: Request):
        said, session = await request.json(), desk.session(request)
        made = Draft.begun(session.folder, kind, Path(said["path"]), Path(said["path"]).name)
        made.take_inspection(said["found"])
        made.columns = said["columns"]
        made.diagnosis, made.diagnosed = said["diagnosis"], made.declared()
        session.things[made.id] = made
        return made.place("")


def add_clock(app, desk):
    @app.post("/test-only/later/{minutes}")
    def later(minutes: int):
        before = desk.sessions._clock
        desk.sessions._clock = lambda: before() + 60 * minutes


def add_pages():
    from nicegui import background_tasks, ui

    from voile.web.elements import button, tag
    from voile.web.frame import frame

    def broken():
        raise ValueError(SECRET)

    async def broken_later():
        await asyncio.sleep(0)
        raise ValueError(SECRET)

    @ui.page("/test-only/break/page")
    def page():
        broken()

    @ui.page("/test-only/break/half")
    def half():
        with frame("Half"):
            broken()

    @ui.page("/test-only/break/async")
    async def later():
        await broken_later()

    @ui.page("/test-only/break/events")
    def events():
        with frame("Events"):
            button("now", broken)
            button("later", broken_later)
            button("task", lambda: background_tasks.create(broken_later()))
            button("timer", lambda: ui.timer(0.01, broken, once=True))
            said = tag("p", "", "said")
            button("whole", lambda: (setattr(said, "_text", "all that came before is here"), said.update()))


def main():
    for place, value in json.loads(os.environ.get("ALTERED", "{}")).items():
        module, name = place.rsplit(".", 1)
        setattr(importlib.import_module(f"voile.web.{module}"), name, value)
    from voile.cli.main import main as voile
    from voile.web import routes, server

    usual, usual_routes = server._application, routes.add

    def with_routes(app, desk):
        usual_routes(app, desk)
        for add in (add_routes, partial(add_draft, desk=desk), partial(add_clock, desk=desk)):
            add(app)

    def with_pages(desk):
        app = usual(desk)
        add_pages()
        return app

    routes.add, server._application = with_routes, with_pages
    sys.argv[0] = "voile"
    voile()


if __name__ == "__main__":
    main()
