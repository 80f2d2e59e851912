"""The first page: choose a table, and see what is under way."""

from typing import Any

from fastapi import Request
from nicegui import ui

from voile.core.privacy_model import READER
from voile.hospital import write_hospital
from voile.web.desk import Desk
from voile.web.draft import Draft
from voile.web.elements import button, choice, link, tag
from voile.web.frame import frame
from voile.web.jobs import Job
from voile.web.sessions import Session
from voile.web.upload_box import upload_box

LEAD = (
    "Publish a table about people so that nobody's sensitive value can be guessed with more than the confidence "
    f"you allow by {READER}, even if they know exactly how it was made."
)


def add(desk: Desk) -> None:
    """Register the page."""

    @ui.page("/", title="Voile")
    def home(request: Request) -> None:
        session = desk.session(request)
        with frame("What do you want to publish?", "/"):
            tag("p", LEAD, "lead")
            with tag("div", classes="cards"):
                _new_release(desk, session)
                with tag("section", classes="card"):
                    tag("h2", "A table that changes")
                    tag(
                        "p",
                        "Publish it again and again. A ledger remembers, so that all releases together stay safe.",
                    )
                    link("Open the series", "/series", "plain")
                with tag("section", classes="card"):
                    tag("h2", "A table that was published already")
                    tag("p", "Ours or anybody's: see what it promises, and what a reader can find out.")
                    link("Audit a table", "/audit", "plain")
            _work(desk, session)


def _new_release(desk: Desk, session: Session) -> None:
    with tag("section", classes="card first"):
        tag("h2", "A table, once")
        tag("p", "CSV or Parquet, one row per person. It stays on this machine.")
        upload_box(desk, "release")
        picker(desk, session, "release")

        def demo() -> None:
            folder = session.folder / "demo"
            table = folder / "patients.csv"
            if not table.is_file():  # a draft of another tab may be of it: written again, it would have changed
                write_hospital(folder)
            _go_on(desk, session, "release", table, "patients.csv", "voile-demo/patients.csv")

        button("Try it with an invented hospital", demo, "plain")


def picker(desk: Desk, session: Session, kind: str) -> None:
    """Tables of the folder: the same without an upload."""
    tables = desk.shelf.tables()
    if not tables:
        tag("p", "Tables in the folder of voile serve would be listed here, too.", "note")
        return
    picked = {"name": ""}
    with tag("div", classes="inline"):
        options = {"": "choose", **{name: name for name in tables}}
        choice("Or pick from the folder", options, "", lambda value: picked.update(name=value))

        def go_on() -> None:
            path = desk.shelf.tables().get(picked["name"])  # looked up again: only what is there can be opened
            if path is not None:
                _go_on(desk, session, kind, path, path.name, str(path))

        button("Use it", go_on)


def _go_on(desk: Desk, session: Session, kind: str, path: Any, label: str, named: str) -> None:
    draft = desk.new_draft(session, kind, path, label, named)
    ui.navigate.to(draft.place("columns"))


def _work(desk: Desk, session: Session) -> None:
    """What this session has begun; a closed tab loses nothing."""
    drafts = [thing for thing in reversed(session.things.values()) if isinstance(thing, Draft)]
    if not drafts:
        return
    with tag("section", aria_label="Your work"):
        tag("h2", "Your work")
        with tag("ul", classes="work"):
            for draft in drafts:
                with tag("li"):
                    link(draft.label, draft.place(where_now(draft)))
                    tag("span", f" {draft.kind}: {_state(desk, session, draft)}", "note")


def where_now(draft: Draft) -> str:
    """The step at which a draft is."""
    if draft.release:
        return "result"
    return "run" if "release" in draft.jobs else "columns"


def _state(desk: Desk, session: Session, draft: Draft) -> str:
    last = list(draft.jobs.values())[-1:]
    job: Job | None = desk.jobs.of(session, last[0]) if last else None
    if job is None:
        return "begun"
    return f"{job.title[:1].lower()}{job.title[1:]}, {job.state}"
