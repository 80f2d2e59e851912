"""What each column is: proposed, with the reason; corrected at a click."""

from typing import Any

from fastapi import Request
from nicegui import ui

from voile.core.schema import Role, Type
from voile.errors import counted
from voile.web.desk import Desk
from voile.web.draft import PUBLISHED, Draft
from voile.web.elements import button, choice, entry, link, tag, tick
from voile.web.frame import STEPS, awaited, frame, refusal, steps
from voile.web.pages.hierarchy import described
from voile.web.screen import Screen
from voile.web.series_columns import columns_as_before
from voile.web.series_shelf import SERIES_STEPS
from voile.web.sessions import Session

ROLES = {
    "identifying": ("names a person", "Names or numbers that say who it is. Never published."),
    "subject": ("person id", "The same number for the same person, over rows and releases. Never published."),
    "quasi-identifying": (
        "others may know",
        "Age, sex, place: what others may know of a person. Published in ranges.",
    ),
    "sensitive": ("the secret", "What nobody may find out of anybody. Published, protected."),
    "insensitive": ("leave out", "Not needed. Never published."),
}
TYPES = {
    "category": "words or codes",
    "integer": "whole numbers",
    "decimal": "numbers",
    "date": "dates",
    "ordinal": "words in an order",
}
MISSING = {"refuse": "refuse", "drop-row": "drop the rows", "category": "a value of its own"}
ENCODINGS = {"": "UTF-8", "latin-1": "Latin-1 (ISO 8859-1)", "cp1252": "Windows-1252", "iso8859-15": "ISO 8859-15"}
DELIMITERS = {"": "found by looking", ",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
AUDIT_STEPS = {"columns": "Columns", "result": "Report"}


def add(desk: Desk) -> None:
    """Register the page, for releases, series and audits alike."""
    for kind in ("release", "series", "audit"):
        _add(desk, kind)


def _add(desk: Desk, kind: str) -> None:
    @ui.page(f"/{kind}/{{key}}/columns")
    def columns(request: Request, key: str) -> None:
        session = desk.session(request)
        draft = desk.draft(session, key)
        if draft is None or draft.kind != kind:
            gone()
            return
        with frame(f"What is in {draft.label}?"):
            names = {"audit": AUDIT_STEPS, "series": SERIES_STEPS}.get(kind, STEPS)
            steps(draft.place, names, "columns", "columns")
            if kind == "series":
                columns_as_before(desk, session, draft)
            _content(desk, session, draft)


def gone() -> None:
    """An address of another session, or of one that has ended."""
    with frame("There is nothing here"):
        tag("p", "This address belongs to another session, or its session has ended.")
        link("Begin anew", "/", "main")


def _content(desk: Desk, session: Session, draft: Draft) -> None:
    job = desk.jobs.of(session, draft.jobs.get("inspect", ""))
    if job is not None and not job.over:
        awaited(desk, job, lambda: ui.navigate.to(draft.place("columns")))
        return
    last = desk.jobs.of(session, draft.jobs.get("diagnose", ""))
    if last is not None and not last.over:
        awaited(desk, last, lambda: ui.navigate.to(draft.place("promise" if last.document else "columns")))
        return
    if job is not None and job.error:
        refusal(job.error)
        _file_options(desk, session, draft, opened=True)
        return
    if last is not None and last.error:
        refusal(last.error)
    screen = Screen(draft, "columns")
    _summary(draft)
    with tag("div", classes="columns"):
        for column in draft.found["columns"]:
            _Card(draft, screen, column)
    if draft.kind == "audit":
        from voile.web.pages.audit import demands

        demands(draft, bool(draft.found.get("certified")))
    _file_options(desk, session, draft, opened=False)
    said = tag("div", role="alert")
    with tag("div", classes="next"):
        button("Continue", screen.guarded(said, lambda: go_on(desk, session, draft)), "main")


def _summary(draft: Draft) -> None:
    rows, width = draft.found["rows"], len(draft.found["columns"])
    questions = sum(1 for column in draft.found["columns"] if column.get("question"))
    asked = f" {counted(questions, 'column')} with a question." if questions else ""
    lead = (
        f"{counted(rows, 'row')}, {counted(width, 'column')}. This is what they look like; correct what is wrong."
    )
    tag("p", lead + asked, "lead")
    with tag("details"):
        tag("summary", "What do the five words mean?")
        with tag("dl", classes="facts"):
            for words, hint in ROLES.values():
                tag("dt", words)
                tag("dd", hint)
    if draft.found.get("ways_out"):
        tag("p", draft.found["ways_out"], "warning")
    if draft.found["warnings"]:
        with tag("details"):
            tag("summary", counted(len(draft.found["warnings"]), "warning"))
            with tag("ul"):
                for warning in draft.found["warnings"]:
                    tag("li", warning)


class _Card:
    """One column: what it is, at a click; how it is read, where it is published."""

    def __init__(self, draft: Draft, screen: Screen, column: dict[str, Any]) -> None:
        self._draft, self._screen, self._column, self._name = draft, screen, column, column["name"]
        self._position = list(draft.columns).index(self._name)
        with tag("div", classes="one-column", role="group", aria_label=self._name):
            with tag("div", classes="about"):
                tag("h2", self._name)
                tag("p", _said(column), "note")
            with tag("div"):
                self._roles()
                if column.get("question"):
                    tag("p", in_words(column["question"]), "question")
            self._more = tag("div", classes="options")
            self._fill()

    def _roles(self) -> None:
        now = self._draft.columns[self._name]["role"]
        with tag("div", classes="segments", role="radiogroup", aria_label=f"what {self._name} is"):
            for role, (words, hint) in ROLES.items():
                with tag("label", title=hint):
                    radio = tag("input", type="radio", name=f"role-{self._position}", checked=role == now)
                    radio.on("change", lambda _, role=role: self._take_role(role), args=[])
                    tag("span", words)

    def _take_role(self, role: str) -> None:
        with self._screen.own_change():
            self._draft.take_role(self._name, role)
        self._fill()

    def _take_type(self, value: str) -> None:
        with self._screen.own_change():
            self._draft.take_type(self._name, value)
        self._fill()

    def _take(self, option: str, value: Any) -> None:
        with self._screen.own_change():
            self._draft.take(self._name, option, value)

    def _fill(self) -> None:
        """Type, missing cells and hierarchy of a column that is published."""
        self._more.clear()
        draft, options = self._draft, self._draft.columns[self._name]
        if Role(options["role"]) not in PUBLISHED:
            return
        with self._more:
            choice("read as", TYPES, options.get("type", "category"), self._take_type)
            if options.get("type") == Type.ORDINAL:
                words = ", ".join(options.get("order", ()))
                entry("order, lowest first", words, lambda text: self._take("order", _listed(text)))
            if draft.kind == "audit":
                return
            if self._column.get("missing"):
                rule = options.get("missing", "refuse")
                choice("missing cells", MISSING, rule, lambda value: self._take("missing", value))
            place = draft.place(f"hierarchy/{self._position}")
            link(f"hierarchy: {described(options.get('hierarchy'))}", place)


def _said(column: dict[str, Any]) -> str:
    """Counts and the reason: "2 values; the name says sex or gender"."""
    missing = f", {counted(column['missing'], 'cell')} missing" if column.get("missing") else ""
    reason = str(column["reason"])
    why = f"the name says {reason.removeprefix('name: ')}" if reason.startswith("name: ") else reason
    return f"{counted(column['distinct'], 'value')}{missing}; {why}"


def in_words(question: str) -> str:
    """A question of inspection, as one clicks instead of writing it into a spec.

    >>> in_words('looks sensitive, too; dropped. To publish it protected: { role = "sensitive" }')
    'looks sensitive, too; left out. To publish it protected, choose "the secret"'
    """
    before, protected, _ = question.partition(" To publish it protected: ")
    text = before.replace("; dropped.", "; left out.")
    text = text.replace("quasi-identifying or sensitive", 'choose "others may know" or "the secret"')
    text = text.replace("quasi-identifying", 'choose "others may know"')
    text = text.replace("set missing = drop-row", 'choose "drop the rows" for missing cells')
    return f'{text} To publish it protected, choose "the secret"' if protected else text


def _listed(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _file_options(desk: Desk, session: Session, draft: Draft, opened: bool) -> None:
    """How the file is written, where looking did not tell."""
    said = {"encoding": draft.file.get("encoding", ""), "delimiter": draft.file.get("delimiter", "")}

    def again() -> None:
        draft.file = {name: value for name, value in said.items() if value}
        desk.inspect(session, draft)
        ui.navigate.to(draft.place("columns"))

    with tag("details", open=opened):
        tag("summary", "How the file is written")
        with tag("div", classes="inline"):
            choice("encoding", ENCODINGS, said["encoding"], lambda value: said.update(encoding=value))
            choice("fields are separated by", DELIMITERS, said["delimiter"], lambda v: said.update(delimiter=v))
        tick(
            "the first line is names, even if it looks like data",
            draft.header,
            lambda v: setattr(draft, "header", v),
        )
        tick("show frequent values, and known scales as words in an order", draft.show_values, _shower(draft))
        button("Look again", again)


def _shower(draft: Draft) -> Any:
    return lambda value: setattr(draft, "show_values", value)


def go_on(desk: Desk, session: Session, draft: Draft) -> None:
    """Read the table as declared: what is wrong is said here, before anything is promised."""
    spec, declared = draft.write_spec(), draft.declared()
    if draft.kind == "audit":
        from voile.web.pages.audit import start

        start(desk, session, draft)
        return
    arguments = {"path": str(draft.path), "spec": str(spec), "show_values": draft.show_values}

    def taken(job: Any) -> None:
        if draft.declared() == declared:  # else it is of columns that are not there any more
            draft.diagnosis, draft.diagnosed = job.document, declared

    job = desk.jobs.start(
        session, "diagnose", f"Reading {draft.label}", arguments, home=draft.place("columns"), then=taken
    )
    draft.jobs["diagnose"] = job.id
    ui.navigate.to(draft.place("columns"))
