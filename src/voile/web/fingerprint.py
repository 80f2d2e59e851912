"""Whether what was looked at is still what is there: a table and its spec, told from any others."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from voile.errors import InputError


def fingerprint(table: Path, spec: Path) -> str:
    """Of a table, and of a spec file with the hierarchies beside it."""
    paths = (spec, *sorted(spec.parent.glob("hierarchy-*.csv")))
    return fingerprint_with(table, ((path.name, path.read_bytes()) for path in paths))


def fingerprint_with(table: Path, contents: Iterable[tuple[str, bytes]]) -> str:
    """Of what is said of a table all bytes, by name; of the table, which may be large, size and time."""
    found = hashlib.sha256()
    for name, content in contents:
        found.update(f"{name} {len(content)}\n".encode() + content)
    try:
        status = table.stat()
        found.update(f"{status.st_size} {status.st_mtime_ns} {status.st_ino}".encode())
    except OSError:
        found.update(b"not there")
    return found.hexdigest()


def refuse_changed(arguments: Mapping[str, Any], since: str, rule: str, remedy: str) -> None:
    """While the job waited, the steward may have gone back, or the file may have been replaced."""
    if fingerprint(Path(arguments["path"]), Path(arguments["spec"])) != arguments["fingerprint"]:
        raise InputError(
            f"the table or its columns have changed since {since}", where="table", rule=rule, remedy=remedy
        )
