"""`voile models`: the catalog of promises."""

from collections.abc import Iterator
from typing import Any

from voile.cli.catalog_listing import listing


def _cards() -> Iterator[dict[str, Any]]:
    from voile import catalog

    for key, model in catalog.models().items():
        yield {"model": key, "in --require": model.symbol, "paper": model.paper, "meaning": model.meaning}


command = listing("models", "The catalog of privacy models.", _cards)
