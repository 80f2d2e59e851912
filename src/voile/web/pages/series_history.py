"""One series: its releases over time, what each allowed and lost, what is to do, and the next one."""

import shlex
from pathlib import Path
from typing import Any

from fastapi import Request
from nicegui import ui

from voile.errors import counted
from voile.reporting.markup import Markup
from voile.reporting.page import figures, key_figures, table
from voile.web.desk import Desk
from voile.web.elements import link, shown, tag
from voile.web.frame import facts, frame
from voile.web.pages.series import KEPT_APART, interrupted, next_table
from voile.web.series_shelf import CHOSEN, Books, commands, ledger_of_key, refused, title_of, with_books

HEADER = (
    *("release", "date", "state", "m", "published", "new", "counterfeits", "held back", "detail lost"),
    "folder",
)
STATES = {"reserved": "interrupted", "audited": "interrupted", "abandoned": "never shown"}


def add(desk: Desk) -> None:
    """Register the page."""

    @ui.page("/series/book/{key}")
    def history(request: Request, key: str) -> None:
        session = desk.session(request)
        found = ledger_of_key(desk, key)
        if found is None:
            with frame("There is no such series", "/series"):
                tag("p", "Its ledger is not in the folder any more.")
                link("All series", "/series", "main")
            return
        name, path = found
        session.things[CHOSEN] = name
        with frame(f"The series {title_of(name)}", "/series"):
            with_books(desk, session, {name: path}, lambda books: _content(books, name, path), charts=True)
            with tag("section"):
                tag("h2", "The next release")
                tag("p", "Today's table, one row per person. Nothing is written before you have seen a preview.")
                next_table(desk, session)


def _content(books: Books, name: str, path: Path) -> None:
    book = books[name]
    if "error" in book:
        refused(book["error"], path)
        return
    if book["interrupted"]:
        _to_do(book, path)
    if book["releases"]:
        _releases(book)
    else:
        tag("p", "No release yet. The first one fixes m, for the whole series.", "lead")
    _kept(book, path)


def _to_do(book: dict[str, Any], path: Path) -> None:
    """What an interruption left open: the keeper alone knows whether anybody saw it."""
    words = interrupted(book)
    with tag("div", classes="refusal", role="alert"):
        with tag("p"):
            tag("strong", f"{words[:1].upper()}{words[1:]}.")
        tag("p", "What would work: settle it on the command line, which looks whether its folder is there.")
        commands([shlex.join(["voile", "ledger", "recover", str(path)])])


def _releases(book: dict[str, Any]) -> None:
    losses = [line["gcp_leaves"] for line in book["releases"] if line["gcp_leaves"] is not None]
    figures_now = {
        "releases": len(book["releases"]),
        "persons remembered": f"{book['persons']:,}",
        "values for everybody, at least (m)": book["m"] or "-",
        "detail lost last": f"{losses[-1]:.1%}" if losses else "-",
    }
    shown(key_figures(figures_now))
    if book["charts"]:
        shown(figures(*map(Markup, book["charts"])))  # made by reporting.page in the child
    rows = [_row(line) for line in reversed(book["releases"])]
    shown(table(f"{counted(len(rows), 'release')}, the newest first", HEADER, rows), "timeline")


def _row(line: dict[str, Any]) -> list[object]:
    held = [line[name] for name in ("changed", "erased", "waiting") if line[name] is not None]
    loss = "-" if line["gcp_leaves"] is None else f"{line['gcp_leaves']:.1%}"
    counts = ["-" if line[name] is None else line[name] for name in ("published", "new", "counterfeits")]
    return [
        line["release"],
        line["date"][:10],
        STATES.get(line["state"], line["state"]),
        line["m"] or "-",
        *counts,
        sum(held) if held else "-",
        loss,
        Path(line["folder"]).name,
    ]


def _kept(book: dict[str, Any], path: Path) -> None:
    """Where ledger and key lie: both must be backed up, apart."""
    rows = [
        ("ledger", f"{path}: copy it after every release"),
        ("key", f"{book['key']}: {'copy it once, to another place' if book['key_is_there'] else 'not there'}"),
        ("persons are named by", book["subject"]),
        ("the secret", book["sensitive"]),
    ]
    with tag("details", open=not book["releases"] or not book["key_is_there"]):
        tag("summary", "What is kept, and what to back up")
        tag("p", KEPT_APART, "note")
        shown(facts(rows))
        commands([shlex.join(["voile", "ledger", "key", str(path), "--backup"]) + " FILE"])
