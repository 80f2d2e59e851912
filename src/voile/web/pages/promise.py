"""Who must be held off, and how well: with the table's own figures beside the choice."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import Request
from nicegui import ui

from voile.core.privacy_model import READER
from voile.errors import counted
from voile.reporting.learner import NOTHING_PROMISED
from voile.web.desk import Desk
from voile.web.draft import Draft
from voile.web.elements import button, choice, entry, link, shown, tag, tick
from voile.web.fingerprint import fingerprint
from voile.web.frame import STEPS, frame, steps
from voile.web.jobs import Job
from voile.web.pages.columns import gone
from voile.web.screen import Screen
from voile.web.sessions import Session
from voile.web.shares import share_bars, verdict_on

READERS = {
    "algorithm": (
        "Readers who know how it was made",
        "They know everybody's age, sex, place and so on, the algorithm and its parameters. The usual choice: "
        "Voile is open, so anybody can know.",
    ),
    "strong": (
        "The same, and they know everybody else's secret",
        "Even if the values of all others outside a person's group are known. Costs more detail.",
    ),
    "release": (
        "Readers of the release alone",
        "They look at the table, and never ask how it was made. Keeps most detail, promises least.",
    ),
}


def add(desk: Desk) -> None:
    """Register the page."""

    @ui.page("/release/{key}/promise")
    def promise(request: Request, key: str) -> None:
        session = desk.session(request)
        draft = desk.draft(session, key)
        if draft is None or draft.kind != "release":
            gone()
        elif not draft.is_diagnosed():
            ui.navigate.to(draft.place("columns"))
        else:
            with frame("What do you promise?"):
                steps(draft.place, STEPS, "promise", "promise")
                _content(desk, session, draft)


def _content(desk: Desk, session: Session, draft: Draft) -> None:
    found, screen = draft.diagnosis, Screen(draft, "promise")
    tag("p", _read(draft), "note")
    picture: dict[str, Callable[[], None]] = {}
    with tag("div", classes="two"):
        with tag("div"):
            _readers(draft, screen)
            _confidence(draft, screen, lambda: picture["draw"]())
            _by_name(draft, screen)
        with tag("section", classes="diagnosis", aria_live="polite"):
            tag("h2", "What this table allows")
            place = tag("div")
            tick("show values", draft.show_values, lambda value: _again(desk, session, draft, value))
            for warning in found["warnings"]:
                tag("p", warning, "note")

    def draw() -> None:
        place.clear()
        with place:
            ell = int(draft.choice.get("l") or 0)
            for column in found["columns"]:
                shown(share_bars(column, found["rows"], ell))
            shown(verdict_on(found, ell, str(draft.choice["against"])))

    picture["draw"] = draw
    draw()
    said = tag("div", role="alert")
    with tag("div", classes="next"):
        link("Back", draft.place("columns"), "plain")
        button("Make the release", screen.guarded(said, lambda: start(desk, session, draft)), "main")


def _read(draft: Draft) -> str:
    found = draft.diagnosis
    parts = [f"{counted(found['rows'], 'row')} read"]
    if found["dropped"]:
        parts.append(f"{found['dropped']} dropped for missing values")
    parts += [f"{number} spellings merged in {name}" for name, number in found["merged"].items()]
    if found["persons"]:
        parts.append(f"of {counted(found['persons'], 'person')}")
    return ", ".join(parts)


def _again(desk: Desk, session: Session, draft: Draft, value: bool) -> None:
    from voile.web.pages.columns import go_on

    draft.show_values = value
    go_on(desk, session, draft)


def _readers(draft: Draft, screen: Screen) -> None:
    choice_now = "strong" if draft.choice.get("strong") else str(draft.choice["against"])

    def taken(value: str) -> None:
        with screen.own_change():
            draft.choice |= {"against": "algorithm" if value == "strong" else value, "strong": value == "strong"}
            draft.choice["algorithm"] = ""

    with tag("fieldset", classes="cards-choice"):
        tag("legend", "Who must be held off?")
        for value, (title, text) in READERS.items():
            with tag("label", classes="option"):
                radio = tag("input", type="radio", name="readers", checked=value == choice_now)
                radio.on("change", lambda _, value=value: taken(value), args=[])
                with tag("span"):
                    tag("strong", title)
                    tag("span", text, "note")
    with tag("p", classes="note"):
        tag("span", "Will the same persons be published again? Then ")
        link("begin a series", "/series")
        tag("span", ": one release cannot promise anything about the next.")


def _confidence(draft: Draft, screen: Screen, redraw: Callable[[], None]) -> None:
    with tag("div", classes="confidence"):

        def taken(text: str) -> None:
            whole = text.strip()
            fits = whole.isascii() and whole.isdecimal() and 1 < int(whole) < 10**6
            with screen.own_change():
                draft.choice["l"] = int(whole) if fits else 0
            meaning._text = _meaning(draft.choice["l"])
            meaning.update()
            redraw()

        entry("How well? l =", draft.choice["l"], taken, live=True, type="number", min=2, max=999)
        meaning = tag("p", _meaning(draft.choice.get("l")), "note")


def _meaning(ell: Any) -> str:
    if not ell:
        return "l is a whole number from 2"
    most = f"1/{ell} = {100 / int(ell):.3g} %"
    return f"Nobody's value can be guessed with more than {most} confidence by {READER}. {NOTHING_PROMISED}"


def _by_name(draft: Draft, screen: Screen) -> None:
    """For those who know which algorithm they want."""
    cards = {card["key"]: card for card in draft.diagnosis["algorithms"]}
    place: dict[str, Any] = {}

    def taken(key: str) -> None:
        with screen.own_change():
            draft.choice |= {"algorithm": key, "parameters": {}}
        fill()

    def fill() -> None:
        place["box"].clear()
        with place["box"]:
            _parameters(draft, screen, cards.get(str(draft.choice.get("algorithm"))))

    with tag("details", open=bool(draft.choice.get("algorithm"))):
        tag("summary", "Name the algorithm yourself")
        options = {
            "": "the one that keeps the promise",
            **{key: f"{key}: {c['title']}" for key, c in cards.items()},
        }
        choice("algorithm", options, str(draft.choice.get("algorithm", "")), taken)
        place["box"] = tag("div")
        fill()


def _parameters(draft: Draft, screen: Screen, card: dict[str, Any] | None) -> None:
    if card is None:
        return
    tag("p", f"{card['meaning']} Holds against: {card['holds']}.", "note")
    given: dict[str, Any] = draft.choice.setdefault("parameters", {})
    for one in card["parameters"]:
        if one["name"] != "l":  # it has its own place above
            _parameter(given, screen, one)


def _parameter(given: dict[str, Any], screen: Screen, one: dict[str, Any]) -> None:
    """One of a few words, or a line to type in; empty means the usual."""
    name, default = one["name"], one["default"]

    def taken(value: str) -> None:
        with screen.own_change():
            given.pop(name, None)
            if value.strip():
                given[name] = value.strip()

    words = f"{name}: {one['help']}"
    if one["choices"] and not one["rule"].startswith("a "):
        usual = "choose" if default is None else f"{default} (usual)"
        choice(words, {"": usual, **{word: word for word in one["choices"]}}, given.get(name, ""), taken)
    else:
        hint = one["rule"] if default is None else f"usual: {default}"
        entry(words, given.get(name, ""), taken, placeholder=hint)


def start(desk: Desk, session: Session, draft: Draft) -> None:
    """Make the release of this state of the draft, once: who asks again is led to the run that there is."""
    state = draft.state()
    run = draft.runs.get(state)
    if run is None or _may_be_repeated(run):
        run = draft.runs[state] = _begin(desk, session, draft)
    _show(draft, run)
    ui.navigate.to(draft.place("run"))


def was_published(run: Job) -> bool:
    """Whether there is a release of a run, even if the run failed after that."""
    return bool(run.document) or os.path.lexists(run.arguments["out"])


def _may_be_repeated(run: Job) -> bool:
    """Two releases of one state tell more than one: only a run that published nothing is made again."""
    return run.over and not was_published(run)


def _begin(desk: Desk, session: Session, draft: Draft) -> Job:
    out, spec = desk.shelf.new_release(), draft.write_spec()
    arguments = {
        "path": str(draft.path),
        "spec": str(spec),
        "fingerprint": fingerprint(draft.path, spec),
        "algorithm": draft.choice.get("algorithm") or None,
        "out": str(out),
        "format": draft.format,
        "options": draft.options(),
    }

    def taken(job: Job) -> None:
        if draft.jobs.get("release") == job.id:  # else another run is shown by now
            _show(draft, job)

    return desk.jobs.start(
        session,
        "release",
        f"Making a release of {draft.label}",
        arguments,
        home=draft.place("run"),
        sweeps=out.parent,
        then=taken,
    )


def _show(draft: Draft, run: Job) -> None:
    """From now on the pages of the draft are about this run."""
    if draft.jobs.get("release") != run.id:
        draft.jobs.pop("prices", None)
    draft.jobs["release"] = run.id
    draft.release = dict(run.document)
    draft.out = Path(run.arguments["out"]) if run.document else None
