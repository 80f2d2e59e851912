"""`voile serve` with pages and routes that are there for tests alone; otherwise it is the app as it really runs.

/test-only/routes lists every route of the running app; /test-only/break/... break in every way that a page can.
What is changed besides comes as JSON in the variable ALTERED: {"doors.PATIENCE": 1}.
"""

import asyncio
import importlib
import json
import os
import sys
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


def add_pages():
    from nicegui import background_tasks, ui

    from voile.web.elements import button
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


def main():
    for place, value in json.loads(os.environ.get("ALTERED", "{}")).items():
        module, name = place.rsplit(".", 1)
        setattr(importlib.import_module(f"voile.web.{module}"), name, value)
    from voile.cli.main import main as voile
    from voile.web import routes, server

    usual, usual_routes = server._application, routes.add

    def with_routes(app, desk):
        usual_routes(app, desk)
        add_routes(app)

    def with_pages(desk):
        app = usual(desk)
        add_pages()
        return app

    routes.add, server._application = with_routes, with_pages
    sys.argv[0] = "voile"
    voile()


if __name__ == "__main__":
    main()
