"""A release of a series on its way, refused, or out: what it held, what may be taken away, what to back up."""

from typing import Any

from fastapi import Request
from nicegui import ui

from voile.web.desk import Desk
from voile.web.draft import Draft
from voile.web.elements import link, shown, tag
from voile.web.frame import awaited, facts, frame, steps
from voile.web.jobs import CANCELLED, Job
from voile.web.pages.columns import gone
from voile.web.pages.result import downloads, own_report, summary
from voile.web.series_shelf import SERIES_STEPS, address_of, command_of, commands, refused, title_of
from voile.web.sessions import Session


def add(desk: Desk) -> None:
    """Register the two pages."""

    @ui.page("/series/{key}/run")
    def run(request: Request, key: str) -> None:
        session = desk.session(request)
        draft = _draft(desk, session, key)
        if draft is None:
            gone()
            return
        job = desk.jobs.of(session, draft.jobs.get("release", ""))
        if draft.release:
            ui.navigate.to(draft.place("result"))
        elif job is None:
            ui.navigate.to(draft.place("promise"))
        else:
            with frame("The release is made" if not job.over else "There is no release", "/series"):
                steps(draft.place, SERIES_STEPS, "run", "run")
                _under_way(desk, draft, job)

    @ui.page("/series/{key}/result")
    def result(request: Request, key: str) -> None:
        session = desk.session(request)
        draft = _draft(desk, session, key)
        if draft is None:
            gone()
        elif not draft.release or draft.out is None:
            ui.navigate.to(draft.place("promise"))
        else:
            name = str(draft.choice["ledger"])
            with frame(f"Release {draft.release['number']} of {title_of(name)}", "/series"):
                steps(draft.place, SERIES_STEPS, "result", "result")
                _content(desk, draft, name)


def _draft(desk: Desk, session: Session, key: str) -> Draft | None:
    draft = desk.draft(session, key)
    return draft if draft is not None and draft.kind == "series" else None


def _under_way(desk: Desk, draft: Draft, job: Job) -> None:
    if not job.over:
        tag("p", "You can close this page: the work goes on, and is listed on the first page.", "note")
        tag("p", "Once it writes, it cannot be stopped any more: the ledger has noted it by then.", "note")
        awaited(desk, job, lambda: ui.navigate.to(draft.place("run")))
        return
    if job.state == CANCELLED:
        tag("p", "You stopped it. Nothing was published, and nobody is remembered for it.", "lead")
    else:
        ledger = desk.shelf.ledgers().get(str(draft.choice["ledger"]))
        refused(job.error, ledger or desk.shelf.folder)
    with tag("div", classes="next"):
        link("Change the columns", draft.place("columns"), "plain")
        link("Preview again", draft.place("promise"), "main")
    if ledger_was_touched(job):
        tag("p", "Before anything else look at the history of the series: it may have noted the release.", "note")
        link("The history", address_of(str(draft.choice["ledger"])), "plain")


def ledger_was_touched(job: Any) -> bool:
    """Whether a release ended after it was reserved: then the ledger may know it."""
    return job.state != CANCELLED and job.error.get("kind") in ("LedgerRefused", "Failed", "Defect", "OutputError")


def _content(desk: Desk, draft: Draft, name: str) -> None:
    found = draft.release
    counts = found["counts"]
    shown(summary(found))
    rows = [
        ("persons", f"{counts['published']:,} published, {counts['new']:,} of them new"),
        *((name, words) for name, words in found["coming_and_going"]),
        ("held back", found["held_back"]),
        ("counterfeits", f"{counts['counterfeits']:,}"),
        *(("beware", warning) for warning in found["warnings"]),
    ]
    with tag("section"):
        tag("h2", "Who was in it")
        tag("p", "For you alone.", "note")
        shown(facts(rows))
    downloads(draft)
    with tag("div", classes="next"):
        link("The history of the series", address_of(name), "main")
    tag("p", f"Back up {name} now, apart from its key: an older copy cannot go on.", "warning")
    with tag("section"):
        tag("h2", "The release beside its source")
        tag(
            "p",
            "For you alone. The report to hand out is among the files above.",
            "note",
        )
        own_report(draft)
    ledger = desk.shelf.ledgers().get(name)
    if ledger is not None:
        with tag("section"):
            tag("h2", "Do the same on the command line")
            with tag("p", classes="note"):
                tag("span", "Save ")
                link("the spec", f"/download/{draft.id}/spec", download=True)
                tag("span", " beside the table.")
            commands([command_of(draft, ledger)])
