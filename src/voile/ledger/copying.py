"""Moving a ledger: copied whole, verified from what was written, and only then does the old one end.

Two copies of a ledger that both go on would publish separately and disclose together. So at every moment at most
one can be written. The copy is made with a last record, `moved`, that the old one does not have yet: nobody can
write to it. Then the old one gets that very record, and ends. Then the copy gets its next one, `arrived`, and goes
on. A run that was interrupted anywhere is finished by giving the same command again.
"""

import datetime
import secrets
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from voile.errors import LedgerRefused
from voile.ledger.chain import MOVED, Record
from voile.ledger.content import Content, write_content
from voile.ledger.database import refusing
from voile.ledger.home import Home
from voile.ledger.keys import KeyFile
from voile.ledger.opening import refuse_retired
from voile.ledger.store import Ledger
from voile.ledger.view import LedgerView


def copy_ledger(
    source: Home, target: Home, key: Path | None = None, waiting: Callable[[], None] | None = None
) -> LedgerView:
    """Move a ledger to a new place, or finish moving it; returns what is there then."""
    if target.is_missing():
        refuse_retired(Ledger.read(source, key).content, source)
    elif _arrived(source, target, key):
        return Ledger.read(target, key)
    with Ledger.open(source, key, waiting=waiting, moving=True) as old:
        if target.is_missing():
            refuse_retired(old.content, source)  # by somebody else, meanwhile
            _write_copy(old.content, target)
        copy = Ledger.read(target, key)
        _refuse_other(copy, old)
        if not old.content.moved_to:
            old.retire(copy.content.head)
    with Ledger.open(target, key, waiting=waiting, moving=True) as new:
        if new.content.moved_to:
            new.arrive()
    return Ledger.read(target, key)


def _arrived(source: Home, target: Home, key: Path | None) -> bool:
    """Whether all was done already: the copy holds everything of the old one, and went on after it."""
    before, after = Ledger.read(source, key).chain, Ledger.read(target, key).chain
    return before[-1].kind == MOVED and len(after) > len(before) and after[: len(before)] == before


def _write_copy(content: Content, target: Home) -> None:
    """Everything, and the record that nobody can write after."""
    date = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    body = {"to": f"{target.kind}, {target.name}", "date": date, "salt": secrets.token_hex(16)}
    whole = replace(content, chain=(*content.chain, Record.after(content.chain, MOVED, body)))
    with refusing(target.where):
        target.create(lambda: None, lambda connection: write_content(connection, whole), lambda seal: None)


def _refuse_other(copy: LedgerView, old: Ledger) -> None:
    """Compare what was read back, verified, with the ledger that is to end."""
    records = old.chain if old.content.moved_to else (*old.chain, copy.chain[-1])
    same = copy.chain == records and copy.chain[-1].kind == MOVED
    if not same or copy.id != old.id or copy.content.digest() != old.content.digest():
        raise LedgerRefused(
            "is there already, and is not this ledger as it is now",
            where=copy.home.where,
            rule="nothing is written over",
            remedy="choose another name for the copy",
        )
    KeyFile.read(old.key_path, copy.id).refuse_other(copy.content.generation, copy.content.check)
