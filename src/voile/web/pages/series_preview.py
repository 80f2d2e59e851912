"""Of which series today's table is, and what its release would do: seen before anything is written."""

from collections.abc import Callable
from typing import Any

from fastapi import Request
from nicegui import ui

from voile.core.privacy_model import READER
from voile.errors import counted
from voile.reporting.learner import NOTHING_PROMISED
from voile.reporting.markup import Markup, joined
from voile.reporting.page import bullets, details, key_figures, paragraph
from voile.web.desk import Desk
from voile.web.draft import Draft
from voile.web.elements import button, choice, entry, link, shown, tag, tick
from voile.web.frame import awaited, facts, frame, steps
from voile.web.jobs import Job
from voile.web.pages.columns import gone
from voile.web.pages.series import begin_box, interrupted, remembered
from voile.web.screen import Screen
from voile.web.series_shelf import (
    CHOSEN,
    SERIES_STEPS,
    USUAL_M,
    Books,
    address_of,
    asked_of,
    refused,
    title_of,
    with_books,
)
from voile.web.sessions import Session

ALL_NEW = "Nobody in this table was published before, and that is right"
CHOICES = {
    "changed": ("A person whose new value is not in the signature", {"": "is held back", "refuse": "refuse all"}),
    "ineligible": (
        "New rows that are too much alike",
        {"": "all wait for the next release", "refuse": "refuse all"},
    ),
    "balance": (
        "What a signature lacks is made up by",
        {"": "counterfeits", "fill": "new rows first (weaker: not against readers who know the algorithm)"},
    ),
}


def add(desk: Desk) -> None:
    """Register the page."""

    @ui.page("/series/{key}/promise")
    def promise(request: Request, key: str) -> None:
        session = desk.session(request)
        draft = desk.draft(session, key)
        if draft is None or draft.kind != "series":
            gone()
        elif draft.release:
            ui.navigate.to(draft.place("result"))
        elif not draft.is_diagnosed():
            ui.navigate.to(draft.place("columns"))
        else:
            with frame("What would be published?", "/series"):
                steps(draft.place, SERIES_STEPS, "promise", "promise")
                _content(desk, session, draft)


def _content(desk: Desk, session: Session, draft: Draft) -> None:
    ledgers = desk.shelf.ledgers()
    here = draft.place("promise")
    if ledgers:
        with_books(desk, session, ledgers, lambda books: _form(desk, session, draft, books))

    def begun(name: str) -> None:
        draft.choice["ledger"] = name
        ui.navigate.to(here)

    with tag("details", open=not ledgers):
        tag("summary", "Begin a new series with this table")
        begin_box(desk, session, begun)


def _form(desk: Desk, session: Session, draft: Draft, books: Books) -> None:
    """The series, what it fixes, what may be chosen, and the preview under it."""
    now = draft.choice.get("ledger") or session.things.get(CHOSEN, "")
    name = now if now in books else (next(iter(books)) if len(books) == 1 else "")
    area: dict[str, Any] = {}
    draft.choice.setdefault("m", max(2, min(USUAL_M, int(draft.diagnosis["largest_l"]))))
    screen = Screen(draft, "promise")

    def draw() -> None:
        if "error" in books.get(str(draft.choice["ledger"]), {}):
            area["preview"].clear()
            return
        _preview(desk, session, draft, screen, area["preview"])

    def take(name: str) -> None:
        with screen.own_change():
            if draft.choice.get("ledger") != name:
                draft.choice["all_new"] = False  # said of another series
            draft.choice |= {"ledger": name, "first": not books.get(name, {}).get("m")}
        area["about"].clear()
        with area["about"]:
            if name:
                _about(desk, draft, screen, books[name], draw)
        draw()

    choice("Which series is it of?", {"": "choose", **{n: title_of(n) for n in books}}, name, take)
    area["about"], area["preview"] = tag("div"), tag("div", aria_live="polite")
    take(name)


def _about(desk: Desk, draft: Draft, screen: Screen, book: dict[str, Any], draw: Callable[[], None]) -> None:
    """What the series has promised already, or m, which its first release fixes."""
    if "error" in book:
        refused(book["error"], desk.shelf.ledgers()[draft.choice["ledger"]])
        return
    if book["m"]:
        words = f"{counted(len(book['releases']), 'release')} so far, {remembered(book)}. "
        fixed = f"m = {book['m']} is fixed by the first release: {_bound(book['m'])}."
        tag("p", words + fixed)
    else:
        tag("p", f"No release of a series yet. Its key lies at {book['key']}: back it up, apart from the ledger.")
        _first_m(draft, screen, draw)
    if book["interrupted"]:
        words = interrupted(book)
        with tag("p", classes="warning"):
            tag("span", f"{words[:1].upper()}{words[1:]}: ")
            link("see the history of the series", address_of(draft.choice["ledger"]))
    with tag("details"):
        tag("summary", "More choices")
        with tag("div", classes="inline"):
            for option, (words, answers) in CHOICES.items():
                choice(words, answers, draft.choice.get(option, ""), _taker(draft, screen, option, draw))


def _taker(draft: Draft, screen: Screen, option: str, draw: Callable[[], None]) -> Callable[[Any], None]:
    def taken(value: Any) -> None:
        with screen.own_change():
            draft.choice[option] = value
        draw()

    return taken


