"""A table that was published already, ours or anybody's: what it promises, and what a reader can find out."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import Request
from nicegui import ui

from voile.core.privacy_model import READER
from voile.errors import counted
from voile.reporting.findings import best_guess
from voile.reporting.learner import NOTHING_PROMISED
from voile.reporting.markup import Markup, element, joined
from voile.reporting.page import key_figures, paragraph, verdict
from voile.web.desk import Desk
from voile.web.draft import Draft
from voile.web.elements import button, choice, entry, link, shown, tag
from voile.web.frame import awaited, frame, refusal, steps
from voile.web.pages.home import picker
from voile.web.report_part import body_of
from voile.web.sessions import Session
from voile.web.upload_box import upload_box

PAGE = "audit.html"
LEAD = (
    "Any table will do, whoever made it and however. It is looked at as a reader would who knows everybody's age, "
    "sex, place and so on."
)
READERS = {
    "": "whomever it says",
    "release": "readers of this release alone",
    "series": "readers of several releases",
    "algorithm": "readers who know how it was made",
    "strong": "those who know it, and everybody else's secret",
}
JOB = "audit"


def add(desk: Desk) -> None:
    """Register the pages."""

    @ui.page("/audit")
    def audit(request: Request) -> None:
        session = desk.session(request)
        with frame("What does a published table tell?", "/audit"):
            tag("p", LEAD, "lead")
            with tag("div", classes="cards"):
                with tag("section", classes="card"):
                    tag("h2", "Any table")
                    tag("p", "CSV or Parquet, as it was published. It stays on this machine.")
                    upload_box(desk, "audit")
                    picker(desk, session, "audit")
                with tag("section", classes="card"):
                    tag("h2", "A release that Voile made")
                    tag(
                        "p",
                        "With its certificate: who promised what, and whether the files still are what it says.",
                    )
                    _releases(desk, session)

    @ui.page("/audit/{key}/result")
    def result(request: Request, key: str) -> None:
        from voile.web.pages.columns import AUDIT_STEPS, gone

        session = desk.session(request)
        draft = desk.draft(session, key)
        if draft is None or draft.kind != "audit":
            gone()
            return
        job = desk.jobs.of(session, draft.jobs.get(JOB, ""))
        if job is None:
            ui.navigate.to(draft.place("columns"))
            return
        with frame(f"What {draft.label} tells", "/audit"):
            steps(draft.place, AUDIT_STEPS, "result", "result")
            if not job.over:
                awaited(desk, job, lambda: ui.navigate.to(draft.place("result")))
            elif not job.document:
                _refused(desk, session, draft, job.error)
            else:
                _content(desk, session, draft, job.document)


def _releases(desk: Desk, session: Session) -> None:
    found = desk.shelf.releases()
    if not found:
        tag("p", "Releases in the folder of voile serve would be listed here.", "note")
        return
    picked = {"name": next(iter(found))}

    def go_on() -> None:
        folder = desk.shelf.releases().get(picked["name"])  # looked up again: only what is there can be opened
        data = None if folder is None else data_of(folder)
        if folder is not None and data is not None:
            draft = desk.new_draft(session, "audit", data, picked["name"], str(folder))
            ui.navigate.to(draft.place("columns"))

    with tag("div", classes="inline"):
        choice(
            "releases in the folder",
            {name: name for name in found},
            picked["name"],
            lambda v: picked.update(name=v),
        )
        button("Audit it", go_on, "main")


def data_of(folder: Path) -> Path | None:
    """The table of a release; links lead elsewhere and are left out."""
    paths = [folder / name for name in ("data.csv", "data.parquet")]
    return next((path for path in paths if path.is_file() and not path.is_symlink()), None)


def demands(draft: Draft, certified: bool) -> None:
    """What the table shall be held to, beside what it promises itself."""
    said: dict[str, Any] = draft.choice
    with tag("section", classes="demands"):
        tag("h2", "Is there something it must keep?")
        note = (
            "What its certificate promises is checked in any case. Here you can ask for more."
            if certified
            else "As far as can be told, nobody promised anything of this table. Left empty, it shows its figures."
        )
        tag("p", note, "note")
        with tag("div", classes="inline"):
            entry(
                "requirements",
                said.get("require", ""),
                lambda text: said.update(require=text.strip()),
                placeholder="l>=4, k>=5, t<=0.2",
                size=28,
                maxlength=500,
            )
            if certified:
                choice(
                    "and its promise must hold against", READERS, _readers(draft), lambda v: said.update(readers=v)
                )
        tag(
            "p",
            f"l: no value is guessed with more than 1/l by {READER}; k: that many persons look alike; t: how far "
            "a group may be from the whole. Columns to leave out are published all the same: readers are taken "
            "to know them.",
            "note",
        )


def _readers(draft: Draft) -> str:
    return str(draft.choice.get("readers", ""))


def start(desk: Desk, session: Session, draft: Draft) -> None:
    """Audit, as a job; the page of an audit before goes."""
    out, readers = draft.folder / PAGE, _readers(draft)
    out.unlink(missing_ok=True)
    arguments = {
        "path": str(draft.path),
        "spec": str(draft.write_spec()),
        "out": str(out),
        "require": draft.choice.get("require", ""),
        "against": "algorithm" if readers == "strong" else readers,
        "strong": readers == "strong",
    }

    def taken(job: Any) -> None:
        draft.release = job.document

    draft.release = {}
    job = desk.jobs.start(
        session,
        "audit_table",
        f"Auditing {draft.label}",
        arguments,
        home=draft.place("result"),
        sweeps=draft.folder,
        then=taken,
    )
    draft.jobs[JOB] = job.id
    ui.navigate.to(draft.place("result"))


def _refused(desk: Desk, session: Session, draft: Draft, error: Mapping[str, Any]) -> None:
    refusal(error or {"what": "stopped before it was done"})
    demands(draft, bool(draft.found.get("certified")))
    with tag("div", classes="next"):
        link("Change the columns", draft.place("columns"), "plain")
        button("Audit again", lambda: start(desk, session, draft), "main")


def _content(desk: Desk, session: Session, draft: Draft, found: Mapping[str, Any]) -> None:
    shown(summary(found))
    with tag("div", classes="next"):
        link("The report (html)", f"/download/{draft.id}/audit", "main", download=True)
        link("Change the columns", draft.place("columns"), "plain")
    body = body_of(draft.folder / PAGE)
    if body is None:
        tag("p", "The report is not there any more: audit again.", "warning")
    else:
        shown(body, "report")
    demands(draft, bool(found["certified"]))
    with tag("div", classes="next"):
        button("Audit again", lambda: start(desk, session, draft))


def summary(found: Mapping[str, Any]) -> Markup:
    """The best guess, what is kept and what is broken, and a few numbers."""
    return joined(
        paragraph(*best_guess(found["best_guess"], bool(found["generalised"])), kind="lead"),
        paragraph(_judgement(found)),
        _lines(found),
        paragraph(NOTHING_PROMISED, kind="warning"),
        "" if found["certified"] else paragraph(_foreign(found), kind="note"),
        key_figures(_figures(found)),
    )


def _judgement(found: Mapping[str, Any]) -> Markup:
    if not found["ok"]:
        return verdict(False, "Something that was promised or required is broken:")
    if not found["judged"]:
        return verdict(None, "Nothing was promised or required: judge by the figures.")
    return verdict(True, "Everything promised and required is kept:")


def _lines(found: Mapping[str, Any]) -> Markup:
    broken = [element("li", verdict(False, in_words(line))) for line in found["failures"]]
    kept = [element("li", verdict(True, in_words(line))) for line in found["met"]]
    return element("ul", *broken, *kept, class_="verdicts") if broken or kept else joined()


def in_words(line: str) -> str:
    """A line of the audit for those who clicked instead of typing an option.

    >>> in_words("--against algorithm: l = 4 is certified")
    'against readers who know how it was made: l = 4 is certified'
    >>> in_words("k-anonymity: achieved 2")
    'k-anonymity: achieved 2'
    """
    asked, colon, rest = line.partition(": ")
    words = asked.split()
    if not colon or words[:1] != ["--against"] or len(words) < 2:
        return line
    return f"against {READERS.get('strong' if '--strong' in words else words[1], words[1])}: {rest}"


def _foreign(found: Mapping[str, Any]) -> str:
    words = (
        "This table has no certificate of Voile, so nobody says against whom it shall hold. The figures are about "
        "readers who take it as it is; one who knows how it was made may find out more."
    )
    if found["best_guess"] == 1:
        words += " Some persons' values can be read off: all rows of their group have the same one."
    return words


def _figures(found: Mapping[str, Any]) -> dict[str, object]:
    figures: dict[str, object] = {
        "rows": f"{found['rows']:,}",
        "groups": f"{found['groups']:,}",
        "smallest group": counted(found["smallest"], "row"),
    }
    if found["best_guess"] is not None:
        figures["largest share of a value in a group"] = f"{100 * found['best_guess']:.3g} %"
    if found["suppressed"]:
        figures["suppressed"] = counted(found["suppressed"], "row")
    return figures
