"""The data dictionary: what the columns and cells of a release mean, and how to count with them."""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voile.auditing import AuditReport
from voile.core.axis import Axis
from voile.core.hierarchy import EVERYTHING
from voile.core.schema import COUNTERFEITS, GROUP, SENSITIVE_TABLE, TWO_TABLES, Role, Type
from voile.errors import counted
from voile.intake.label_ends import set_members
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


@dataclass(frozen=True)
class _Told:
    """What a reader must know beyond the columns: whether the release is in two tables, how many rows stand for
    nobody, and which sensitive columns may show broader terms, with the values that the certificate lists."""

    apart: bool
    fakes: int
    terms: Mapping[str, frozenset[str]]
    weighed: bool  # the certificate gives the values their weights

    @classmethod
    def of(cls, shown: Sequence[ColumnShown], found: AuditReport) -> "_Told":
        """As the audit and the certificate say."""
        stated = {str(e.get("name")): e["base_values"] for e in _entries(found.certificate) if "base_values" in e}
        names = [own.spec.name for own in shown if own.spec.role == Role.SENSITIVE]
        terms = {name: _texts(stated[name]) for name in names if name in stated}
        if found.generalised and not terms:
            terms = dict.fromkeys(names, frozenset())
        return cls(
            _table(found.certificate).get("published") == TWO_TABLES,
            int((found.bags.sizes - found.bags.persons).sum()),
            terms,
            bool(stated),
        )


def dictionary(shown: Sequence[ColumnShown], found: AuditReport) -> Section:
    """The section for the recipient."""
    told = _Told.of(shown, found)
    rows = [
        (
            own.spec.name,
            _TYPES[own.spec.type],
            _KNOWN_TO_ALL if told.apart and own.spec.role == Role.QUASI_IDENTIFYING else _ROLES[own.spec.role],
            *(_APART[own.spec.role] if told.apart else _cells(own, told)),
        )
        for own in shown
        if own.spec.role in _ROLES
    ]
    alike = "who has which of their sensitive values is not told" if told.apart else "nobody can tell them apart"
    own_column = (GROUP, "whole numbers", f"rows with the same number belong together: {alike}")
    rows.insert(0, (*own_column, "a number that means nothing else", ""))
    header = ("column", "holds", "what it is for", "how its cells look", "for example")
    return section(
        "dictionary",
        "For whoever receives the table",
        paragraph(_APART_WORDS if told.apart else _rows_are(told.fakes)),
        table("The columns", header, rows),
        *([] if told.apart else [element("h3", "What a cell means"), bullets(_meanings(shown, told))]),
        element("h3", "How to count"),
        joined(paragraph(_APART_COUNTING), _command("COLUMN = 'VALUE'")) if told.apart else _counting(shown, told),
    )


