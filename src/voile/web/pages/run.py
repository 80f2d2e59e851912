"""A release on its way, or why there is none."""

from pathlib import Path

from fastapi import Request
from nicegui import ui

from voile.web.desk import Desk
from voile.web.draft import Draft
from voile.web.elements import button, link, tag
from voile.web.frame import STEPS, awaited, frame, refusal, steps
from voile.web.jobs import CANCELLED, Job
from voile.web.pages.columns import gone
from voile.web.pages.promise import start, was_published
from voile.web.screen import Screen
from voile.web.sessions import Session

FAILED_LATE = (
    "The run did not end as it should, but it left a release. Use that one, or delete it before you try again: "
    "two releases of one table tell more than one."
)


def add(desk: Desk) -> None:
    """Register the page."""

    @ui.page("/release/{key}/run")
    def run(request: Request, key: str) -> None:
        session = desk.session(request)
        draft = desk.draft(session, key)
        if draft is None or draft.kind != "release":
            gone()
            return
        job = desk.jobs.of(session, draft.jobs.get("release", ""))
        if job is None:
            ui.navigate.to(draft.place("promise"))
            return
        if job.over and draft.release:
            ui.navigate.to(draft.place("result"))
            return
        with frame("The release is made" if not job.over else "There is no release"):
            steps(draft.place, STEPS, "run", "run")
            if not job.over:
                tag("p", "You can close this page: the work goes on, and is listed on the first page.", "note")
                awaited(desk, job, lambda: ui.navigate.to(draft.place("run")))
            else:
                _refused(desk, session, draft, job)


def _refused(desk: Desk, session: Session, draft: Draft, job: Job) -> None:
    if was_published(job):
        tag("p", f"{FAILED_LATE} It is in the folder {Path(job.arguments['out']).name}.", "warning")
    elif job.state == CANCELLED:
        tag("p", "You stopped it. Nothing was published, and nothing was left behind.", "lead")
    if job.error and job.state != CANCELLED:
        refusal(job.error)
    state = next(state for state, run in draft.runs.items() if run is job)
    screen, said = Screen(draft, "promise", state), tag("div", role="alert")
    with tag("div", classes="next"):
        link("Change the columns", draft.place("columns"), "plain")
        link("Change the promise", draft.place("promise"), "plain")
        largest = int(job.error.get("largest_l", 0))
        if largest > 1 and not draft.choice.get("algorithm"):

            def smaller() -> None:
                with screen.own_change():
                    draft.choice["l"] = largest
                start(desk, session, draft)

            button(f"Use l = {largest}", screen.guarded(said, smaller), "main")
        else:
            button("Try again", screen.guarded(said, lambda: start(desk, session, draft)))
