"""Metrics that a steward asks for by name: "qwe_mean, qwe_median[theta=0.05]"."""

import re
from collections.abc import Mapping

from voile import catalog
from voile.core.boxes import Boxes
from voile.core.metric import Metric
from voile.core.table import Table
from voile.errors import ParameterError
from voile.metrics.classification import chosen_target
from voile.metrics.query_workload import chosen_names

_BETWEEN = re.compile(r",(?![^\[]*\])")
_MEASURE = re.compile(r"([a-z0-9_]+)\s*(?:\[([^\[\]]*)\])?")


def parse_measures(text: str, table: Table | None = None) -> dict[str, Metric]:
    """Metrics by the words that asked for them; columns they name must be the table's.

    >>> parse_measures("qwe_median[theta=0.05, queries=100], dm")["qwe_median[theta=0.05, queries=100]"].theta
    Fraction(1, 20)
    """
    metrics = {part: _metric(part) for part in filter(None, map(str.strip, _BETWEEN.split(text)))}
    for metric in metrics.values():
        if table is not None and hasattr(metric, "on"):
            chosen_names([column.name for column in table.quasi], metric.on)
        if table is not None and hasattr(metric, "target"):
            chosen_target([column.name for column in table.sensitive], metric.target)
    return metrics


def _metric(text: str) -> Metric:
    known = catalog.metrics()
    match = _MEASURE.fullmatch(text)
    if match is None or match.group(1) not in known:
        raise ParameterError(
            "not a metric",
            where="measure",
            rule=f"some of {', '.join(known)}, each with its parameters in brackets",
            remedy='for example "qwe_mean, qwe_median[theta=0.05]"',
        )
    given: dict[str, object] = {}
    for pair in filter(None, map(str.strip, (match.group(2) or "").split(","))):
        name, equals, value = (word.strip() for word in pair.partition("="))
        if not equals or name in given:
            raise ParameterError(
                "not parameters",
                where=f"measure {match.group(1)}",
                rule="NAME=VALUE in brackets, separated by commas, each name once",
                remedy="for example [theta=0.05, on=age+sex]",
            )
        given[name] = value
    return known[match.group(1)].configure(given)


def measured(metrics: dict[str, Metric], boxes: Boxes) -> dict[str, float]:
    """The figures, for the private record."""
    return {words: float(metric.measure(boxes)) for words, metric in metrics.items()}


def public_and_private(figures: Mapping[str, float]) -> tuple[dict[str, float], dict[str, float]]:
    """Measured figures apart: those that may be published, and those that never may.

    >>> public_and_private({"dm": 12.0, "qwe_mean[on=age]": 0.5})
    ({'dm': 12.0}, {'qwe_mean[on=age]': 0.5})
    """
    private = {words: value for words, value in figures.items() if _metric(words).private}
    return {words: value for words, value in figures.items() if words not in private}, private
