"""Who was in the last release of a series: the pseudonyms alone, in a private note beside the ledger.

The ledger itself must remember everybody for ever, and does not need to know who was there last; the steward
wants to see who returns. So this is a note, not a part of the ledger: nothing that is published depends on it. It
is replaced by every release, names the record it belongs to, and where it is absent, damaged or of another release
nobody knows. A rotated key must leave no pseudonyms of the old one behind, and an erased person no trace of the
last release: both remove it.
"""

import hashlib
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from voile.kernels.pair_order import ascending_pairs
from voile.kernels.sorted_match import sorted_match
from voile.ledger.pseudonyms import People, read_only

_FORMAT = "voile members 1"


def members_file(ledger: Path) -> Path:
    """Where the note of a ledger lies that is a file."""
    return ledger.with_name(ledger.name + ".members")


def members_note(record: str, people: People) -> bytes:
    """The note: these persons are in the release of this record. Sorted by pseudonym, which tells nothing."""
    content = np.ascontiguousarray(ascending_pairs(read_only(people))[0]).astype("<u8").tobytes()
    head = {"format": _FORMAT, "record": record, "sha256": hashlib.sha256(content).hexdigest()}
    return json.dumps(head).encode() + b"\n" + content


def noted_members(note: bytes | None, record: str) -> People | None:
    """The persons of the release of this record, ascending; None if that is not known."""
    try:
        line, _, content = (note or b"").partition(b"\n")
        head = json.loads(line)
        whole = head["sha256"] == hashlib.sha256(content).hexdigest()
        if not whole or head["format"] != _FORMAT or head["record"] != record:
            return None
        return np.frombuffer(content, "<u8").reshape(-1, 2)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def are_among(people: People, noted: People) -> NDArray[np.bool_]:
    """Whether each person is among those of a note."""
    asked, origin = ascending_pairs(read_only(people))
    found = np.empty(len(people), bool)
    found[origin] = sorted_match(read_only(asked), read_only(noted)) >= 0
    return found
