"""The data dictionary: what the columns and cells of a release mean, and how to count with them."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from voile.core.axis import Axis
from voile.core.hierarchy import EVERYTHING
from voile.core.schema import COUNTERFEITS, GROUP, SENSITIVE_TABLE, TWO_TABLES, Role, Type
from voile.errors import counted
from voile.querying.label_ends import set_members
from voile.reporting.columns_shown import ColumnShown
from voile.reporting.markup import Markup, element, joined
from voile.reporting.page import Section, bullets, code, listing, paragraph, section, table

_ROLES = {
    Role.QUASI_IDENTIFYING: "could help to find a person: shown only as precisely as a whole group allows",
    Role.SENSITIVE: "what is protected: nobody can tell whose it is inside a group",
    Role.INSENSITIVE: "shown as it is, and taken as known to everybody",
}
_TYPES = {
    Type.CATEGORY: "words",
    Type.INTEGER: "whole numbers",
    Type.DECIMAL: "numbers",
    Type.DATE: "dates",
    Type.ORDINAL: "words with an order",
}


def dictionary(shown: Sequence[ColumnShown], certificate: Mapping[str, Any] | None) -> Section:
    """The section for the recipient."""
    apart = _table(certificate).get("published") == TWO_TABLES
    rows = [
        (
            own.spec.name,
            _TYPES[own.spec.type],
            _KNOWN_TO_ALL if apart and own.spec.role == Role.QUASI_IDENTIFYING else _ROLES[own.spec.role],
            *(_APART[own.spec.role] if apart else _cells(own)),
        )
        for own in shown
        if own.spec.role in _ROLES
    ]
    alike = "who has which of their sensitive values is not told" if apart else "nobody can tell them apart"
    own_column = (GROUP, "whole numbers", f"rows with the same number belong together: {alike}")
    rows.insert(0, (*own_column, "a number that means nothing else", ""))
    header = ("column", "holds", "what it is for", "how its cells look", "for example")
    return section(
        "dictionary",
        "For whoever receives the table",
        paragraph(_APART_WORDS)
        if apart
        else paragraph(
            "One row stands for one row of the source. What is shown of a person's quasi-identifying values is "
            "true, but it may be less than is known: a range, a set, a broader word."
        ),
        table("The columns", header, rows),
        *([] if apart else [element("h3", "What a cell means"), bullets(_meanings(shown, certificate))]),
        element("h3", "How to count"),
        joined(paragraph(_APART_COUNTING), _command("COLUMN = 'VALUE'")) if apart else _counting(shown),
    )


_APART = {
    Role.QUASI_IDENTIFYING: ("values as they are", ""),
    Role.SENSITIVE: (f"in the second table, {SENSITIVE_TABLE}: how often each group has each value", ""),
    Role.INSENSITIVE: ("values as they are", ""),
}
_KNOWN_TO_ALL = "could help to find a person, and is shown as it is: that a person is in the table is not hidden"
_APART_WORDS = (
    "The release has two tables. In the first, data, one row stands for one row of the source, with its group. "
    f"The second, {SENSITIVE_TABLE}, says for each group which sensitive values its rows have, and how many. "
    "Which row of a group has which value is told nowhere."
)
_APART_COUNTING = (
    "Count the rows of a group that meet the question in the first table, and multiply by the share of the group "
    "that has the sensitive value in the second. Add up over the groups."
)


def _cells(own: ColumnShown) -> tuple[str, Markup | str]:
    """How the cells of a column look, and its most frequent one that says less than a value."""
    if own.spec.role != Role.QUASI_IDENTIFYING:
        return "values as they are", ""
    words = {
        True: "a value, or a range [low, high]; both ends belong to it",
        False: "a value, a set {a, b} of possible values, or * for any",
    }
    form = words[own.spec.type != Type.CATEGORY]
    if own.spec.hierarchy is not None:
        form = "a value, or a broader term of its hierarchy; * for any"
    example = _example(own)
    return form, code(example) if example else ""


def _example(own: ColumnShown) -> str:
    """The most frequent label that stands for several values; of a hierarchy any, only its file can tell."""
    ranked = sorted(zip((-own.rows).tolist(), own.labels.to_list(), strict=True))
    for _, label in ranked:
        several = label.startswith("[") or (own.spec.type == Type.CATEGORY and len(set_members(label) or ()) > 1)
        if several or (own.spec.hierarchy is not None and label != EVERYTHING):
            return str(label)
    return ""


def _meanings(shown: Sequence[ColumnShown], certificate: Mapping[str, Any] | None) -> list[object]:
    quasi = [own for own in shown if own.spec.role == Role.QUASI_IDENTIFYING]
    meanings: list[object] = []
    if any(own.ends is not None or own.spec.type == Type.ORDINAL for own in quasi):
        meanings.append(joined(code("[20, 29]"), " is one value from 20 to 29; which one is not told."))
    if any(own.spec.type == Type.CATEGORY and own.spec.hierarchy is None for own in quasi):
        meanings.append(joined(code("{a, b}"), " is a or b."))
    meanings.append(joined(code(EVERYTHING), " is any value that the column has."))
    if any(own.spec.hierarchy is not None for own in quasi):
        meanings.append(
            "A broader term stands for any of the values under it. The hierarchy is a file of the spec."
        )
    fakes = _table(certificate).get(COUNTERFEITS)
    if isinstance(fakes, int):
        text = f"{counted(fakes, 'row')} of the table stand for nobody; "
        meanings.append(joined(text, code(f"{COUNTERFEITS}.csv"), " says how many are in each group."))
    if any("base_values" in entry for entry in _entries(certificate)):
        meanings.append(
            "The sensitive column may show a term above several values. The certificate lists the values, and the "
            "weight with which each one counts."
        )
    return meanings


def _table(certificate: Mapping[str, Any] | None) -> Mapping[str, Any]:
    told = (certificate or {}).get("table")
    return told if isinstance(told, dict) else {}


def _entries(certificate: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    entries = _table(certificate).get("columns")
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _counting(shown: Sequence[ColumnShown]) -> Markup:
    rule = paragraph(
        "A row counts by the share of its cell that the question accepts, one column after the other: the shares "
        "are multiplied. Sensitive values are as they are, so they count fully."
    )
    found = next((example for own in shown if (example := _worked(own)) is not None), None)
    if found is None:
        return joined(rule, _command("COLUMN = 'VALUE'"))
    text, query = found
    return joined(rule, paragraph("For example: ", text), _command(query))


def _command(query: str) -> Markup:
    return joined(
        paragraph("Voile does this for all cells at once, and says how far off the count may be:"),
        listing(f'voile estimate FOLDER "{query}" -s SPEC', "command"),
    )


def _worked(own: ColumnShown) -> tuple[str, str] | None:
    """A question about the lower half of the most frequent range, and how the rows that show it count."""
    if own.spec.role != Role.QUASI_IDENTIFYING or own.ends is None:
        return None
    low, high, rows, scale = own.ends
    wide = high > low
    if not wide.any():
        return None
    best = max((int(n), -int(a), -int(b)) for n, a, b in zip(rows[wide], low[wide], high[wide], strict=True))
    number, first, last = best[0], -best[1], -best[2]
    middle = first + (last - first) // 2
    axis = Axis(own.spec.type, first, last, scale)
    ends = [axis.label(value) for value in (first, middle, last)]
    some, all_ = middle - first + 1, last - first + 1
    text = (
        f"{counted(number, 'row')} show {own.spec.name} as [{ends[0]}, {ends[2]}]. A question for {ends[0]} to "
        f"{ends[1]} accepts {some} of the {all_} values in that range, so these rows count "
        f"{number} x {some}/{all_} = {number * some / all_:.4g}."
    )
    quoted = [f"'{end}'" if own.spec.type == Type.DATE else end for end in ends]
    return text, f"{_name(own.spec.name)} between {quoted[0]} and {quoted[1]}"


def _name(column: str) -> str:
    """A column as a query names it, inside the double quotes of a shell."""
    return column if re.fullmatch(r"[A-Za-z_]\w*", column) else f'\\"{column}\\"'
