"""The report of a release or of any audited table: for the steward first, then the recipient and the auditor.

It may be published with the release: everything in it is a function of the published bytes and their certificate,
so that whoever has them can make it again (`voile report`).
"""

import contextlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

import numpy as np
import polars as pl
from numpy.typing import NDArray

from voile import catalog
from voile.asked import Asked
from voile.auditing import AuditReport
from voile.core.schema import GROUP, Role, Schema
from voile.errors import counted
from voile.intake.published_values import unquoted
from voile.release_files import ReadRelease
from voile.reporting.charts import Chart, bars, histogram, shown
from voile.reporting.columns_shown import BINS, FIRST_NAMES, Bins, ColumnShown, columns_shown, round_width
from voile.reporting.dictionary import dictionary
from voile.reporting.findings import attacks_section, best_guess, models_table
from voile.reporting.learner import NOTHING_PROMISED
from voile.reporting.markup import Markup, element, joined
from voile.reporting.page import (
    MOST_DRAWN,
    Section,
    bullets,
    code,
    details,
    figure,
    figures,
    gallery,
    key_figures,
    listing,
    page,
    paragraph,
    section,
    table,
    verdict,
)

WORST = 5  # groups that are named
Certificate = Mapping[str, Any] | None


@dataclass(frozen=True, repr=False, eq=False)
class Drawings:
    """What takes time: the columns of a release, counted, and the charts, drawn."""

    shown: list[ColumnShown]
    sizes: Markup
    numbers: NDArray[np.int64]  # of the groups, in the order of the bags; empty if that is not known
    columns: Markup


def drawings(
    frame: pl.DataFrame, schema: Schema, certificate: Certificate, sensitive: pl.DataFrame | None = None
) -> Drawings:
    """Count and draw what the published rows show; of a release in two tables, `sensitive` is the second."""
    shown = columns_shown(frame, schema, sensitive)
    names = [GROUP] if GROUP in frame.columns else [own.spec.name for own in shown if own.spec.role in _KNOWN]
    groups = frame.select(names).group_by(names, maintain_order=True).len()
    held = [own for own in shown if own.rows.size]
    secret = [i for i, own in enumerate(held) if own.spec.role == Role.SENSITIVE]
    return Drawings(
        shown,
        _sizes(groups["len"].to_numpy().astype(np.int64)),
        _group_numbers(groups[GROUP], sensitive is not None) if names == [GROUP] else np.empty(0, np.int64),
        gallery(_losses(certificate), [_column(own) for own in held], secret),
    )


def _group_numbers(groups: pl.Series, two_tables: bool) -> NDArray[np.int64]:
    numbers = groups.cast(pl.Int64, strict=False).fill_null(-1)
    ordered = numbers.sort() if two_tables else numbers
    return ordered.to_numpy() if ordered.is_sorted() else np.empty(0, np.int64)


_KNOWN = (Role.QUASI_IDENTIFYING, Role.INSENSITIVE)


def drawings_of(release: ReadRelease) -> Drawings:
    """The same from a release on the disk."""
    frames = [release.frame, release.sensitive]
    if release.quoted:
        frames = [None if frame is None else _unquoted(frame) for frame in frames]
    rows, sensitive = frames
    assert rows is not None
    return drawings(rows, release.schema, release.certificate, sensitive)


def _unquoted(frame: pl.DataFrame) -> pl.DataFrame:
    """Cells as they were before our CSV quoted what a spreadsheet would run."""
    return frame.with_columns(unquoted(frame[name]) for name, kind in frame.schema.items() if kind == pl.String)


def release_report(found: AuditReport, drawn: Drawings) -> str:
    """The page."""
    return page("Report on a published table", sections(found, drawn), lead=lead(found), foot=_foot(found))


def sections(found: AuditReport, drawn: Drawings) -> list[Section]:
    """All of its parts, in the order of who needs them."""
    parts = [
        *_promises(found),
        section("groups", "The groups", drawn.sizes, _worst(found, drawn.numbers)),
        section("columns", "What the columns still tell", paragraph(_COLUMNS), drawn.columns),
        attacks_section(found),
        dictionary(drawn.shown, found),
        _auditor(found),
    ]
    return parts


