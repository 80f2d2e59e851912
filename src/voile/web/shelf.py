"""The folder of `voile serve`: tables to pick, ledgers, releases. Names come from looking, not from a request."""

import os
import re
import secrets
import stat
import tempfile
import time
from pathlib import Path

from voile.errors import InputError

TABLES = (".csv", ".tsv", ".txt", ".data", ".parquet")
LEDGER = ".ledger"
PRIVATE = ".voile-serve-"  # folders of sessions
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,39}")


class Shelf:
    """What lies in a folder, and where new things go."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self._promised: set[Path] = set()  # to releases that are still to be made

    def tables(self) -> dict[str, Path]:
        """Tables by name; links lead elsewhere and are left out."""
        return {p.name: p for p in self._files(self.folder) if p.suffix.lower() in TABLES}

    def ledgers(self) -> dict[str, Path]:
        """Ledgers in the folder and in its folders, by their path from here."""
        places = [self.folder, *self._folders()]
        found = [p for place in places for p in self._files(place) if p.suffix == LEDGER]
        return {p.relative_to(self.folder).as_posix(): p for p in sorted(found)}

    def releases(self) -> dict[str, Path]:
        """Folders that hold a release, by their path from here; the newest first."""
        places = [place for folder in self._folders() for place in (folder, *self._folders(folder))]
        found = [place for place in places if (place / "certificate.json").is_file()]
        found.sort(key=lambda place: place.stat().st_mtime, reverse=True)
        return {place.relative_to(self.folder).as_posix(): place for place in found}

    def new_release(self) -> Path:
        """A folder for a release that does not exist yet, named by the day."""
        day = time.strftime("%Y-%m-%d")
        for turn in range(1, 10_000):
            place = self.folder / f"release-{day}-{turn}"
            if place not in self._promised and not os.path.lexists(place):
                self._promised.add(place)
                return place
        return self.folder / f"release-{day}-{secrets.token_hex(4)}"

    def new_series(self, name: str) -> Path:
        """Where the ledger of a new series will lie: in a folder of its own, which does not exist yet."""
        if not _NAME.fullmatch(name):
            raise InputError(
                "is not a name for a series",
                where="name",
                rule="letters a to z, digits and hyphens, at most 40, beginning with a letter or digit",
                remedy="for example clinic-2026",
            )
        place = self.folder / name
        if os.path.lexists(place):
            raise InputError(
                "there is a folder of this name already", where="name", remedy="choose another name for the series"
            )
        return place / f"{name}{LEDGER}"

    def private(self) -> Path:
        """A new folder for what sessions upload: mode 0700, gone when the server stops."""
        return Path(tempfile.mkdtemp(prefix=PRIVATE, dir=self.folder))

    def _folders(self, folder: Path | None = None) -> list[Path]:
        found = []
        for entry in _entries(folder or self.folder):
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                found.append(Path(entry.path))
        return sorted(found)

    def _files(self, folder: Path) -> list[Path]:
        found = []
        for entry in _entries(folder):
            regular = stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode)
            if regular and not entry.name.startswith(".") and entry.name.isprintable():
                found.append(Path(entry.path))
        return sorted(found)


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
