"""The key file: what makes pseudonyms of persons, in a place of its own.

Text: a format line, the ledger's id, then the keys as hex, oldest first. A ledger of generation g uses the first
g keys, one over the other (store.Ledger.rotate); a key beyond them was left by a rotation that was interrupted,
and is never used: it may have been copied.
"""

import hashlib
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from voile.errors import LedgerRefused
from voile.ledger.database import refusing
from voile.ledger.places import refuse_file, replace_file, sync_folder

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
    def read(cls, path: Path, ledger: str, *, private: bool = True) -> "KeyFile":
        """The key file of this ledger, or a refusal: without it everybody would seem new. It need not be `private`
        where modes mean nothing, as on most sticks."""
        where = f"key {path}"
        remedy = (
            "restore it (voile ledger key --restore FILE) or name it with --key; without it the series has ended"
        )
        with refusing(where):
            missing = not path.exists() and not path.is_symlink()
        if missing:
            raise LedgerRefused("does not exist", where=where, remedy=remedy)
        refuse_file(path, where, writing=False, private=private)
        with refusing(where):
            lines = path.read_bytes().decode("ascii", errors="replace").splitlines()
        keys = tuple(key for line in lines[2:] if (key := _key_of(line)))
        if lines[:1] != [_FORMAT] or len(keys) != len(lines) - 2 or not keys:
            raise LedgerRefused("is not a key file, or is damaged", where=where, remedy=remedy)
        if lines[1] != ledger:
            raise LedgerRefused("belongs to another ledger", where=where, remedy=remedy)
        return cls(path, ledger, keys)

    def refuse_other(self, generation: int, check: str) -> None:
        """Refuse keys that do not make the pseudonyms of a ledger with this check value."""
        if len(self.keys) < generation or check_value(self.keys[:generation]) != check:
            raise LedgerRefused(
                "is not the key of this ledger as it is now",
                where=f"key {self.path}",
                rule="with another key everybody would seem new",
                remedy="restore the newest backup of the key: voile ledger key LEDGER --restore FILE",
            )

    def with_another(self, generation: int) -> "KeyFile":
        """The keys a ledger of this generation uses, and a fresh one behind them."""
        return replace(self, keys=(*self.keys[:generation], secrets.token_bytes(KEY_BYTES)))

    def write(self) -> None:
        """Replace the file, durably; its folder is made for its owner alone."""
        missing = [p for p in (self.path.parent, *self.path.parent.parents) if not p.exists()]
        for folder in reversed(missing):
            folder.mkdir(mode=0o700, exist_ok=True)
            sync_folder(folder.parent)
        text = "\n".join([_FORMAT, self.ledger, *(key.hex() for key in self.keys)]) + "\n"
        replace_file(self.path, text.encode())


def back_up(keys: KeyFile, target: Path) -> None:
    """A copy of the key file in a new file of its owner alone."""
    if os.path.lexists(target):
        raise LedgerRefused("exists already", where=f"backup {target.name}", remedy="choose another name")
    if not target.absolute().parent.is_dir():
        raise LedgerRefused("its folder does not exist", where=f"backup {target.name}", remedy="create the folder")
    with refusing(f"backup {target.name}"):
        replace(keys, path=target.absolute()).write()


def restore_key(backup: Path, target: Path, ledger: str, generation: int, check: str) -> None:
    """Put a backup in the key's place, private, if it fits the ledger; a key that fits is never replaced."""
    keys = KeyFile.read(backup, ledger, private=False)
    keys.refuse_other(generation, check)
    try:
        KeyFile.read(target, ledger).refuse_other(generation, check)
        fits = True
    except LedgerRefused:
        fits = False
    if fits:
        raise LedgerRefused("is in its place and fits", where=f"key {target}", remedy="nothing is to be done")
    with refusing(f"key {target}"):
        replace(keys, path=target).write()


def _key_of(line: str) -> bytes:
    try:
        key = bytes.fromhex(line)
    except ValueError:
        return b""
    return key if len(key) == KEY_BYTES and key.hex() == line else b""
