"""Releases that are there although the ledger does not know them: it was rolled back, or its copy went on alone.

A certificate of a series names its ledger, its number and the hash of its record; folders beside the ones at hand
are therefore witnesses, too, and they travel differently from the ledger.
"""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from voile.errors import LedgerRefused
from voile.ledger.chain import ABANDONED, ReleaseRecord
from voile.ledger.places import refusing_disk
from voile.ledger.store import Ledger
from voile.ledger.view import LedgerView

_LARGEST = 1 << 24  # bytes of a certificate


def series_of(folder: Path) -> dict[str, Any] | None:
    """What the certificate in a folder says of its series; None if there is none that can be read."""
    path = folder / "certificate.json"
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        series = json.loads(path.read_bytes()).get("series")
    except (OSError, ValueError, AttributeError, RecursionError):
        return None
    return series if isinstance(series, dict) else None


def newer_than(ledger: Ledger | LedgerView, folders: Iterable[str | Path]) -> None:
    """Refuse if a release of this ledger is in or beside these folders that the ledger does not remember."""
    known = ledger.releases()
    for folder in _around(folders):
        series = series_of(folder)
        problem = "" if series is None or series.get("ledger") != ledger.id else contradiction(series, known)
        if problem:
            raise LedgerRefused(
                problem,
                where=f"release folder {folder.name}",
                rule="a ledger must remember every release that is visible",
                remedy=_remedy(series, known),
            )


def _remedy(series: dict[str, Any] | None, known: list[ReleaseRecord]) -> str:
    """The next step about a release that does not fit."""
    same = [release for release in known if series is not None and release.record == series.get("record")]
    if not same:
        return "this ledger is an old or another copy: restore the newest one (docs/ledger.md)"
    if same[0].may_turn_up:
        step = f"put it, unchanged, at {same[0].folder} and run voile ledger recover: it is then published"
        return f"{step}, and can be withdrawn"
    return "remove the folder; if anybody has seen it, never publish its persons again (docs/ledger.md)"


def contradiction(series: dict[str, Any], known: list[ReleaseRecord]) -> str:
    """Why a release of this series does not fit the ledger; "" if it does."""
    number = series.get("release")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        return "its certificate names no release number"
    if number > len(known):
        return f"is release {number}, but the ledger ends at {len(known)}"
    if series.get("record") != known[number - 1].record:
        return f"is a release {number} that the ledger does not know"
    if known[number - 1].state == ABANDONED:
        return f"is release {number}, which was recorded as never published"
    return ""


def _around(folders: Iterable[str | Path]) -> Iterator[Path]:
    """The folders themselves and their neighbours, each once; hidden ones are drafts that nobody saw."""
    seen: set[Path] = set()
    for given in folders:
        folder = Path(given).absolute()
        for one in (folder, *_beside(folder.parent)):
            if one not in seen and not one.name.startswith(".") and os.path.isdir(one):
                seen.add(one)
                yield one


def _beside(parent: Path) -> list[Path]:
    """What lies in a folder; nothing if it is gone, but a refusal if it cannot be looked into."""
    with refusing_disk(f"folder {parent.name}, where releases lie"):
        try:
            return sorted(parent.iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return []
