"""Read a table as its spec declares it, and say what its sensitive columns allow: the picture beside l."""

from typing import Any

import numpy as np

from voile import catalog
from voile.asked import IN_SERIES
from voile.core.eligibility import fewest_suppressed, largest_l
from voile.core.order import distinct_values
from voile.core.table import Column, Table
from voile.inspection.relations import warnings_of
from voile.intake.table_reader import IntakeRecord
from voile.pipeline import read
from voile.rendering.labels import value_labels
from voile.web.child import Report

MOST_BARS = 24
MOST_L = 10


def run(arguments: dict[str, Any], report: Report) -> dict[str, Any]:
    """Counts, and labels only where the steward asked to see values."""
    report("reading", 0)
    table = read(arguments["path"], arguments["spec"])
    report("counting", 0)
    marks = {name: np.bincount(codes) for name, codes in table.marks().items()}
    intake = table.intake
    dropped = intake.rows_dropped if isinstance(intake, IntakeRecord) else 0
    merged = intake.merged_spellings if isinstance(intake, IntakeRecord) else {}
    return {
        "rows": table.n,
        "dropped": dropped,
        "merged": dict(merged),
        "persons": None if table.persons is None else int(table.persons.max()) + 1,
        "largest_l": min(largest_l(sizes) for sizes in marks.values()),
        "columns": [_column(column, bool(arguments.get("show_values"))) for column in table.sensitive],
        "warnings": list(warnings_of(table)),
        "quasi": [column.name for column in table.quasi],
        "kept": [column.name for column in table.kept],
        "only_release": _only_release(table),
        "algorithms": algorithm_cards(),
    }


def algorithm_cards() -> list[dict[str, Any]]:
    """The catalog, for those who name an algorithm: all that make one release."""
    cards = []
    for key, card in catalog.algorithms().items():
        if key != IN_SERIES:
            given = [
                {
                    "name": p.name,
                    "help": p.help,
                    "rule": p.rule(),
                    "choices": list(p.choices),
                    "default": _plain(p.default),
                }
                for p in card.parameters()
            ]
            told = {"key": key, "title": card.title, "meaning": card.meaning, "holds": card.rung.value}
            cards.append({**told, "parameters": given})
    return cards


def _plain(value: object) -> str | None:
    return None if value is None else str(value)


def _only_release(table: Table) -> bool:
    """As in inspection: so many rows or columns cannot be kept apart from who knows the algorithm."""
    return table.persons is not None or len(table.sensitive) > 2


def _column(column: Column, show_values: bool) -> dict[str, Any]:
    values, index = distinct_values(column.codes)
    sizes = np.bincount(index)
    order = np.argsort(-sizes, kind="stable")
    shown = order[:MOST_BARS]
    labels = value_labels(column, values[shown]).cast(str).to_list() if show_values else []
    best = largest_l(sizes)
    return {
        "name": column.name,
        "values": int(values.size),
        "counts": sizes[shown].tolist(),
        "others": int(sizes[order[MOST_BARS:]].sum()),
        "labels": labels,
        "largest_l": best,
        "suppress_for": {
            ell: int(fewest_suppressed(sizes, ell)) for ell in range(best + 1, min(values.size, MOST_L) + 1)
        },
    }
