"""The witness: a note beside the key of how far the ledger had come, so that an old copy is recognised.

A hash chain alone does not see that its end is missing. The witness does, as long as it does not travel with the
ledger: restoring yesterday's ledger leaves today's witness in place.
"""

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from voile.errors import LedgerRefused
from voile.ledger.places import refuse_file, refusing_disk, replace_file

_FORMAT = "voile ledger witness 1"
_SUFFIX = ".witness"


def witness_of(key: Path) -> Path:
    """The witness lies beside the key.

    >>> witness_of(Path("safe/clinic.key")).name
    'clinic.witness'
    """
    if not key.name or key.suffix.lower() == _SUFFIX:  # it would replace the key
        raise LedgerRefused(
            "has the name of a witness, or none",
            where=f"key {key}",
            rule="a key and the witness beside it are two files",
            remedy="give the key another name, such as clinic.key",
        )
    return key.with_suffix(_SUFFIX)


@dataclass(frozen=True)
class Witness:
    """The last record seen, and the seal (home.py): of a file the digest of its closed bytes, None while a session
    writes; of a server which database it is."""

    ledger: str
    number: int
    head: str
    sha256: str | None

    @classmethod
    def read(cls, path: Path, ledger: str) -> "Witness | None":
        """The witness of this ledger; None where there is none."""
        where = f"witness {path}"
        with refusing_disk(where):
            if not path.exists() and not path.is_symlink():
                return None
            refuse_file(path, where)
            text = path.read_bytes()
        try:
            content = json.loads(text)
            sound = content.pop("format") == _FORMAT and content["ledger"] == ledger
            witness = cls(**content) if sound else None
            sound = witness is not None and isinstance(witness.number, int) and isinstance(witness.head, str)
        except (ValueError, TypeError, KeyError, AttributeError):
            witness, sound = None, False
        if witness is None or not sound:
            raise LedgerRefused(
                "is damaged or belongs to another ledger",
                where=where,
                remedy="if you are sure that this ledger is the newest, remove the witness and run "
                "voile ledger recover LEDGER --attest-current (docs/ledger.md)",
            )
        return witness

    def write(self, path: Path) -> None:
        """Replace the witness, durably."""
        replace_file(path, (json.dumps({"format": _FORMAT, **asdict(self)}, indent=1) + "\n").encode())

    def saw(self, number: int, head: str, sha256: str | None) -> "Witness":
        """After one more record, with the ledger still open."""
        return replace(self, number=number, head=head, sha256=sha256)