def lead(found: AuditReport, *learnt: Markup) -> Markup:
    """What matters most, before the first heading; `learnt`: what the steward alone knows of readers who learn."""
    certificate, keys = found.certificate or {}, _key_figures(found)
    told = certificate.get("algorithm")
    made = told.get("key") if isinstance(told, dict) else None
    about = f"Published on {certificate.get('date')} by the algorithm {made}." if made else ""
    return joined(
        paragraph(*best_guess(_largest_share(found), bool(found.generalised)), kind="lead"),
        paragraph(_verdict(found), " ", about),
        bullets(found.failures) if found.failures else "",
        *learnt,
        paragraph(NOTHING_PROMISED, kind="warning"),
        key_figures(keys),
    )


def _verdict(found: AuditReport) -> Markup:
    if not found.ok:
        return verdict(False, "Something that was promised or required is broken:")
    if not found.judged:
        return verdict(None, "Nothing was promised or required of this table: judge by the figures.")
    return verdict(True, "Everything promised and required is met.")


def _largest_share(found: AuditReport) -> float | None:
    """The largest share of one value in any group; None if nothing is published."""
    largest = found.achieved["frequency_l_diversity"].achieved
    return float(1 / largest) if largest else None


def _key_figures(found: AuditReport) -> dict[str, object]:
    loss = _dict(found.certificate or {}, "utility").get("gcp_leaves")
    sizes = found.bags.rows
    keys: dict[str, object] = {"rows": f"{found.rows:,}", "groups": f"{found.groups:,}"}
    if sizes.size:
        keys["smallest group"] = counted(int(sizes.min()), "row")
    if _is_share(loss):
        keys["detail lost (gcp_leaves)"] = f"{100 * loss:.3g} %"
    gone = _dict(found.certificate or {}, "table").get("suppressed", found.suppressed)
    if type(gone) is int:
        keys["suppressed"] = counted(gone, "row")
    fakes = int((found.bags.sizes - found.bags.persons).sum())
    return keys | ({"counterfeits": counted(fakes, "row")} if fakes else {})


def _promises(found: AuditReport) -> list[Section]:
    certificate = found.certificate
    if certificate is None:
        text = "This table has no certificate: nobody says what it promises. What follows was found in its cells."
        return [section("promise", "What is promised", paragraph(text))]
    promise, adversary = _dict(certificate, "promise"), _dict(certificate, "adversary")
    kept = [element("li", verdict(True, line)) for line in found.met]
    kept += [element("li", verdict(False, line)) for line in found.failures]
    promised = section(
        "promise",
        "What is promised, and against whom",
        paragraph(element("strong", _in_words(promise)), ". In words: ", _words(promise, "meaning"), "."),
        *(
            paragraph("Also: ", _in_words(also), ". It holds against: ", _words(also, "rung"), ".")
            for also in certificate.get("also") or []
            if isinstance(also, dict)
        ),
        paragraph("It holds against ", _words(adversary, "holds_against"), "."),
        *_asked(_dict(certificate, "asked")),
        element("ul", *kept) if kept else "",
        _true_values(certificate),
    )
    limits = adversary.get("not_promised")
    limits = [str(limit) for limit in limits] if isinstance(limits, list) else []
    text = "Nothing is promised about the following. Whoever decides on the release decides whether that matters:"
    return [promised, section("limits", "What is not promised", paragraph(text), bullets(limits))]


def _asked(section: Mapping[str, Any]) -> Iterator[Markup]:
    """What the steward asked for, and what was taken for it."""
    asked = Asked.of(section)
    if asked is not None:
        taken = f"{_words(section, 'algorithm')} was taken ({_words(section, 'why')})."
        yield paragraph(f"Asked for was a promise against {asked.readers}; {taken}")


