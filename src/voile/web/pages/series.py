"""All series of the folder, and how to begin another."""

from collections.abc import Callable
from typing import Any

from fastapi import Request
from nicegui import ui

from voile.errors import VoileError, counted
from voile.web.desk import Desk
from voile.web.elements import button, entry, link, tag
from voile.web.frame import awaited, frame, refusal
from voile.web.pages.home import picker
from voile.web.series_shelf import CHOSEN, Books, address_of, title_of, with_books
from voile.web.sessions import Session
from voile.web.upload_box import upload_box

LEAD = (
    "A table that is published again and again: persons come, leave, return, and change. A ledger remembers among "
    "which values everybody was shown, so that not even all releases together tell more than you allow."
)
KEPT_APART = (
    "The ledger and its key must be kept apart: without either the series has ended, and whoever has both can "
    "test who is in it. Back up the key once, the ledger after every release, and never in one place."
)


def add(desk: Desk) -> None:
    """Register the page."""

    @ui.page("/series")
    def series(request: Request) -> None:
        session = desk.session(request)
        ledgers = desk.shelf.ledgers()
        with frame("Series", "/series"):
            tag("p", LEAD, "lead")
            if ledgers:
                with_books(desk, session, ledgers, _cards)
            with tag("div", classes="cards"):
                if ledgers:
                    with tag("section", classes="card"):
                        tag("h2", "The next release")
                        tag("p", "Today's table, one row per person. Which series it is of comes later.")
                        next_table(desk, session)
                with tag("section", classes="card"):
                    tag("h2", "A new series" if ledgers else "Begin a series")
                    begin_box(desk, session, lambda name: ui.navigate.to(address_of(name)))


def next_table(desk: Desk, session: Session) -> None:
    """A table by upload, or from the folder."""
    upload_box(desk, "series", "Choose today's table")
    picker(desk, session, "series")


def _cards(books: Books) -> None:
    with tag("div", classes="cards books"):
        for name, book in books.items():
            with tag("section", classes="card"):
                with tag("h2"):
                    link(title_of(name), address_of(name))
                _summary(book)


def _summary(book: dict[str, Any]) -> None:
    if "error" in book:
        refusal(book["error"])
        return
    releases = book["releases"]
    if not releases:
        tag("p", "No release yet.")
        return
    last = releases[-1]
    tag("p", f"{counted(len(releases), 'release')}, the last on {last['date'][:10]}; {remembered(book)}.")
    if book["m"]:
        tag("p", f"m = {book['m']}: everybody stays among the same {book['m']} or more values.", "note")
    if book["interrupted"]:
        tag("p", f"To do: {interrupted(book)}.", "warning")


def remembered(book: dict[str, Any]) -> str:
    """How many persons a ledger knows."""
    return f"{counted(book['persons'], 'person')} remembered"


def interrupted(book: dict[str, Any]) -> str:
    """The releases that were interrupted, in words."""
    numbers = [str(number) for number in book["interrupted"]]
    some = "release" if len(numbers) == 1 else "releases"
    was, counts = ("was", "counts") if len(numbers) == 1 else ("were", "count")
    return f"{some} {', '.join(numbers)} {was} interrupted and {counts} as published until that is settled"


def begin_box(desk: Desk, session: Session, after: Callable[[str], Any]) -> None:
    """A name, checked, and a button that makes a ledger of it; `after` is told the ledger's name."""
    tag("p", "One series for the same persons over time. Its ledger and its releases get a folder of their own.")
    typed = {"name": ""}
    entry(
        "Name of the series",
        "",
        lambda text: typed.update(name=text.strip()),
        live=True,
        placeholder="clinic-2026",
        maxlength=40,
        autocomplete="off",
    )
    said = tag("div", role="alert")

    def begin() -> None:
        said.clear()
        with said:
            try:
                ledger = desk.shelf.new_series(typed["name"])
                problem = None
            except VoileError as error:
                problem = error.document()
            if problem is not None:
                refusal(problem)
                return
            name = ledger.relative_to(desk.shelf.folder).as_posix()
            job = desk.jobs.start(
                session, "series_begin", f"Beginning {typed['name']}", {"ledger": str(ledger)}, home="/series"
            )
            awaited(desk, job, lambda: over(job, name))

    def over(job: Any, name: str) -> None:
        said.clear()
        if job.document:
            session.things[CHOSEN] = name
            after(name)
            return
        with said:
            refusal(job.error or {"what": "stopped"})

    with tag("div", classes="next"):
        button("Begin the series", begin, "main")
    tag("p", KEPT_APART, "note")
