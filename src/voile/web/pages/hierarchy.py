"""How a column is coarsened: its tree, how it fits the table, and the ways to another one."""

from typing import Any

from fastapi import Request
from nicegui import ui

from voile.errors import counted
from voile.reporting.markup import Markup, joined
from voile.reporting.page import key_figures, paragraph
from voile.web import hierarchies
from voile.web.desk import Desk
from voile.web.draft import Draft
from voile.web.elements import button, link, shown, tag, tick
from voile.web.frame import STEPS, awaited, frame, refusal, steps
from voile.web.hierarchies import LARGEST, Looked
from voile.web.pages.hierarchy_forms import forms
from voile.web.series_shelf import SERIES_STEPS
from voile.web.sessions import Session
from voile.web.tree_view import tree_view
from voile.web.upload_box import upload_box
from voile.web.uploads import SLICE

ACCEPT = ".csv,.txt"
TABLE_INSTEAD = "is it the table itself? A hierarchy lists each value once"
WITHOUT = {
    "category": "Without a hierarchy, groups are published as sets of values: {a, b}.",
    "integer": "Without a hierarchy, groups are published as the narrowest intervals that hold them: [23, 41].",
    "decimal": "Without a hierarchy, groups are published as the narrowest intervals that hold them: [2.3, 4.1].",
    "date": "Without a hierarchy, groups are published as the narrowest intervals of days that hold them.",
    "ordinal": "Without a hierarchy, groups are published as the narrowest ranges of the order that hold them.",
}


def described(hierarchy: Any) -> str:
    """A hierarchy in a few words."""
    if hierarchy is None:
        return "none"
    if isinstance(hierarchy, str):
        return "a file"
    kind = next(iter(hierarchy))
    levels = hierarchy[kind]
    return f"{kind} {', '.join(map(str, levels)) if isinstance(levels, list) else levels}"


def add(desk: Desk) -> None:
    """Register the page, for releases and series alike."""
    for kind in ("release", "series"):
        _add(desk, kind)


def _add(desk: Desk, kind: str) -> None:
    @ui.page(f"/{kind}/{{key}}/hierarchy/{{position}}")
    def hierarchy(request: Request, key: str, position: str) -> None:
        from voile.web.pages.columns import gone

        session = desk.session(request)
        draft = desk.draft(session, key)
        name = None if draft is None or draft.kind != kind else hierarchies.column_at(draft, position)
        if draft is None or name is None:
            gone()
            return
        with frame(f"How is {name} coarsened?"):
            steps(draft.place, SERIES_STEPS if kind == "series" else STEPS, "columns", "columns")
            _content(desk, session, draft, name)


def _content(desk: Desk, session: Session, draft: Draft, name: str) -> None:
    here = hierarchies.place(draft, name)
    job = hierarchies.job_of(desk, session, draft, name)
    known = hierarchies.looked_at(draft, name)
    if (job is None or job.over) and known is None:
        job = hierarchies.look(desk, session, draft, name)
    if job is not None and not job.over:
        awaited(desk, job, lambda: ui.navigate.to(here))
        return
    assert known is not None
    _refused(draft, name, known)
    with tag("div", classes="two hierarchy"):
        with tag("section", aria_label="the hierarchy"):
            _now(desk, session, draft, name, known)
        with tag("section", aria_label="another one"):
            _others(desk, session, draft, name, known)
    _editor(desk, draft, name, known)
    with tag("div", classes="next"):
        link("Back to the columns", draft.place("columns"), "main")


def _refused(draft: Draft, name: str, known: Looked) -> None:
    """What was tried and not taken."""
    if not known.refused:
        return
    refusal(known.refused)
    for number, line in known.refused_lines:
        with tag("p", classes="refused-line"):
            tag("span", f"line {number} ", "note")
            tag("code", line)
    if known.document:
        stays = "Nothing has changed: " + (
            "the hierarchy below is the one you had." if "hierarchy" in known.options else "there is none yet."
        )
        tag("p", stays, "note")


def _now(desk: Desk, session: Session, draft: Draft, name: str, known: Looked) -> None:
    hierarchy = draft.columns[name].get("hierarchy")
    tag("h2", f"Now: {described(hierarchy)}")
    found = known.document
    if hierarchy is None:
        tag("p", WITHOUT[draft.columns[name].get("type", "category")])
        if found:
            tag("p", f"{counted(found['values'], 'value')} in {counted(found['rows'], 'row')}.", "note")
        return
    if not found:
        button("Look again", lambda: _again(desk, session, draft, name))
    else:
        shown(fit(known.document))
        if found["lacking"]:
            button(
                "Add the missing values directly under *", lambda: _complete(desk, session, draft, name), "main"
            )
        tag("p", "For you alone: these are values of your table.", "note")
        shown(tree_view(found["tree"]))
    with tag("div", classes="inline"):
        if isinstance(hierarchy, str):
            link("Download it", f"/download/{draft.id}/{hierarchy.removesuffix('.csv')}", "plain", download=True)
        button("Remove it", lambda: _remove(draft, name))