def _dict(document: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A part of a certificate; nothing that it says has to make sense."""
    part = document.get(name)
    return part if isinstance(part, dict) else {}


def _is_share(value: object) -> TypeGuard[float]:
    """Whether something is a number from 0 to 1; what is none stands in the certificate, and is not drawn.

    >>> [_is_share(value) for value in (0.5, 1, True, "1", 10**400, float("nan"), None)]
    [True, True, False, False, False, False, False]
    """
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _words(document: Mapping[str, Any], name: str) -> str:
    return str(document.get(name, "not stated"))


def _in_words(promise: Mapping[str, Any]) -> str:
    values = ", ".join(f"{name} = {value}" for name, value in _dict(promise, "parameters").items())
    return f"{_words(promise, 'title')}" + (f" with {values}" if values else "")


def _true_values(certificate: Mapping[str, Any]) -> Markup:
    told = _dict(certificate, "true_values")
    if not told:
        return Markup("")
    if told.get("kept"):
        return paragraph("The same holds for the true values, before some were shown as broader terms.")
    return paragraph(
        "Sensitive values are shown as broader terms. The promise holds for what a term may stand for. It does "
        f"not hold for a reader who finds out what the terms do stand for: then at most {told.get('achieved')}.",
        kind="warning",
    )


def _sizes(sizes: NDArray[np.int64]) -> Markup:
    """Groups by their size; few sizes one by one, many in bins, a single one in words."""
    if not sizes.size or sizes.min() == sizes.max():
        return paragraph(
            f"All groups have {counted(int(sizes[0]), 'row')}." if sizes.size else "There is no group."
        )
    return figures(figure(_sizes_chart(sizes)))


def _sizes_chart(sizes: NDArray[np.int64]) -> Chart:
    least, most = int(sizes.min()), int(sizes.max())
    width = round_width(most + 1 - least)
    edges = np.arange(least // width * width if width > 1 else least, most + width + 1, width)
    edges = edges[: int(np.searchsorted(edges, most + 1)) + 1]
    counts, _ = np.histogram(sizes, edges)
    middle = f"Half of the groups have at most {int(np.median(sizes))} rows, the largest has {most}."
    if edges.size <= BINS and width == 1:
        pairs = [(str(size), int(n)) for size, n in zip(edges.tolist(), counts.tolist(), strict=False)]
        return bars("Sizes of groups", pairs, amount="groups", name="rows in a group", description=middle)
    bins = [(low, low + width, int(n)) for low, n in zip(edges.tolist(), counts.tolist(), strict=False)]
    return histogram("Sizes of groups", bins, value="rows in a group", amount="groups", description=middle)


def _worst(found: AuditReport, numbers: NDArray[np.int64]) -> Markup:
    """The groups that tell most, by number: how large they are, and the greatest share of one value. Which value
    that is stays out."""
    bags = found.bags
    if not bags.sizes.size:
        return Markup("")
    share = np.zeros(bags.sizes.size)
    values = np.full(bags.sizes.size, np.iinfo(np.int64).max)
    for bag in bags.columns:
        share = np.maximum(share, bag.top() / bag.unit / np.maximum(1, bags.sizes))
        values = np.minimum(values, bag.distinct())
    if share.size > 1 and share.min() == share.max():
        return paragraph(f"All groups tell alike: one value has a share of {_share(share[0])} in each.")
    order = np.lexsort((np.arange(share.size), bags.rows, -share))[:WORST].tolist()
    known = numbers.size == share.size
    named = numbers if known else np.arange(1, share.size + 1)
    rows = [
        (f"{'group' if known else 'class'} {named[i]}", int(bags.rows[i]), int(values[i]), _share(share[i]))
        for i in order
    ]
    header = ("group", "rows", "different values", "largest share of one value")
    return table("Where a guess is easiest: the groups with the largest share of one value", header, rows)


def _share(part: float) -> str:
    return f"{100 * min(1.0, float(part)):.3g} %"


_COLUMNS = (
    "Detail that is lost is the share of a column's range or hierarchy that a cell leaves open, on average: 0 % "
    "is every value as it is, 100 % is nothing but stars. The histograms show the published table; rows with a "
    "range are spread evenly over it. How the table was before is not shown here: that is for the steward alone."
)


def _losses(certificate: Certificate) -> list[Chart]:
    columns = _dict(certificate or {}, "table").get("columns")
    entries = [c for c in columns if isinstance(c, dict)] if isinstance(columns, list) else []
    lost = [(str(c.get("name")), float(c["loss"])) for c in entries if _is_share(c.get("loss"))]
    if not lost:
        return []
    lost.sort(key=lambda pair: -pair[1])
    words = "By quasi-identifying column (gcp_leaves)."
    if len(lost) > MOST_DRAWN:
        words = f"The {MOST_DRAWN} of {len(lost)} quasi-identifying columns that lost most (gcp_leaves)."
    first = lost[:MOST_DRAWN]
    chart = bars("Detail lost", first, amount="share", name="column", percent=True, description=words)
    return [replace(chart, rows=tuple((name, shown(loss, percent=True)) for name, loss in lost))]


def _column(own: ColumnShown) -> Chart:
    title, bins = own.spec.name, own.bins
    hidden = own.everything if own.spec.role == Role.QUASI_IDENTIFYING else 0
    stars = f" {counted(hidden, 'row')} show nothing (*)." if hidden else ""
    if bins is None:
        words = f"{first_of(own.labels.len(), 'different cell')}, by the rows that show it.{stars}"
        return bars(title, own.first_names(), amount="rows", name="cell", description=words)
    words = f"Rows of the published table.{stars}"
    return histogram(title, binned(bins, own), value=title, amount="rows", description=words, days=bins.days)


def first_of(number: int, thing: str) -> str:
    """How many there are, and how many of them a chart shows.

    >>> first_of(70, "value"), first_of(2, "value")
    ('The 10 most frequent of 70 values', '2 values')
    """
    return (f"The {FIRST_NAMES} most frequent of " if number > FIRST_NAMES else "") + counted(number, thing)


def binned(bins: Bins, own: ColumnShown) -> list[tuple[float, float, float]]:
    """Ends and rows of each bin."""
    rows = [round(float(n), 2) for n in own.spread(bins)]
    return [(low, high, n) for (low, high), n in zip(bins.ends(), rows, strict=True)]


def _auditor(found: AuditReport) -> Section:
    parts: list[object] = [models_table(found)]
    certificate = found.certificate
    if certificate is None:
        return section("auditor", "For the auditor", *parts)
    if not found.digest_matches:
        parts.insert(0, paragraph(verdict(False, "The data is not what its certificate was made for.")))
    else:
        parts.insert(0, paragraph(verdict(True, "The data has the digests that its certificate names.")))
    parts.append(_utility(certificate))
    text = listing(_text(certificate), "certificate")
    parts.append(details("The certificate in full", text, kind="certificate"))
    check = paragraph("Check it again: ", code("voile audit FOLDER -s SPEC"), ".")
    return section("auditor", "For the auditor", *parts, check)


def _text(certificate: Mapping[str, Any]) -> str:
    with contextlib.suppress(RecursionError):
        return json.dumps(certificate, indent=2, ensure_ascii=False)
    return "parts in parts in parts: see the file"


def _utility(certificate: Mapping[str, Any]) -> Markup:
    """What the release keeps, by metric."""
    cards, rows = catalog.metrics(), []
    for key, value in _dict(certificate, "utility").items():
        card = cards.get(key)
        rows.append((key, str(value), card.best if card else "", card.meaning if card else ""))
    return table("What the table keeps", ("metric", "value", "best", "meaning"), rows) if rows else Markup("")


def _foot(found: AuditReport) -> Markup:
    made = _dict(found.certificate or {}, "versions").get("voile")
    version = f"Made by Voile {made}. " if made else ""
    return paragraph(
        version,
        "This page holds what follows from the published table alone. It loads nothing from anywhere.",
    )