def _first_m(draft: Draft, screen: Screen, draw: Callable[[], None]) -> None:
    with tag("div", classes="confidence"):
        meaning = tag("p", _meaning(draft.choice["m"]), "note")

        def taken(text: str) -> None:
            whole = text.strip()
            fits = whole.isascii() and whole.isdecimal() and 1 < int(whole[:7]) < 10**6
            with screen.own_change():
                draft.choice["m"] = int(whole) if fits else 0
            meaning._text = _meaning(draft.choice["m"])
            meaning.update()
            draw()

        entry("m", draft.choice["m"] or "", taken, live=True, type="number", min=2, max=999, inputmode="numeric")
    largest = int(draft.diagnosis["largest_l"])
    tag("p", f"This table allows m up to {largest}. m stays the same for the whole series.", "note")


def _meaning(m: int) -> str:
    if not m:
        return "m is a whole number from 2"
    return f"Everybody stays among the same {m} or more values: {_bound(m)} = {100 / m:.3g} %. {NOTHING_PROMISED}"


def _bound(m: int) -> str:
    return f"{READER} guesses nobody's value with more than 1/{m}"


def _preview(desk: Desk, session: Session, draft: Draft, screen: Screen, place: Any) -> None:
    """The preview of exactly what is chosen now, or a way to it."""
    place.clear()
    if not screen.is_current():  # what another tab chose and previewed does not belong under what is chosen here
        with place:
            screen.tell()
        return
    asked = asked_of(desk, draft)
    job = desk.jobs.of(session, draft.jobs.get("preview", ""))
    with place:
        if asked is None:
            return
        if job is not None and not job.over:
            awaited(desk, job, lambda: _preview(desk, session, draft, screen, place))
            return
        current = job if job is not None and job.arguments == asked else None
        if current is not None and current.error:
            refused(current.error, desk.shelf.ledgers()[draft.choice["ledger"]])
        _all_new(draft, screen, current, lambda: _preview(desk, session, draft, screen, place))
        if current is not None and current.document:
            shown(preview_markup(current.document))
        said = tag("div", role="alert")
        with tag("div", classes="next"):
            link("Back", draft.place("columns"), "plain")
            if current is not None and current.document:
                words = f"Publish as release {current.document['number']}"
                button(words, screen.guarded(said, lambda: start(desk, session, draft, current)), "main")
            else:
                again = "Preview" if current is None else "Preview again"
                usable = not draft.choice.get("first") or bool(draft.choice.get("m"))
                button(
                    again, lambda: _start_preview(desk, session, draft, screen, place), "main", disabled=not usable
                )
        if current is not None and current.document:
            tag("p", "There is no way back: what was published is remembered for ever.", "note")


def _all_new(draft: Draft, screen: Screen, job: Job | None, draw: Callable[[], None]) -> None:
    """Only who was refused because everybody seems new is asked whether that is right."""
    asked = job is not None and "--all-new" in str(job.error.get("remedy", ""))
    if asked or draft.choice.get("all_new"):
        tick(ALL_NEW, bool(draft.choice.get("all_new")), _taker(draft, screen, "all_new", draw))


def _start_preview(desk: Desk, session: Session, draft: Draft, screen: Screen, place: Any) -> None:
    asked = asked_of(desk, draft)
    if asked is not None and screen.is_current():
        job = desk.jobs.start(
            session, "series_preview", f"Previewing {draft.label}", asked, home=draft.place("promise")
        )
        draft.jobs["preview"] = job.id
    _preview(desk, session, draft, screen, place)


def preview_markup(found: dict[str, Any]) -> Markup:
    """Who comes, goes, returns and waits; what is added and lost; what to beware of."""
    counts = found["counts"]
    first = not found["after"]
    numbers: dict[str, object] = {"published": f"{counts['published']:,}", "new": f"{counts['new']:,}"}
    if not first:
        returned = "not known" if counts["returned"] is None else f"{counts['returned']:,}"
        numbers |= {"gone": f"{counts['gone']:,}", "returned": returned}
    held = sum(counts[name] for name in ("changed", "erased", "waiting"))
    fakes = counts["counterfeits"]
    numbers |= {"held back": f"{held:,}", "counterfeits": f"{fakes:,}"}
    numbers["detail lost"] = f"{found['loss']:.1%}"
    rows = [
        *((name, words) for name, words in found["coming_and_going"]),
        ("held back", found["held_back"]),
        ("counterfeits", f"{counted(fakes, 'row')} of nobody, so that no value stands alone" if fakes else "none"),
        ("groups", f"{found['groups']:,}"),
        ("holds against", found["holds_against"]),
    ]
    return joined(
        paragraph(f"Release {found['number']} would be this; nothing is written yet.", kind="lead"),
        key_figures(numbers),
        *(paragraph(warning, kind="warning") for warning in found["warnings"]),
        facts(rows),
        details("What is not promised", bullets(found["not_promised"])),
        paragraph("Publishing draws anew: the loss may differ a little.", kind="note"),
    )


def start(desk: Desk, session: Session, draft: Draft, preview: Job) -> None:
    """Publish what this tab shows as previewed, once: a second click finds it under way."""
    asked = asked_of(desk, draft)
    before = desk.jobs.of(session, draft.jobs.get("release", ""))
    under_way = draft.release or (before is not None and not before.over)
    if not under_way and asked is not None and preview.arguments == asked:
        ledger = desk.shelf.ledgers()[draft.choice["ledger"]]
        number = int(preview.document["number"])
        out = ledger.parent / f"release-{number}"

        def taken(job: Any) -> None:
            if job.document:
                draft.release, draft.out = job.document, out

        job = desk.jobs.start(
            session,
            "series_publish",
            f"Publishing {draft.label} as release {number}",
            {**asked, "out": str(out), "format": draft.format, "number": number},
            home=draft.place("run"),
            sweeps=out.parent,
            final=True,
            then=taken,
        )
        draft.jobs["release"] = job.id
    ui.navigate.to(draft.place("run"))
