"""`voile metrics`: the catalog of measures."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from voile.cli.catalog_listing import listing

if TYPE_CHECKING:
    from voile.core.metric import Metric


def _shown(metric: "type[Metric]") -> str:
    if metric.private:
        return "private: to the steward, with --measure"
    return "in the certificate" if metric.in_every_certificate() else "to the steward, with --measure"


def _cards() -> Iterator[dict[str, Any]]:
    from voile import catalog

    for key, metric in catalog.metrics().items():
        yield {
            "metric": key,
            "best": metric.best,
            "range": metric.range,
            "paper": metric.paper,
            "meaning": metric.meaning,
            "shown": _shown(metric),
            "parameters": [f"{card.name} ({card.rule()}): {card.help}" for card in metric.parameters()],
        }


command = listing("metrics", "The catalog of utility metrics.", _cards)
