"""The shares of a sensitive column with the line 1/l: what is above it stands in the way."""

from collections.abc import Mapping
from typing import Any

from voile.errors import counted
from voile.reporting.markup import Markup, element, escaped, joined

WIDTH, HEIGHT, FOOT = 440, 150, 4


def share_bars(column: Mapping[str, Any], rows: int, ell: int) -> Markup:
    """Bars of the most frequent values, and the line; a list of the same numbers for those who do not see it."""
    counts = [int(count) for count in column["counts"]]
    top = max(counts[0] / rows, 1 / ell if ell else 0) * 1.08
    step = WIDTH / max(len(counts), 1)
    names = column["labels"] or [f"value {i}" for i in range(1, len(counts) + 1)]
    drawn = []
    for i, count in enumerate(counts):
        high = HEIGHT * count / rows / top
        too_much = bool(ell) and count * ell > rows  # an integer comparison decides
        title = element("title", f"{names[i]}: {counted(count, 'row')}, {count / rows:.1%}")
        place = (
            f'x="{i * step + 1:.1f}" y="{HEIGHT - high:.1f}" width="{max(step - 2, 1):.1f}" height="{high:.1f}"'
        )
        kind = "too-much" if too_much else "share"
        drawn.append(Markup(f'<rect class="{kind}" {place}>{title}</rect>'))
    line = Markup("")
    if ell:
        y = HEIGHT - HEIGHT / ell / top
        words = escaped(f"1/{ell} = {100 / ell:.3g} %")
        line = Markup(
            f'<line class="line" x1="0" x2="{WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text x="{WIDTH - 4}" y="{y - 6 if y > 22 else y + 16:.1f}" text-anchor="end">{words}</text>'
        )
    name = f"Shares of the {len(counts)} most frequent values of {column['name']}"
    svg = Markup(
        f'<svg class="shares" role="img" viewBox="0 0 {WIDTH} {HEIGHT + FOOT}" aria-label="{escaped(name)}">'
        f"{joined(*drawn)}{line}</svg>"
    )
    caption = element(
        "figcaption",
        element("strong", str(column["name"])),
        f" {counted(column['values'], 'value')}; the most frequent is {counts[0] / rows:.1%} of rows.",
        f" {counted(column['values'] - len(counts), 'more value')} not drawn." if column["others"] else "",
    )
    return element("figure", caption, svg, _listed(column, rows) if column["labels"] else "")


def _listed(column: Mapping[str, Any], rows: int) -> Markup:
    pairs = zip(column["labels"], column["counts"], strict=True)
    lines = [element("li", f"{name}: {count / rows:.1%}") for name, count in pairs]
    return element("details", element("summary", "Values"), element("ol", *lines))


def verdict_on(found: Mapping[str, Any], ell: int, against: str) -> Markup:
    """Whether an l is possible, and what would help where it is not."""
    largest = int(found["largest_l"])
    if not ell:
        return element("p", "Choose an l.", class_="verdict open")
    if ell <= largest:
        most = f"{largest} is the largest l that this table allows." if largest < 1000 else ""
        return element("p", f"\u2713 l = {ell} is possible. {most}", class_="verdict kept")
    first = f"\u2717 l = {ell} is not possible: " + (
        f"the largest is {largest}." if largest > 1 else "no l works on this table as it is."
    )
    ways = [f"choose l = {largest}"] if largest > 1 else []
    for column in found["columns"]:
        if int(column["largest_l"]) >= ell:
            continue
        ways.append(f"record the most frequent values of {column['name']} in finer detail")
        lost = column["suppress_for"].get(str(ell))
        if lost is not None and int(lost) < int(found["rows"]):
            way = (
                "name the algorithm elig with ineligible = suppress"
                if against == "release"
                else ("against readers of the release alone, with the algorithm elig and ineligible = suppress")
            )
            ways.append(f"suppress {counted(int(lost), 'row')} ({int(lost) / int(found['rows']):.1%}): {way}")
    return joined(
        element("p", first, class_="verdict broken"),
        element("p", "What would help:"),
        element("ul", *(element("li", way) for way in ways)),
    )
