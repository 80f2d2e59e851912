"""Metrics that a steward asks for by name: "qwe_mean, qwe_median[theta=0.05]"."""

import re

from voile import catalog
from voile.core.boxes import Boxes
from voile.core.metric import Metric
from voile.errors import ParameterError

_BETWEEN = re.compile(r",(?![^\[]*\])")
_MEASURE = re.compile(r"([a-z0-9_]+)\s*(?:\[([^\[\]]*)\])?")


def parse_measures(text: str) -> dict[str, Metric]:
    """Metrics by the words that asked for them.

    >>> parse_measures("qwe_median[theta=0.05, queries=100], dm")["qwe_median[theta=0.05, queries=100]"].theta
    Fraction(1, 20)
    """
    return {part: _metric(part) for part in filter(None, map(str.strip, _BETWEEN.split(text)))}


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