def _rows_are(fakes: int) -> str:
    """What a row stands for."""
    but = f", except for {counted(fakes, 'counterfeit')}, of which nobody can tell which they are" if fakes else ""
    return (
        f"One row stands for one row of the source{but}. What is shown of a person's quasi-identifying values is "
        "true, but it may be less than is known: a range, a set, a broader word."
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


def _cells(own: ColumnShown, told: _Told) -> tuple[str, Markup | str]:
    """How the cells of a column look, and its most frequent one that says less than a value."""
    if own.spec.name in told.terms:
        term = _first(own, lambda label: label not in told.terms[own.spec.name]) if told.weighed else ""
        return "a value, or a broader term for any of several values; * for any of all", code(term) if term else ""
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

    def several(label: str) -> bool:
        members = set_members(label) if own.spec.type == Type.CATEGORY else None
        return label.startswith("[") or len(members or ()) > 1

    return _first(own, lambda label: several(label) or (own.spec.hierarchy is not None and label != EVERYTHING))


def _first(own: ColumnShown, fits: Callable[[str], bool]) -> str:
    """The most frequent label of some kind; "" if there is none."""
    ranked = sorted(zip((-own.rows).tolist(), own.labels.to_list(), strict=True))
    return next((str(label) for _, label in ranked if fits(label)), "")


def _meanings(shown: Sequence[ColumnShown], told: _Told) -> list[object]:
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
    if told.fakes:
        text = f"{counted(told.fakes, 'row')} of the table stand for nobody; "
        meanings.append(joined(text, code(f"{COUNTERFEITS}.csv"), " says how many are in each group."))
    if told.terms:
        listed = " The certificate lists the values, and the weight with which each one counts."
        meanings.append(
            "The sensitive column may show a term above several values." + (listed if told.weighed else "")
        )
    return meanings


def _table(certificate: Mapping[str, Any] | None) -> Mapping[str, Any]:
    told = (certificate or {}).get("table")
    return told if isinstance(told, dict) else {}


def _entries(certificate: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    entries = _table(certificate).get("columns")
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _texts(value: object) -> frozenset[str]:
    return frozenset(map(str, value)) if isinstance(value, list) else frozenset()


def _counting(shown: Sequence[ColumnShown], told: _Told) -> Markup:
    """The rule by which `voile estimate` counts, in words, and a question that it answers so."""
    rule = paragraph(
        "A row counts by the share of its cell that the question accepts, one column after the other: the shares "
        "are multiplied. ",
        _TERMS_COUNT[told.weighed] if told.terms else "Sensitive values are as they are, so they count fully.",
        _FAKES_COUNT if told.fakes else "",
    )
    found = next((example for own in shown if (example := _worked(own, told.fakes)) is not None), None)
    if found is None:
        return joined(rule, _command("COLUMN = 'VALUE'"))
    text, query = found
    return joined(rule, paragraph("For example: ", text), _command(query))


_TERMS_COUNT = {
    True: "A sensitive value counts fully; of a broader term the share is the weight of the values under it that "
    "the question accepts, over the weight of all values under it, as the certificate lists them.",
    False: "A sensitive value counts fully; of a broader term the share is how many of the values under it the "
    "question accepts.",
}
_FAKES_COUNT = (
    " Nobody can tell which rows are counterfeits, so each row of a group counts by the share of the group that "
    f"stands for somebody, too: 3/4 in a group of 4 rows with 1 counterfeit ({COUNTERFEITS}.csv)."
)


def _command(query: str) -> Markup:
    return joined(
        paragraph("Voile does this for all cells at once, with the bounds that are certain:"),
        listing(f"voile estimate FOLDER {_typed(query)} -s SPEC", "command"),
    )


def _typed(query: str) -> str:
    """A query as one word of a shell, whatever it holds; in double quotes where these have nothing to run.

    >>> print(_typed("age > 3"), _typed('"$(x)" > 3'))
    "age > 3" '"$(x)" > 3'
    """
    return f'"{query}"' if re.fullmatch(r"[\w '=<>(),.-]*", query) else shlex.quote(query)


def _worked(own: ColumnShown, fakes: int) -> tuple[str, str] | None:
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
    count = f"these rows count {number} x {some}/{all_} = {number * some / all_:.4g}."
    if fakes:
        count = f"each of these rows counts {some}/{all_}, times the share of its group that stands for somebody."
    text = (
        f"{counted(number, 'row')} show {own.spec.name} as [{ends[0]}, {ends[2]}]. A question for {ends[0]} to "
        f"{ends[1]} accepts {some} of the {all_} values in that range, so {count}"
    )
    quoted = [f"'{end}'" if own.spec.type == Type.DATE else end for end in ends]
    return text, f"{_name(own.spec.name)} between {quoted[0]} and {quoted[1]}"


def _name(column: str) -> str:
    """A column as a query names it."""
    return column if re.fullmatch(r"[A-Za-z_]\w*", column) else '"' + column.replace('"', '""') + '"'
