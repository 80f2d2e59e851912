"""Publishers that break the protocol in one place, made from the product by swapping one function.

Each is applied in a forked child only. A suite that lets one of them pass proves nothing.
"""

import contextlib
import os
from collections.abc import Callable

import numpy as np

from voile.ledger import database, file_home, lock, memory, places, store
from voile.ledger import keys as key_files
from voile.ledger import witness as witnesses
from voile.output import staging


def reveal_before_reserve() -> None:
    """Nothing is durable in the ledger until the release is visible: all records in one transaction at the end."""

    @contextlib.contextmanager
    def left_open(connection):
        if not connection.in_transaction:
            connection.execute("begin immediate")
        yield

    commit = store.Ledger.commit

    def at_last(self, release):
        commit(self, release)
        self._hold.connection.execute("commit")

    file_home.transaction = left_open
    store.Ledger.commit = at_last


def commit_before_reveal() -> None:
    """The ledger says published while the folder is still hidden."""
    waiting = []
    reveal, commit = staging.Staging.reveal, store.Ledger.commit

    def early(self, release):
        commit(self, release)
        reveal(waiting.pop())

    staging.Staging.reveal = lambda self: waiting.append(self)
    store.Ledger.commit = early


def memory_at_commit() -> None:
    """Persons are remembered when the release is committed, not when it is reserved."""
    waiting = []
    write, commit = memory._write, store.Ledger.commit

    def late(self, release):
        for connection, page in waiting:
            write(connection, page)
        commit(self, release)

    memory._write = lambda connection, page: waiting.append((connection, page))
    store.Ledger.commit = late


def no_audit() -> None:
    """The bytes are recorded after they were revealed."""
    audited, commit = store.Ledger.audited, store.Ledger.commit
    waiting = []

    def late(self, release):
        audited(self, *waiting.pop())
        commit(self, release)

    store.Ledger.audited = lambda self, *arguments: waiting.append(arguments)
    store.Ledger.commit = late


def sequence_reused() -> None:
    """The next release takes the number of the last one."""
    store.Ledger.next_release = property(lambda self: max(1, len(self.releases())))


def no_lock() -> None:
    """Everybody believes to be alone."""
    lock.Lock._taken = lambda self, kind: True


def forgetful() -> None:
    """Hardly anybody is recalled (nobody at all would be refused): persons get a second signature."""
    recall = store.Ledger.recall

    def mostly_nobody(self, people):
        found = recall(self, people).copy()
        found[1 + int(np.argmax(found > 0)) :] = memory.UNKNOWN
        return found

    store.Ledger.recall = mostly_nobody
    store.Ledger._refuse_reservation = lambda *arguments: None


def no_sync_of_the_release() -> None:
    """The folder is renamed before its bytes are on the disk."""
    staging._sync = lambda path: None


def no_sync_of_the_ledger() -> None:
    """SQLite is told not to wait for the disk."""
    pragma = database.pragma

    def careless(connection, name, value, expected):
        pragma(connection, name, *(("off", 0) if name == "synchronous" else (value, expected)))

    database.pragma = careless


def no_sync_of_small_files() -> None:
    """Key and witness are replaced without a sync of their bytes."""

    def careless(path, content):
        temporary = path.with_name(f".{path.name}-draft")
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.write(handle, content)
        os.close(handle)
        os.replace(temporary, path)
        places.sync_folder(path.parent)

    key_files.replace_file = witnesses.replace_file = careless


def no_sweeping() -> None:
    """What a killed run left stays."""
    staging.sweep = lambda parent: None


def open_to_others() -> None:
    """Private files take their mode from the user's mask."""
    initialise = os.open

    def careless(path, flags, mode=0o777, **more):
        return initialise(path, flags, mode | 0o066, **more)

    os.open = careless


MUTANTS: dict[str, Callable[[], None]] = {
    mutant.__name__: mutant
    for mutant in (
        reveal_before_reserve,
        commit_before_reveal,
        memory_at_commit,
        no_audit,
        sequence_reused,
        no_lock,
        forgetful,
        no_sync_of_the_release,
        no_sync_of_the_ledger,
        no_sync_of_small_files,
        no_sweeping,
        open_to_others,
    )
}


def apply(name: str) -> None:
    """Become that mutant, or one that dies at a statement (dies:WHEN), or several of them (a+b)."""
    from tests.crash.statements import die_at

    for one in name.split("+"):
        if one.startswith("dies:"):
            die_at(one.removeprefix("dies:"))
        else:
            MUTANTS[one]()
