"""Pages as files: where they may lie, and that they are there whole or not at all."""

import os
from pathlib import Path

from voile.errors import OutputError, ParameterError
from voile.output.staging import write_whole

PRIVATE = "private"  # the steward's folder in a release


def write_page(text: str, target: Path) -> Path:
    """A page as a new file of mode 0600."""
    refuse_occupied(target)
    return write_whole(text.encode(), target)


def refuse_occupied(target: Path) -> None:
    """Before a long run, not after it."""
    if os.path.lexists(target):
        raise OutputError(
            "is already there",
            where=target.name,
            rule="a file is never overwritten",
            remedy="choose another name",
        )


def refuse_published(target: Path, *folders: Path) -> None:
    """What compares with the source lies in no folder that is handed out: not in these, nor in any other release,
    however the way there is written. Only the private folder of a release may hold it."""
    place = target.resolve()
    releases = {folder.resolve() for folder in folders} | {above for above in place.parents if _is_release(above)}
    for folder in releases:
        if place.is_relative_to(folder) and not place.is_relative_to(folder / PRIVATE):
            raise ParameterError(
                "the steward's own report among what is published",
                where="out",
                rule="what compares with the source is never published",
                remedy="name a file outside of the release, or in its private folder",
            )


def _is_release(folder: Path) -> bool:
    return (folder / "certificate.json").is_file() and any(
        (folder / name).is_file() for name in ("data.csv", "data.parquet")
    )