def fit(found: Any) -> Markup:
    """The size of a tree, and how it fits the table."""
    figures = {"leaves": f"{found['leaves']:,}", "levels": f"{found['levels']}"}
    lines = []
    if found["lacking"]:
        words = f"{counted(found['lacking'], 'value')} of the table ({counted(found['lacking_rows'], 'row')})"
        verb = "is" if found["lacking"] == 1 else "are"
        lines.append(paragraph(f"{words} {verb} not in it. Such a table is refused.", kind="warning"))
    else:
        lines.append(
            paragraph(f"Every value of the table is in it: {counted(found['values'], 'value')}.", kind="fits")
        )
    if found["unused"]:
        verb = "does" if found["unused"] == 1 else "do"
        lines.append(
            paragraph(
                f"{counted(found['unused'], 'leaf').replace('leafs', 'leaves')} {verb} not occur in "
                "the table, which is no harm.",
                kind="note",
            )
        )
    return joined(key_figures(figures), *lines)


def _others(desk: Desk, session: Session, draft: Draft, name: str, known: Looked) -> None:
    options = draft.columns[name]

    def built(recipe: dict[str, Any]) -> None:
        hierarchies.build(desk, session, draft, name, recipe)
        ui.navigate.to(hierarchies.place(draft, name))

    tag("h2", "Build one")
    forms(options.get("type", "category"), options.get("hierarchy"), known.document.get("about", {}), built)
    tag("h2", "Import one")
    tag(
        "p",
        "A file as ARX writes it: one line per value, value;parent;...;* and no header. At most 8 MiB.",
        "note",
    )
    upload_box(desk, _purpose(draft, name), "Choose a hierarchy", ACCEPT, LARGEST, TABLE_INSTEAD)
    tick(
        "accept interval labels that do not contain their values",
        options.get("check_labels") is False,
        lambda value: _check_labels(draft, name, not value),
    )


def _purpose(draft: Draft, name: str) -> str:
    return f"hierarchy/{draft.id}/{hierarchies.position_of(draft, name)}"


def _editor(desk: Desk, draft: Draft, name: str, known: Looked) -> None:
    """Any hierarchy as lines to change: the refused ones first, so that no typing is lost."""
    text = known.refused_text or known.document.get("text") or ""
    begun = "hierarchy" in known.options or bool(known.refused_text)
    with tag("details", classes="editor", open=bool(known.refused_text)):
        tag("summary", "Edit it as text" if begun else "Write one by hand, beginning with the values")
        if not text:
            tag(
                "p",
                "It is too long to be edited in a page. Download it, edit it elsewhere, and import it.",
                "note",
            )
            return
        source = "These are the lines that were refused. " if known.refused_text else ""
        tag("p", source + "One line per value, from fine to coarse: value;parent;...;*", "note")
        area = f"lines-{draft.id}"
        box = {"data_purpose": _purpose(draft, name), "data_largest": LARGEST, "data_slice": SLICE}
        with tag("div", classes="lines", data_remedy=TABLE_INSTEAD, **box):
            rows = max(6, min(24, text.count("\n") + 2))
            tag("textarea", text, id=area, rows=rows, spellcheck="false", wrap="off", aria_label="lines")
            tag("progress", max=1, value=0, hidden=True, aria_label="upload")
            tag("div", classes="said", role="alert")
            tag("button", "Check and keep", "button", type="button", data_sends=area)


def _check_labels(draft: Draft, name: str, checked: bool) -> None:
    known = hierarchies.looked_at(draft, name)
    draft.take(name, "check_labels", None if checked else False)
    if known is not None and not (checked and isinstance(known.options.get("hierarchy"), str)):
        known.options = dict(draft.columns[name])


def _again(desk: Desk, session: Session, draft: Draft, name: str) -> None:
    draft.trees.pop(name, None)
    ui.navigate.to(hierarchies.place(draft, name))


def _complete(desk: Desk, session: Session, draft: Draft, name: str) -> None:
    hierarchies.complete(desk, session, draft, name)
    ui.navigate.to(hierarchies.place(draft, name))


def _remove(draft: Draft, name: str) -> None:
    hierarchies.remove(draft, name)
    ui.navigate.to(hierarchies.place(draft, name))
