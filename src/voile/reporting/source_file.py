"""Whether a source is the table that a release was made of: before and after of two tables would mean nothing."""

import contextlib
import hashlib
import hmac
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voile.errors import InputError

KEY, DIGEST = "input.key", "input_hmac_sha256"


def refuse_other_source(source: Any, record: Mapping[str, Any], private: Path) -> None:
    """Compare a file with the keyed digest that the steward's folder has of the source. A data frame has no bytes
    to compare, and without record or key nothing is known."""
    told, key = record.get(DIGEST), private / KEY
    if not isinstance(source, str | os.PathLike) or not isinstance(told, str) or not key.is_file():
        return
    path, secret = Path(source), _key(key)
    if not path.is_file() or not os.access(path, os.R_OK):  # reading it says so
        return
    found = hmac.new(secret, path.read_bytes(), hashlib.sha256).hexdigest()
    if not hmac.compare_digest(found.encode(), told.encode("utf-8", "replace")):
        raise InputError(
            "not the table that the release was made of",
            where=f"source {path.name}",
            rule=f"the digest in {private.name}/record.json",
            remedy="name that very file; a copy that another program saved anew has other bytes",
        )


def _key(path: Path) -> bytes:
    with contextlib.suppress(OSError, ValueError):
        return bytes.fromhex(path.read_text(encoding="ascii"))
    raise InputError(
        "cannot be read as a key",
        where=f"{path.parent.name}/{path.name}",
        rule="it tells whether the source is the right one",
        remedy="restore it; without the file the source is not checked",
    )
