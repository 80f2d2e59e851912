"""The certificate: promise, adversary, checks, utility, versions. Only what may be public.

Everything in it is a function of the grouping, the bags and the quasi-identifiers (design
section 5). What depends on who has what goes to the private record.
"""

import datetime
import platform
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

import voile
from voile.core.algorithm import Algorithm
from voile.core.axis import Axis
from voile.core.boxes import Boxes
from voile.core.hierarchy import Hierarchy
from voile.core.metric import Metric
from voile.core.privacy_model import PrivacyModel
from voile.core.schema import Role, Schema
from voile.core.table import Column, Table
from voile.core.verdict import Verdict

FORMAT = 1


def certificate(
    table: Table,
    boxes: Boxes,
    algorithm: Algorithm,
    promise: PrivacyModel,
    checks: Mapping[str, Verdict],
    metrics: Mapping[str, type[Metric]],
) -> dict[str, Any]:
    """Everything but the digests, which exist once the data is written."""
    return {
        "certificate": FORMAT,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "promise": {
            "model": promise.key,
            "title": promise.title,
            "parameters": promise.settings(),
            "meaning": promise.meaning,
        },
        "adversary": {
            "rung": algorithm.rung.value,
            "holds_against": algorithm.rung.meaning,
            "not_promised": _not_promised(algorithm, table),
        },
        "algorithm": {"key": algorithm.key, "paper": algorithm.paper, "parameters": algorithm.settings()},
        "table": {
            "rows": int(boxes.sizes.sum()),
            "groups": int(boxes.sizes.size),
            "suppressed": boxes.suppressed,
            "columns": [
                _published(column, table.schema) | _loss(column, boxes, metrics["gcp_leaves"])
                for column in table.columns
                if column.role != Role.SUBJECT
            ],
        },
        "checks": {key: verdict.shown() for key, verdict in checks.items()},
        "utility": {
            key: round(float(metric().measure(boxes)), 6) for key, metric in metrics.items() if not metric.private
        },
        "versions": {
            "voile": voile.__version__,
            "python": platform.python_version(),
            "polars": pl.__version__,
            "numpy": np.__version__,
        },
    }


def _not_promised(algorithm: Algorithm, table: Table) -> list[str]:
    limits = ["these persons published again, in another release, without a ledger"]
    if table.persons is not None:
        limits.insert(0, "a reader who knows which rows are one person's, where those share a sensitive value")
    if len(table.sensitive) > 1:
        limits.insert(0, "a reader who already knows one of a person's sensitive values")
    if algorithm.rung.value == "release":
        limits.insert(0, "a reader who knows the algorithm and reasons about why it made these groups")
    return limits


def _loss(column: Column, boxes: Boxes, metric: type[Metric]) -> dict[str, float]:
    """What a quasi-identifying column alone has lost: the whole may hide that one is all stars."""
    own = tuple(side for side in boxes.sides if side.column is column)
    return {"loss": round(float(metric().measure(replace(boxes, sides=own))), 6)} if own else {}


def _published(column: Column, schema: Schema | None) -> dict[str, str | int]:
    """How a column is shown, and what a reader needs to read it: its type, and of a generalised category
    how many values it has (a function of the quasi-identifiers alone)."""
    if column.role != Role.QUASI_IDENTIFYING:
        form = "as it is"
    elif isinstance(column.domain, Axis):
        form = "value or [low, high]"
    elif column.domain.is_flat:
        form = "value, {set} or *"
    else:
        form = "node of its hierarchy"
    types = {spec.name: spec.type.value for spec in schema or ()}
    shown: dict[str, str | int] = {"name": column.name, "role": column.role.value, "published": form}
    if column.name in types:
        shown["type"] = types[column.name]
    if column.role == Role.QUASI_IDENTIFYING and isinstance(column.domain, Hierarchy):
        shown["values"] = column.domain.leaves
    return shown
