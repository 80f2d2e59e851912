"""The certificate: promise, adversary, checks, utility, versions. Only what may be public.

Everything in it is a function of the grouping, the bags and the quasi-identifiers
(docs/architecture.md). What depends on who has what goes to the private record.
"""

import datetime
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

import voile
from voile.core.algorithm import Algorithm, Rung
from voile.core.axis import Axis
from voile.core.bags import Bags
from voile.core.base_values import NODES, BaseValues
from voile.core.boxes import Boxes
from voile.core.hierarchy import Hierarchy
from voile.core.metric import Metric
from voile.core.order import distinct_values
from voile.core.privacy_model import PrivacyModel
from voile.core.schema import AS_IT_IS, TWO_TABLES, Role, Schema
from voile.core.table import Column, Table
from voile.core.verdict import Verdict

FORMAT = 1
SECRET_DRAWS = "from the operating system, not stored"  # nobody can repeat them
LEARNT = "a reader who learns from all groups which values go with which quasi-identifiers (deFinetti attack)"


@dataclass(frozen=True)
class Claim:
    """What is promised, by which algorithm, and whether its draws are secret."""

    algorithm: Algorithm
    promise: PrivacyModel
    also: Sequence[PrivacyModel] = ()
    secret: bool = True
    series: bool = False  # the ledger knows every other release of these persons
    weakened: bool = False  # by kept columns, or by how an earlier release of the series was made
    asked: Mapping[str, str] | None = None  # against whom a promise was asked for, and why this algorithm

    @property
    def rung(self) -> Rung:
        """Draws from a seed protect from nobody who thinks about the algorithm."""
        return self.algorithm.holds_against() if self.secret and not self.weakened else Rung.RELEASE

    def rung_of(self, further: PrivacyModel) -> Rung:
        """Merging until bags look right tells why they do: what depends on values holds for the release alone."""
        return self.rung if further.sizes_only else Rung.RELEASE


def certificate(
    table: Table,
    boxes: Boxes,
    claim: Claim,
    bags: Bags,
    checks: Mapping[str, Verdict],
    metrics: Mapping[str, type[Metric]],
) -> dict[str, Any]:
    """Everything but the digests, which exist once the data is written."""
    algorithm, counterfeits = claim.algorithm, int(boxes.counterfeit_group.size)
    return {
        "certificate": FORMAT,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "promise": _promise(claim.promise) | claim.promise.details(bags),
        **({} if claim.asked is None else {"asked": dict(claim.asked)}),
        "also": [_promise(model) | {"rung": claim.rung_of(model).value} for model in claim.also],
        "adversary": {
            "rung": claim.rung.value,
            "holds_against": claim.rung.meaning_in_series if claim.series else claim.rung.meaning,
            "not_promised": _not_promised(claim, table),
        },
        "algorithm": {"key": algorithm.key, "paper": algorithm.paper, "parameters": algorithm.settings()},
        "randomness": _randomness(claim),
        "table": {
            "rows": int(boxes.sizes.sum()) + counterfeits,
            **({"counterfeits": counterfeits} if algorithm.counterfeits else {}),
            "groups": int(boxes.sizes.size),
            **({"published": TWO_TABLES} if boxes.separate else {}),
            "suppressed": boxes.suppressed,
            "columns": [
                _published(column, table.schema, boxes.separate)
                | _loss(column, boxes, metrics["gcp_leaves"])
                | _generalised(column, boxes, algorithm)
                for column in table.columns
                if column.role != Role.SUBJECT
            ],
        },
        "checks": {key: verdict.shown() for key, verdict in checks.items()},
        "utility": {
            key: round(float(metric().measure(boxes)), 6)
            for key, metric in metrics.items()
            if metric.in_every_certificate()
        },
        "versions": {
            "voile": voile.__version__,
            "python": platform.python_version(),
            "polars": pl.__version__,
            "numpy": np.__version__,
        },
    }


def _promise(model: PrivacyModel) -> dict[str, Any]:
    return {"model": model.key, "title": model.title, "parameters": model.settings(), "meaning": model.meaning}


def _randomness(claim: Claim) -> str:
    if claim.algorithm.deterministic:
        return "none"
    return SECRET_DRAWS if claim.secret else "from a seed, for tests only"


def _not_promised(claim: Claim, table: Table) -> list[str]:
    limits = [
        "these persons published again, in another release, without "
        + ("this" if claim.series else "a")
        + " ledger"
    ]
    if not claim.algorithm.deterministic and not claim.series:
        limits.insert(0, "this table published a second time: two draws together can tell everything")
    if not claim.secret:
        limits.insert(0, "anything against a reader who learns or guesses the seed: the draws can be repeated")
    if table.persons is not None:
        limits.insert(0, "a reader who knows which rows are one person's, where those share a sensitive value")
        limits.insert(0, "that a person has a value in any of several rows: the promise is for each row")
    limits[:0] = claim.algorithm.limits(claim.series)
    if LEARNT not in limits:
        limits.append(LEARNT)
    if any(claim.rung_of(model) != claim.rung for model in claim.also):
        limits.insert(0, "the further promises about values, against a reader who knows the algorithm")
    if len(table.sensitive) > 1:
        limits.insert(0, "a reader who already knows one of a person's sensitive values")
    if claim.rung == Rung.RELEASE:
        limits.insert(0, "a reader who knows the algorithm and reasons about why it made these groups")
    return limits


def _loss(column: Column, boxes: Boxes, metric: type[Metric]) -> dict[str, float]:
    """What a quasi-identifying column alone has lost: the whole may hide that one is all stars."""
    own = tuple(side for side in boxes.sides if side.column is column)
    return {"loss": round(float(metric().measure(replace(boxes, sides=own))), 6)} if own else {}


def _generalised(column: Column, boxes: Boxes, algorithm: Algorithm) -> dict[str, Any]:
    """What a reader needs to know of a sensitive column that is published as nodes: the values that there can be,
    depth first, and how likely each was held to be beforehand. That a value occurs at all is not protected. All is
    a function of what is published: how values were mapped to nodes would tell what is behind them."""
    if column.role != Role.SENSITIVE or boxes.node.size == 0:
        return {}
    values, shown = BaseValues(column.tree(), boxes.weight), boxes.node[boxes.group >= 0]
    return {
        "published": NODES,
        "base_values": [values.tree.labels[leaf] for leaf in values.possible.tolist()],
        "weights": values.weight[values.possible].tolist(),
        "generalised_rows": values.generalised(shown),
        "nodes": int(distinct_values(shown)[0].size),
        "one_cut": algorithm.one_cut,
    }


def _published(column: Column, schema: Schema | None, separate: bool) -> dict[str, str | int]:
    """How a column is shown, and what a reader needs to read it: its type, and of a generalised category
    how many values it has (a function of the quasi-identifiers alone)."""
    if separate and column.role == Role.SENSITIVE:
        form = "counts by group, in a table of its own"
    elif separate or column.role != Role.QUASI_IDENTIFYING:
        form = AS_IT_IS
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
