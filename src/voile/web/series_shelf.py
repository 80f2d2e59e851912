"""Ledgers as pages name them, and what a draft asks of one. Their contents are read by children alone."""

import hashlib
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voile.web.desk import Desk
from voile.web.draft import Draft
from voile.web.elements import tag
from voile.web.fingerprint import fingerprint
from voile.web.frame import awaited, refusal
from voile.web.sessions import Session

SERIES_STEPS = {"columns": "Columns", "promise": "Series and preview", "run": "Release", "result": "Result"}
CHOSEN = "series"  # in session.things: the ledger that was looked at last
KEPT = "series-books"  # in session.things: by ledger, what was read of it
USUAL_M = 4
OPTIONS = ("balance", "changed", "ineligible")  # of m_invariant, beside m
Books = Mapping[str, dict[str, Any]]


def key_of(name: str) -> str:
    """A ledger in an address: names may hold anything.

    >>> key_of("clinic/clinic.ledger")
    '1a2966e1bcd6679d'
    """
    return hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def address_of(name: str) -> str:
    """Where the history of a ledger is."""
    return f"/series/book/{key_of(name)}"


def title_of(name: str) -> str:
    """A ledger as a steward calls it.

    >>> title_of("clinic/clinic.ledger"), title_of("old/clinic.ledger")
    ('clinic', 'old/clinic')
    """
    path = Path(name)
    return path.stem if path.parent.name in ("", path.stem) else path.with_suffix("").as_posix()


def ledger_of_key(desk: Desk, key: str) -> tuple[str, Path] | None:
    """A ledger that is there now, by its address."""
    return next(((name, path) for name, path in desk.shelf.ledgers().items() if key_of(name) == key), None)


def with_books(
    desk: Desk,
    session: Session,
    ledgers: Mapping[str, Path],
    draw: Callable[[Books], None],
    *,
    charts: bool = False,
) -> None:
    """Have ledgers read by a child, then draw what they say in this place. What was read is kept while the files
    stay as they are."""
    kept: dict[str, _Kept] = session.things.setdefault(KEPT, {})
    stamps = {name: _stamp(path) for name, path in ledgers.items()}
    stale = [name for name in ledgers if name not in kept or not kept[name].fits(stamps[name], charts)]
    place = tag("div")

    def drawn() -> None:
        place.clear()
        with place:
            draw({name: kept[name].book for name in ledgers})

    def over() -> None:
        for name, book in job.document.get("books", {}).items():
            kept[name] = _Kept(stamps[name], book)
        if job.document:
            drawn()
            return
        place.clear()
        with place:
            refusal(job.error or {"what": "stopped", "remedy": "reload the page"})

    if not stale:
        drawn()
        return
    arguments = {"ledgers": {name: str(ledgers[name]) for name in stale}, "charts": charts}
    job = desk.jobs.start(session, "series_books", "Reading the ledgers", arguments, home="/series")
    with place:
        awaited(desk, job, over)


@dataclass(frozen=True)
class _Kept:
    """What a child read of a ledger, and how its files were just before."""

    stamp: tuple[object, ...]
    book: dict[str, Any]

    def fits(self, stamp: tuple[object, ...], charts: bool) -> bool:
        """Whether it can be shown again: nothing has changed, and it has all that is wanted."""
        return self.stamp == stamp and "error" not in self.book and (not charts or "charts" in self.book)


def _stamp(ledger: Path) -> tuple[object, ...]:
    """Size and time of the files that a ledger's page depends on; not their content, which is for children."""
    found: list[object] = []
    for path in (ledger, ledger.with_name(f"{ledger.name}-wal"), ledger.with_suffix(".toml")):
        try:
            status = path.stat()
            found.append((status.st_size, status.st_mtime_ns, status.st_ino))
        except OSError:
            found.append(None)
    return tuple(found)


def columns_of(session: Session, name: str) -> dict[str, Any]:
    """What the spec beside a ledger says of columns, as far as it was read."""
    kept = session.things.get(KEPT, {}).get(name)
    return dict(kept.book.get("columns", {})) if kept is not None else {}


def asked_of(desk: Desk, draft: Draft) -> dict[str, Any] | None:
    """What previewing and publishing need; None if the ledger is not chosen, or something is not there any more.
    Two that are equal are of the same table, declared alike."""
    name = str(draft.choice.get("ledger", ""))
    path = desk.shelf.ledgers().get(name)
    if path is None or not draft.path.is_file():
        return None
    spec = draft.write_spec()
    parameters = {option: draft.choice[option] for option in OPTIONS if draft.choice.get(option)}
    if draft.choice.get("first"):
        parameters["m"] = draft.choice.get("m") or 0
    return {
        "path": str(draft.path),
        "spec": str(spec),
        "fingerprint": fingerprint(draft.path, spec),
        "ledger": str(path),
        "parameters": parameters,
        "all_new": bool(draft.choice.get("all_new")),
    }


def command_of(draft: Draft, ledger: Path) -> str:
    """The same on the command line."""
    stem = Path(draft.named).stem or "table"
    words = ["voile", "publish", draft.named, "-s", f"{stem}.toml", "--ledger", str(ledger)]
    given = {option: draft.choice[option] for option in OPTIONS if draft.choice.get(option)}
    if draft.choice.get("first"):
        given = {"m": draft.choice.get("m"), **given}
    for name, value in given.items():
        words += ["-p", f"{name}={value}"]
    return shlex.join(words + (["--all-new"] if draft.choice.get("all_new") else []))


def commands_for(error: Mapping[str, Any], ledger: Path) -> list[str]:
    """Exact commands for what a ledger refuses: a page changes nothing that only its keeper can know."""
    if error.get("kind") != "LedgerRefused":
        return []
    remedy = str(error.get("remedy", ""))
    found = [shlex.join(["voile", "ledger", "verify", str(ledger)])]
    if "recover" in remedy:
        attest = ["--attest-current"] if "--attest-current" in remedy else []
        found.append(shlex.join(["voile", "ledger", "recover", str(ledger), *attest]))
    if "--restore" in remedy:
        found.append(shlex.join(["voile", "ledger", "key", str(ledger), "--restore"]) + " FILE")
    return found


def refused(error: Mapping[str, Any], ledger: Path) -> None:
    """Why a ledger refused, what would work, and the commands to do it."""
    refusal(error)
    commands(commands_for(error, ledger))


def commands(lines: list[str]) -> None:
    """Command lines to copy."""
    for line in lines:
        name = f"command-{hashlib.sha256(line.encode()).hexdigest()[:8]}"
        with tag("div", classes="command"):
            tag("pre", line, id=name, tabindex="0", role="region", aria_label="command line")
            tag("button", "Copy", "button plain", type="button", data_copies=name)
