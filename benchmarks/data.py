"""Where the real tables are. docs/testing.md says where they come from.

The folder VOILE_DATA, if it is set, and no other; else the cache that `make data` fills, then ../shared/data.
"""

import os
from pathlib import Path


def cache() -> Path:
    """The folder that `make data` fills."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "voile" / "data"


def folders() -> list[Path]:
    """Where a file is looked for, one after the other."""
    if given := os.environ.get("VOILE_DATA"):
        return [Path(given)]
    return [cache(), Path(__file__).parents[2] / "shared" / "data"]


def path(name: str) -> Path:
    """Of a file such as adult/adult.data: where it is, or where it would be looked for first."""
    places = [folder / name for folder in folders()]
    return next((place for place in places if place.is_file()), places[0])


def is_there(*names: str) -> bool:
    """Whether all of these files are."""
    return all(path(name).is_file() for name in names)
