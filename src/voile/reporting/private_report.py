"""The steward's own report: the public one, and before it what depends on who has what. Never published."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from voile.auditing import AuditReport
from voile.core.boxes import Boxes
from voile.core.table import Table
from voile.errors import counted
from voile.metrics.query_workload import relative_errors
from voile.prices import BEWARE, LOSS, TITLE, price_rows
from voile.reporting.charts import Chart, before_after, histogram, lines
from voile.reporting.columns_shown import ColumnShown
from voile.reporting.findings import findings_table
from voile.reporting.learner import graded_attacks, learner_paragraphs
from voile.reporting.markup import Markup, joined
from voile.reporting.page import Section, code, gallery, page, paragraph, section, table
from voile.reporting.release_report import Drawings, first_of, lead, sections
from voile.reporting.true_columns import before_and_after

SELECTIVITIES = tuple(Fraction(1, part) for part in (100, 50, 20, 10, 5))
QUERIES = 100  # of each selectivity
MOST_ROWS = 50_000  # of a table whose queries are counted unasked: more would keep the steward waiting
PRIVATE = "For the steward alone. This page compares the release with its source: never publish it."


def truth_of(table: Table, boxes: Boxes, always: bool, shown: list[ColumnShown]) -> dict[str, Any]:
    """What the report compares with the source, as numbers for the private record; queries only where `always` or
    where there are few rows."""
    found: dict[str, Any] = {"before_after": before_and_after(table, shown)}
    if boxes.sides and boxes.rows > 0 and (always or boxes.rows <= MOST_ROWS):
        found["query_error"] = [_error(boxes, selectivity) for selectivity in SELECTIVITIES]
    return found


def _error(boxes: Boxes, selectivity: Fraction) -> dict[str, float]:
    errors = relative_errors(boxes, boxes.sides, selectivity, QUERIES, seed=1)
    low, middle, high = np.quantile(errors, [0.25, 0.5, 0.75]).tolist() if errors.size else (0.0, 0.0, 0.0)
    return {
        "selectivity": float(selectivity),
        "queries": int(errors.size),
        "quarter": round(low, 4),
        "median": round(middle, 4),
        "three_quarters": round(high, 4),
    }


def private_drawings(record: Mapping[str, Any]) -> Markup:
    """The charts that compare with the source, from the numbers of a private record."""
    charts = [chart for entry in record.get("before_after", ()) if (chart := _compared(entry)).rows]
    errors = record.get("query_error")
    measured = [error for error in errors if _is_measured(error)] if isinstance(errors, list) else []
    lead = [_query_error(measured)] if any(error["queries"] for error in measured) else []
    return gallery(lead, charts)


def _compared(entry: Mapping[str, Any]) -> Chart:
    name = entry["column"]
    if "bins" not in entry:
        rows = zip(entry["names"], entry["before"], entry["after"], strict=True)
        words = first_of(entry["values"], "value")
        return before_after(name, rows, amount="rows", description=f"{words} of the source.")
    bins = [(low, high, n) for (low, high), n in zip(entry["bins"], entry["before"], strict=True)]
    more: dict[str, Any] = {"after": entry["after"], "days": entry["days"]}
    return histogram(name, bins, value=name, amount="rows", **more)


def _is_measured(error: object) -> bool:
    """Whether an entry of a record, which may have been written by hand, has its numbers."""
    names = ("selectivity", "median", "quarter", "three_quarters", "queries")
    return isinstance(error, dict) and all(_is_number(error.get(name)) for name in names)


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and -(2**53) < value < 2**53  # type: ignore[operator]


def _query_error(errors: list[Mapping[str, float]]) -> Chart:
    places = [(e["selectivity"], e["median"], e["quarter"], e["three_quarters"]) for e in errors if e["queries"]]
    return lines(
        "Error of counts",
        [("median", places)],
        across="share of the table that a question covers",
        upward="relative error",
        percent=(True, True),
        log=True,
        description=f"Of up to {QUERIES} random questions each, about every column: the median, and the half of "
        "all errors around it.",
    )


def private_report(found: AuditReport, drawn: Drawings, record: Mapping[str, Any], charts: Markup) -> str:
    """The page; `charts` are those of `private_drawings`."""
    own = [_compared_section(record, charts), *_attacks(record), *_prices(record), _reading(record)]
    parts = [*own, *sections(found, drawn)]
    top = joined(paragraph(PRIVATE, kind="warning"), lead(found, *learner_paragraphs(record)))
    return page("Report for the steward", parts, lead=top, foot=paragraph(PRIVATE))


def _compared_section(record: Mapping[str, Any], charts: Markup) -> Section:
    notes = []
    if "query_error" not in record:
        notes.append(
            paragraph(
                f"Errors of counts were not measured: of a table of more than {MOST_ROWS:,} rows only when the "
                "release is made with any ",
                code("--measure"),
                ", for example ",
                code("--measure qwe_median"),
                ".",
                kind="note",
            )
        )
    return section(
        "compared", "The release beside its source", _true_values(record), paragraph(_BESIDE), charts, *notes
    )


_BESIDE = (
    "Before is how many rows of the source have a value. After is how many a reader of the release expects there, "
    "who spreads the rows of a range or a broader term evenly."
)


def _true_values(record: Mapping[str, Any]) -> Markup:
    exact = _part(record, "true_values")
    if not exact or exact.get("kept"):
        return Markup("")
    where = f"{counted(exact.get('rows_above', 0), 'row')} in {counted(exact.get('groups_above', 0), 'group')}"
    text = f"On the values before they were generalised the promise is not kept for {where}; the worst group has "
    return paragraph(text, f"{exact.get('achieved')}.", kind="warning")


def _part(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A part of a record; a record that is read from a disk need not make sense."""
    part = record.get(name)
    return part if isinstance(part, dict) else {}


def _attacks(record: Mapping[str, Any]) -> list[Section]:
    graded = graded_attacks(record)
    if not graded:
        return []
    text = "These attacks were graded by the true values: how often a guess was really right."
    return [section("graded", "Attacks, graded by the truth", paragraph(text), findings_table("Graded", graded))]


def _prices(record: Mapping[str, Any]) -> list[Section]:
    """What other promises would cost, where that was asked for."""
    lines = record.get("prices")
    found = [each for each in lines if isinstance(each, dict)] if isinstance(lines, list) else []
    if not found:
        return []
    header, rows = price_rows(found)
    shown = table(f"Detail lost ({LOSS})", header, rows)
    return [section("prices", TITLE, paragraph(BEWARE, kind="warning"), shown)]


def _figure(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _reading(record: Mapping[str, Any]) -> Section:
    rows: list[tuple[str, object]] = []
    if "rows_read" in record:
        rows.append(("rows read", record["rows_read"]))
        rows.append(("rows dropped for missing values", record.get("rows_dropped_as_missing")))
    rows += [(f"spellings merged in {name}", n) for name, n in _part(record, "merged_spellings").items()]
    rows += [(f"persons of the series: {name}", n) for name, n in _part(record, "series").items()]
    rows += [(f"measured: {name}", _figure(value)) for name, value in _part(record, "measured").items()]
    if "input_hmac_sha256" in record:
        rows.append(("keyed digest of the source (the key is in private/input.key)", record["input_hmac_sha256"]))
    return section("run", "The run", joined(table("What was read and measured", ("what", "value"), rows)))
