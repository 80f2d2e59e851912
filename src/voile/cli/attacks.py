"""`voile attacks`: the catalog of attacks that need no knowledge of the algorithm."""

from collections.abc import Iterator
from typing import Any

from voile.cli.catalog_listing import listing


def _cards() -> Iterator[dict[str, Any]]:
    from voile import catalog

    for key, attack in catalog.attacks().items():
        needs = "everybody's quasi-identifiers" if attack.graded else "the release alone"
        if attack.releases > 1:
            needs = f"{attack.releases} releases or more, and who is in them"
        yield {
            "attack": key,
            "paper": attack.paper,
            "meaning": attack.meaning,
            "needs": needs,
            "passes": attack.passes,
            "parameters": [f"{card.name} ({card.rule()}): {card.help}" for card in attack.parameters()],
        }


command = listing("attacks", "The catalog of attacks that need no knowledge of the algorithm.", _cards)
