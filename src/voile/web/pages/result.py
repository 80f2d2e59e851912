"""What was published: before and after, what it costs, what may be taken away, and how to do it again."""

from pathlib import Path
from typing import Any

from fastapi import Request
from nicegui import ui

from voile.prices import BEWARE, LOSS, TITLE, price_rows
from voile.reporting.learner import NOTHING_PROMISED, learner_paragraphs
from voile.reporting.markup import Markup, joined
from voile.reporting.page import key_figures, paragraph, table, verdict
from voile.web.desk import Desk
from voile.web.downloads import offered
from voile.web.draft import Draft
from voile.web.elements import button, link, shown, tag
from voile.web.frame import STEPS, awaited, facts, frame, refusal, steps
from voile.web.pages.columns import gone
from voile.web.report_part import body_of
from voile.web.sessions import Session

FILES = {
    "data": "The table",
    "sensitive": "The table of sensitive values",
    "counterfeits": "How many rows stand for nobody",
    "certificate": "The certificate",
    "report": "The report",
}


def add(desk: Desk) -> None:
    """Register the page."""

    @ui.page("/release/{key}/result")
    def result(request: Request, key: str) -> None:
        session = desk.session(request)
        draft = desk.draft(session, key)
        if draft is None or draft.kind != "release":
            gone()
        elif not draft.release or draft.out is None:
            ui.navigate.to(draft.place("columns"))
        else:
            with frame("Released"):
                steps(draft.place, STEPS, "result", "result")
                _content(desk, session, draft)


def _content(desk: Desk, session: Session, draft: Draft) -> None:
    shown(summary(draft.release))
    downloads(draft)
    _prices(desk, session, draft)
    _again(draft)
    tag(
        "p",
        "What follows is for you alone: it compares with the source. The report to hand out is above.",
        "warning",
    )
    own_report(draft)


def summary(found: dict[str, Any]) -> Markup:
    """The promise in words, what a reader who learns gets right all the same, and a few numbers."""
    certificate = found["certificate"]
    promise, counts, utility = certificate["promise"], certificate["table"], certificate["utility"]
    asked = certificate.get("asked") or {}
    figures = {
        "rows published": f"{counts['rows']:,}",
        "groups": f"{counts['groups']:,}",
        "rows suppressed": f"{counts['suppressed']:,}",
        "detail lost": f"{utility['gcp_leaves']:.1%}",
    }
    values = ", ".join(f"{name} = {value}" for name, value in promise["parameters"].items())
    kept = f"Audited from the bytes on the disk, and kept: {promise['title']}, {values}: {promise['meaning']}."
    rows = [
        ("holds against", certificate["adversary"]["holds_against"]),
        ("not promised", "; ".join(certificate["adversary"]["not_promised"])),
        (
            "algorithm",
            f"{certificate['algorithm']['key']}: {asked['why']}"
            if asked.get("why")
            else certificate["algorithm"]["key"],
        ),
    ]
    return joined(
        paragraph(verdict(True, kept), kind="lead"),
        *learner_paragraphs(found),
        paragraph(NOTHING_PROMISED, kind="warning"),
        key_figures(figures),
        facts(rows),
    )


def downloads(draft: Draft) -> None:
    """Buttons for what may be published."""
    found = offered(draft)
    with tag("div", classes="next downloads"):
        for name, words in FILES.items():
            if name in found:
                kind = "main" if name == "data" else "plain"
                link(f"{words} ({found[name].suffix[1:]})", f"/download/{draft.id}/{name}", kind, download=True)
    place = draft.out or draft.folder
    where = f"{place.parent.name}/{place.name}" if draft.kind == "series" else place.name
    tag("p", f"They also lie in the folder of voile serve, in {where}/; keep its private/ to yourself.", "note")


def own_report(draft: Draft) -> None:
    """What compares with the source, for the steward alone."""
    assert draft.out is not None
    text = body_of(draft.out / "private" / "report.html")
    if text is None:
        tag("p", "The report is not there any more.", "warning")
    else:
        shown(text, "report")


def _prices(desk: Desk, session: Session, draft: Draft) -> None:
    """On request: it takes about as long as the release itself, and may tempt."""
    ell = draft.choice.get("l")
    with tag("details", classes="more", open="prices" in draft.jobs):
        tag("summary", TITLE)
        shown(paragraph(BEWARE, kind="warning"))
        job = desk.jobs.of(session, draft.jobs.get("prices", ""))
        if job is not None and not job.over:
            awaited(desk, job, lambda: ui.navigate.to(draft.place("result")))
        elif job is not None and job.error:
            refusal(job.error)
        elif job is not None and job.document:
            shown(prices_markup(job.document))
        elif ell:
            button(
                f"What would other promises and algorithms cost with l = {ell}?",
                lambda: _price(desk, session, draft),
            )


def _price(desk: Desk, session: Session, draft: Draft) -> None:
    arguments = {"path": str(draft.path), "spec": str(draft.write_spec()), "l": draft.choice["l"]}
    job = desk.jobs.start(session, "price_list", "Pricing", arguments, home=draft.place("result"))
    draft.jobs["prices"] = job.id
    ui.navigate.to(draft.place("result"))


def prices_markup(found: dict[str, Any]) -> Markup:
    """Two tables: what each promise costs, and what other algorithms would lose."""
    header, rows = price_rows(found["prices"])
    others = [
        (line["algorithm"], line["rung"], f"{line[LOSS]:.1%}" if LOSS in line else "refused", line["title"])
        for line in found["others"]
    ]
    return joined(
        table("Detail lost, by who is held off", header, rows),
        table("Detail lost by other algorithms", ("algorithm", "holds against", "detail lost", ""), others),
    )


def _named(name: str, path: Path) -> str:
    return "The spec" if name == "spec" else path.name


def _again(draft: Draft) -> None:
    with tag("details", classes="more"):
        tag("summary", "Do the same on the command line")
        tag("p", "Save the spec beside the table.", "note")
        with tag("div", classes="inline"):
            for name, path in offered(draft).items():
                if name == "spec" or name.startswith("hierarchy-"):
                    link(_named(name, path), f"/download/{draft.id}/{name}", "plain", download=True)
        code = f"command-{draft.id}"
        tag("pre", draft.command(), id=code, tabindex="0", role="region", aria_label="command line")
        tag("button", "Copy", "button plain", type="button", data_copies=code)
        tag("pre", draft.spec(), tabindex="0", role="region", aria_label="spec")
