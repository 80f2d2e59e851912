"""The page of a series audit: what several releases tell together. Counts and names of releases, never a value.

Where it was known who is in which release, the figures come from the truth: then it is the steward's alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from voile.errors import counted
from voile.reporting.charts import Chart, bars
from voile.reporting.findings import findings_table
from voile.reporting.markup import Markup, element, joined
from voile.reporting.page import (
    MOST_DRAWN,
    Section,
    bullets,
    figure,
    figures,
    key_figures,
    page,
    paragraph,
    section,
    table,
    verdict,
)

PRIVATE = "For the steward alone. Its figures come from who is in which release: never publish this page."


def series_page(document: Mapping[str, Any]) -> str:
    """The page of `SeriesReport.document()`: self-contained, without a script."""
    known = document["persons"] is not None
    parts = [*_kept(document), _releases(document, known)]
    if known:
        parts += [_left(document), _risk(document), _attacks(document)]
    parts += _notes(document)
    private = paragraph(PRIVATE, kind="warning") if known else ""
    foot = paragraph(PRIVATE) if known else paragraph("This page holds what follows from the releases alone.")
    return page("Report on a series of releases", parts, lead=joined(private, _lead(document)), foot=foot)


def _lead(document: Mapping[str, Any]) -> Markup:
    releases, persons, told = len(document["releases"]), document["persons"], document["told"]
    keys: dict[str, object] = {"releases": releases}
    if persons is None:
        sentence: tuple[object, ...] = ("Who is in which release was not known: this page says what each shows.",)
    else:
        keys |= {"persons": f"{persons:,}", "with one value left": f"{told:,}"}
        sentence = (
            "Whoever keeps all releases, and knows who is in which, ",
            element("strong", f"is left with one sensitive value for {counted(told, 'person')} of {persons}"),
            ".",
        )
    if document["below_m"] is not None:
        keys[f"with fewer than m = {document['m']} left"] = f"{document['below_m']:,}"
    won = [attack for attack in document["attacks"] if attack["warning"]]
    return joined(
        paragraph(*sentence, kind="lead"),
        paragraph(_verdict(document)),
        *(paragraph(f"{attack['title']}: {attack['meaning']}.", kind="warning") for attack in won),
        key_figures(keys),
        paragraph(document["next"][:1].upper(), document["next"][1:], "."),
    )


def _verdict(document: Mapping[str, Any]) -> Markup:
    if document["failures"]:
        return verdict(False, "Something that was promised or required is broken.")
    if not document["met"]:
        return verdict(None, "Nothing was promised or required of these releases: judge by the figures.")
    return verdict(True, "Everything promised and required is met.")


def _kept(document: Mapping[str, Any]) -> list[Section]:
    lines = [verdict(False, line) for line in document["failures"]]
    lines += [verdict(True, line) for line in document["met"]]
    return [section("promise", "What was promised or required", bullets(lines))] if lines else []


def _releases(document: Mapping[str, Any], known: bool) -> Section:
    """A line for each release: what it shows, and what was known after it."""
    names = {"name": "release", "rows": "rows", "groups": "groups", "m": "m", "counterfeits": "counterfeits"}
    names |= {"signatures": "sets of values", "old_signatures": "of those seen before"}
    if known:
        names |= {"persons": "persons", "told": "told so far", "newly_told": "newly told"}
    if known and document["m"] is not None:
        names["below"] = f"below m = {document['m']}"
    rows = [[_cell(each[name]) for name in names] for each in document["releases"]]
    shown = table("The releases, and what is known after each", list(names.values()), rows)
    return section("releases", "Release by release", shown)


def _cell(value: object) -> object:
    return "\u2013" if value is None else value


def _left(document: Mapping[str, Any]) -> Section:
    """How many values are left for how many persons, and which release told those who have one."""
    words = "A value is left if it is in a group that may be the person's, in every release with the person."
    chart = _left_chart(document["values_left"])
    pairs = document["told_by_first_and_telling_release"] if document["told"] else []
    return section(
        "left",
        "What is left for persons",
        paragraph(words),
        figures(figure(chart)) if chart.rows else "",
        _matrix(pairs) if pairs else "",
        bullets(_doubts(document)),
    )


def _left_chart(left: Mapping[str, int]) -> Chart:
    sizes = sorted((int(size), persons) for size, persons in left.items())
    rows = [(str(size), persons) for size, persons in sizes[:MOST_DRAWN]]
    if len(sizes) > MOST_DRAWN:
        rows.append((f"{sizes[MOST_DRAWN][0]} or more", sum(persons for _, persons in sizes[MOST_DRAWN:])))
    words = "Persons by the number of sensitive values that all releases leave for them; 1 is told for certain."
    return bars("Values left", rows, amount="persons", name="values left", description=words)


def _matrix(pairs: Sequence[Sequence[int]]) -> Markup:
    numbers = range(1, len(pairs) + 1)
    rows = [(f"release {first}", *row) for first, row in zip(numbers, pairs, strict=True) if any(row)]
    caption = "Persons told, by the first release they are in and the one that told"
    return table(caption, ("first in", *(f"told by {number}" for number in numbers)), rows)


def _doubts(document: Mapping[str, Any]) -> Iterator[str]:
    """How far conclusions are right: who believes that values last is wrong about those whose value changed."""
    yield f"Of the {document['told']} with one value left it is true of {document['told_right']}."
    if document["none_left"]:
        yield f"{document['none_left']} have no value left: theirs changed, or they were not published."
    if document["changed_values"]:
        yield f"{document['changed_values']} have different values in different tables."


def _risk(document: Mapping[str, Any]) -> Section:
    """By counting who can have which row: this may tell more than the values that are left."""
    risk = document["exact_risk"]
    if risk is None or not risk["counted"]:
        return section("risk", "Exact risk", paragraph("It was not counted: see the notes."))
    rows = [
        ("persons counted", risk["counted"]),
        ("highest chance of somebody's true value", risk["highest"]),
        ("persons told for certain", risk["certain"]),
        ("persons in groups too large to count", risk["too_large"]),
        ("persons who fit no reconstruction", risk["impossible"]),
    ]
    words = "All ways are counted in which persons can have the published rows, over all releases together."
    return section("risk", "Exact risk", paragraph(words), table("By counting", ("what", "value"), rows))


def _attacks(document: Mapping[str, Any]) -> Section:
    return section("attacks", "Attacks", findings_table("Attacks on the releases together", document["attacks"]))


def _notes(document: Mapping[str, Any]) -> list[Section]:
    return [section("notes", "Notes", bullets(document["notes"]))] if document["notes"] else []
