"""`voile metrics`: the catalog of measures."""

from collections.abc import Iterator
from typing import Any

from voile.cli.catalog_listing import listing


def _cards() -> Iterator[dict[str, Any]]:
    from voile import catalog

    for key, metric in catalog.metrics().items():
        yield {
            "metric": key,
            "best": metric.best,
            "range": metric.range,
            "paper": metric.paper,
            "meaning": metric.meaning,
            "shown": "private: to the steward, with --measure" if metric.private else "in the certificate",
            "parameters": [f"{card.name} ({card.rule()}): {card.help}" for card in metric.parameters()],
        }


command = listing("metrics", "The catalog of utility metrics.", _cards)
