"""Whether what was looked at is still what is there: a table and its spec, told from any others."""

import hashlib
from pathlib import Path


def fingerprint(table: Path, spec: Path) -> str:
    """Of the spec and the hierarchies beside it all bytes; of the table, which may be large, size and time."""
    found = hashlib.sha256()
    for path in (spec, *sorted(spec.parent.glob("hierarchy-*.csv"))):
        content = path.read_bytes()
        found.update(f"{path.name} {len(content)}\n".encode() + content)
    status = table.stat()
    found.update(f"{status.st_size} {status.st_mtime_ns} {status.st_ino}".encode())
    return found.hexdigest()
