"""`voile algorithms`: the catalog, with adversaries and papers."""

from collections.abc import Iterator
from typing import Any

from voile.cli.catalog_listing import listing


def _cards() -> Iterator[dict[str, Any]]:
    from voile import catalog
    from voile.spark.plans import on_cluster

    models = catalog.models()
    for key, algorithm in catalog.algorithms().items():
        yield {
            "algorithm": key,
            "paper": algorithm.paper,
            "promise": models[algorithm.promise].title,
            "holds against": algorithm.rung.value,
            "cost": algorithm.cost,
            "on a cluster": on_cluster(key),
            "parameters": [f"{card.name} ({card.rule()}): {card.help}" for card in algorithm.parameters()],
        }


command = listing("algorithms", "The catalog of algorithms, with adversaries and papers.", _cards)
