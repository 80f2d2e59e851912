"""What pages are made of: native controls with names, so that keys and screen readers know them."""

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui
from nicegui.element import Element

from voile.reporting.markup import Markup

VALUE = "(event) => emit(event.target.value)"
BEGINNINGS = ("value", "checked", "selected")
TICKED = "(event) => emit(event.target.checked)"


def tag(kind: str, /, text: object = "", classes: str = "", **attributes: Any) -> Element:
    """An element with text, which is never read as HTML. `for_` is for, `aria_label` aria-label. What a control
    begins with is an attribute, so that nothing the page does later undoes what was typed."""
    made = ui.element(kind)
    if text != "":
        made._text = str(text)
    if classes:
        made.classes(classes)
    for key, value in attributes.items():
        if value is not None and value is not False:
            name = key.rstrip("_").replace("_", "-")
            made.props[f"^{name}" if name in BEGINNINGS else name] = "" if value is True else value
    return made


def shown(markup: Markup, classes: str = "") -> ui.html:
    """Markup of the report's making, which has escaped whatever it shows."""
    assert isinstance(markup, Markup)
    made = ui.html(markup, sanitize=False)
    return made.classes(classes) if classes else made


def button(text: str, on_click: Callable[[], Any], kind: str = "", **attributes: Any) -> Element:
    """A button; `kind` is "main" for the one that goes on."""
    made = tag("button", text, f"button {kind}".strip(), type="button", **attributes)
    made.on("click", lambda _: on_click(), args=[])
    return made


def link(text: str, address: str, kind: str = "", **attributes: Any) -> Element:
    """A link; with `kind` it looks like a button."""
    return tag("a", text, f"button {kind}".strip() if kind else "", href=address, **attributes)


def choice(
    name: str,
    options: Mapping[str, str],
    value: str,
    on_change: Callable[[str], Any],
    *,
    hidden_name: bool = False,
    **attributes: Any,
) -> Element:
    """A list to choose one of, by value and what is shown of it."""
    with tag("label", classes="field"):
        tag("span", name, "unseen" if hidden_name else "name")
        made = tag("select", **attributes)
        with made:
            for key, text in options.items():
                tag("option", text, value=key, selected=key == value)
        made.on("change", lambda event: on_change(str(event.args)), js_handler=VALUE)
    return made


def entry(
    name: str, value: object, on_change: Callable[[str], Any], *, live: bool = False, **attributes: Any
) -> Element:
    """A line to type in; `live`: told at every key."""
    with tag("label", classes="field"):
        tag("span", name, "name")
        made = tag("input", value=str(value), **attributes)
        made.on("input" if live else "change", lambda event: on_change(str(event.args)), js_handler=VALUE)
    return made


def tick(name: str, value: bool, on_change: Callable[[bool], Any], **attributes: Any) -> Element:
    """A box to tick."""
    with tag("label", classes="tick"):
        made = tag("input", type="checkbox", checked=value, **attributes)
        made.on("change", lambda event: on_change(bool(event.args)), js_handler=TICKED)
        tag("span", name)
    return made
