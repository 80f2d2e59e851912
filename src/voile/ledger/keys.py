"""The key file: what makes pseudonyms of persons, in a place of its own.

Text: a format line, the ledger's id, then the keys as hex, oldest first. A ledger of generation g uses the first
g keys, one over the other (store.Ledger.rotate); a key beyond them waits for a rotation that was interrupted.
"""

import hashlib
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from voile.errors import LedgerRefused
from voile.ledger.places import refuse_file, replace_file

_FORMAT = "voile ledger key 1"
KEY_BYTES = 32


def default_key(ledger_id: str) -> Path:
    """Where the key of a ledger lies unless said otherwise."""
    chosen = os.environ.get("VOILE_KEYS")
    if chosen:
        return Path(chosen) / f"{ledger_id}.key"
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return Path(config) / "voile" / "keys" / f"{ledger_id}.key"


def check_value(keys: Sequence[bytes]) -> str:
    """What a ledger keeps to recognise its keys: it tells nothing about them.

    >>> check_value([bytes(32)]) == check_value([bytes(31) + b"1"])
    False
    """
    value = b""
    for key in keys:
        value = hashlib.blake2b(value, digest_size=16, key=key, person=b"voile key check").digest()
    return value.hex()


@dataclass(frozen=True, repr=False)
class KeyFile:
    """The keys of one ledger; never shown."""

    path: Path
    ledger: str
    keys: tuple[bytes, ...]

    def __repr__(self) -> str:
        return f"KeyFile({len(self.keys)} generations)"

    @classmethod
    def new(cls, path: Path, ledger: str) -> "KeyFile":
        """A fresh key, not yet written."""
        return cls(path, ledger, (secrets.token_bytes(KEY_BYTES),))

    @classmethod
    def read(cls, path: Path, ledger: str) -> "KeyFile":
        """The key file of this ledger, or a refusal: without it everybody would seem new."""
        where = f"key {path}"
        remedy = (
            "restore it (voile ledger key --restore FILE) or name it with --key; without it the series has ended"
        )
        if not path.exists() and not path.is_symlink():
            raise LedgerRefused("does not exist", where=where, remedy=remedy)
        refuse_file(path, where, writing=False)
        lines = path.read_bytes().decode("ascii", errors="replace").splitlines()
        keys = tuple(key for line in lines[2:] if (key := _key_of(line)))
        if lines[:1] != [_FORMAT] or len(keys) != len(lines) - 2 or not keys:
            raise LedgerRefused("is not a key file, or is damaged", where=where, remedy=remedy)
        if lines[1] != ledger:
            raise LedgerRefused("belongs to another ledger", where=where, remedy=remedy)
        return cls(path, ledger, keys)

    def with_another(self) -> "KeyFile":
        """The same and a fresh key behind the others."""
        return KeyFile(self.path, self.ledger, (*self.keys, secrets.token_bytes(KEY_BYTES)))

    def write(self) -> None:
        """Replace the file, durably; its folder is made for its owner alone."""
        missing = [p for p in (self.path.parent, *self.path.parent.parents) if not p.exists()]
        for folder in reversed(missing):
            folder.mkdir(mode=0o700, exist_ok=True)
        text = "\n".join([_FORMAT, self.ledger, *(key.hex() for key in self.keys)]) + "\n"
        replace_file(self.path, text.encode())


def _key_of(line: str) -> bytes:
    try:
        key = bytes.fromhex(line)
    except ValueError:
        return b""
    return key if len(key) == KEY_BYTES and key.hex() == line else b""
