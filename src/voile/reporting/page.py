"""One self-contained page: inline style, no script, no network, readable on a phone, in the dark and on paper."""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from voile.reporting.charts import Chart
from voile.reporting.markup import Markup, element, joined


@dataclass(frozen=True)
class Section:
    """A part of the page, with a name to link to and a heading."""

    name: str
    heading: str
    content: Markup


def section(name: str, heading: str, *content: object) -> Section:
    """A part of the page; `name` is its address on the page: letters and hyphens."""
    return Section(name, heading, joined(*content))


def page(title: str, sections: Sequence[Section], *, lead: object = "", foot: object = "") -> str:
    """The whole document. `lead` stands above the sections, without a heading of its own."""
    style = _style()
    links = [element("li", element("a", part.heading, href=f"#{part.name}")) for part in sections]
    body = joined(
        element("a", "Skip to the content", class_="skip", href="#content"),
        element("header", element("h1", title), joined(lead)),
        element("nav", element("ul", *links), aria_label="Sections") if len(sections) > 1 else "",
        element("main", *(_part(part) for part in sections), id="content", tabindex="-1"),
        element("footer", joined(foot)) if foot else "",
    )
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    head = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">'
        f"{element('title', title)}<style>{style}</style>"
    )
    return f'<!doctype html>\n<html lang="en">\n<head>{head}</head>\n<body>{body}</body>\n</html>\n'


@cache
def _style() -> str:
    return resources.files("voile.reporting").joinpath("page.css").read_text(encoding="utf-8")


def _part(part: Section) -> Markup:
    heading = element("h2", part.heading, id=f"{part.name}-heading")
    return element("section", heading, part.content, id=part.name, aria_labelledby=f"{part.name}-heading")


def paragraph(*content: object, kind: str = "") -> Markup:
    """A paragraph; `kind` is "lead", "note" or "warning"."""
    return element("p", *content, class_=kind or False)


def bullets(items: Iterable[object]) -> Markup:
    """A list."""
    return element("ul", *(element("li", item) for item in items))


def code(text: object) -> Markup:
    """A command or a cell, as typed."""
    return element("code", text)


def listing(text: object, name: str = "text") -> Markup:
    """Preformatted text that scrolls sideways; `name` tells a screen reader what it is."""
    return element("pre", text, tabindex="0", role="region", aria_label=name)


def table(
    caption: str, header: Sequence[object], rows: Iterable[Sequence[object]], marked: Iterable[int] = ()
) -> Markup:
    """A table that scrolls sideways where it is too wide. The first cell of a row is its heading; numbers stand
    right; rows with an index in `marked` stand out."""
    lines, chosen = list(rows), set(marked)
    head = element("tr", *(element("th", cell, scope="col") for cell in header))
    body = [
        element(
            "tr",
            element("th", row[0], scope="row"),
            *(element("td", cell, class_=_alignment(cell)) for cell in row[1:]),
            class_="marked" if i in chosen else False,
        )
        for i, row in enumerate(lines)
    ]
    inner = element("table", element("caption", caption), element("thead", head), element("tbody", *body))
    return element("div", inner, class_="scroll", tabindex="0", role="region", aria_label=caption)


_LONG = 30  # characters that a narrow screen would break into a word per line


def _alignment(cell: object) -> str | bool:
    number = isinstance(cell, int | float) and not isinstance(cell, bool)
    shown_number = isinstance(cell, str) and cell[:1].isdigit() and cell.rstrip(" %").replace(".", "").isdigit()
    if number or shown_number:
        return "number"
    return "words" if not isinstance(cell, Markup) and len(str(cell)) > _LONG else False


def figure(chart: Chart, *notes: object) -> Markup:
    """A chart with its title, what it shows, and its numbers in a table to open."""
    numbers = table(chart.title, chart.header, chart.rows)
    caption = element("figcaption", element("strong", chart.title), " ", chart.description, *notes)
    picture = element("div", chart.svg(), class_="picture")
    return element("figure", caption, picture, details("Numbers", numbers), class_="wide" if chart.wide else False)


def figures(*drawn: Markup) -> Markup:
    """Figures side by side where there is room."""
    return element("div", *drawn, class_="figures")


MOST_DRAWN = 20  # charts of columns: nobody looks at hundreds


def gallery(lead: Sequence[Chart], charts: Sequence[Chart], first: Iterable[int] = ()) -> Markup:
    """Charts side by side: those of the lead, and of each column one. If there are more columns than can be drawn,
    those with an index in `first` go before; of the others there are the numbers alone, under their names."""
    chosen = set(list(dict.fromkeys([*first, *range(len(charts))]))[:MOST_DRAWN])
    drawn = figures(*map(figure, [*lead, *(chart for i, chart in enumerate(charts) if i in chosen)]))
    others = [chart for i, chart in enumerate(charts) if i not in chosen]
    if not others:
        return drawn
    names = ", ".join(chart.title for chart in others)
    note = paragraph(f"Not drawn, since there are so many columns: {names}. Their numbers are below.", kind="note")
    tables = [table(chart.title, chart.header, chart.rows) for chart in others]
    return joined(drawn, note, details(f"Numbers of {len(others)} columns that are not drawn", *tables))


def details(summary: object, *content: object, kind: str = "") -> Markup:
    """What opens at a click or the Enter key; in print it stays as it is."""
    return element("details", element("summary", summary), *content, class_=kind or False)


def key_figures(values: Mapping[str, object]) -> Markup:
    """A few numbers to see at once, each with its name."""
    pairs = [element("div", element("dt", name), element("dd", value)) for name, value in values.items()]
    return element("dl", *pairs, class_="keys")


def verdict(ok: bool | None, words: object) -> Markup:
    """Kept, broken, or neither: said by a word and a sign, not by colour alone."""
    kind, sign = {True: ("kept", "\u2713"), False: ("broken", "\u2717"), None: ("open", "\u2013")}[ok]
    return element("span", element("span", sign, aria_hidden="true"), " ", words, class_=f"verdict {kind}")
