"""`voile models`: the catalog of promises."""

from collections.abc import Iterator
from typing import Any

from voile.cli.catalog_listing import listing


def _cards() -> Iterator[dict[str, Any]]:
    from voile import catalog

    for key, model in catalog.models().items():
        others = [f"{card.name}={card.default}" for card in model.parameters() if card.name != model.bound]
        brackets = f"[{', '.join(others)}]" if others else ""
        yield {
            "model": key,
            "in --require": f"{model.symbol}{brackets}{model.sense}NUMBER",
            "paper": model.paper,
            "meaning": model.meaning,
            "parameters": [f"{card.name} ({card.rule()}): {card.help}" for card in model.parameters()],
        }


command = listing("models", "The catalog of privacy models.", _cards)
