"""After an interruption: what can be settled by looking, what an operator must attest, and what is wrong."""

import os
import stat
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from voile.errors import LedgerRefused, counted
from voile.ledger.chain import AUDITED, DANGLING, PUBLISHED, ReleaseRecord
from voile.ledger.keys import KeyFile
from voile.ledger.manifests import contradiction, newer_than, series_of
from voile.ledger.opening import refuse_other_history
from voile.ledger.places import disk_problem, file_digest, this_machine
from voile.ledger.store import Ledger, Place
from voile.ledger.view import LedgerView
from voile.ledger.witness import Witness, witness_of

COMMITTED, ABANDONED, OPEN, REFUSED = "committed", "abandoned", "open", "refused"


@dataclass(frozen=True)
class Outcome:
    """What recovery did about a release, or why it did nothing."""

    release: int
    result: str  # committed, abandoned, open (an operator must attest), refused
    why: str


@dataclass(frozen=True)
class Finding:
    """One thing that was verified (ok), is wrong (not ok) or could not be verified (None)."""

    ok: bool | None
    what: str


def dangling(ledger: Ledger | LedgerView) -> list[ReleaseRecord]:
    """Releases that were begun and neither committed nor abandoned: they count as published."""
    return [release for release in ledger.releases() if release.state in DANGLING]


def recover(ledger: Ledger, not_published: Collection[int] = ()) -> list[Outcome]:
    """Settle interrupted releases: visible with the audited bytes is committed; absent is abandoned where the
    operator attests that nobody ever saw it; anything else is left as it is, with the reason.

    An operator can err about a release that was audited, so about to be revealed: its persons stay remembered, and
    if it turns up it is committed. One that was only reserved cannot have been revealed.
    """
    strangers = set(not_published) - {release.number for release in dangling(ledger)}
    if strangers:
        raise LedgerRefused(
            f"release {min(strangers)} was not interrupted",
            where=ledger.home.where,
            remedy="voile ledger show tells which releases are open; withdraw one that was published",
        )
    outcomes = []
    known = ledger.releases()
    for release in reversed(known):  # the last first: what no later release relied on can be forgotten
        if release.state not in DANGLING and not _turned_up(release):
            continue
        elsewhere = release.machine not in ("", this_machine(ledger.id))
        outcome = _judged(release, release.number in not_published, known, elsewhere)
        if outcome.result == COMMITTED:
            ledger.commit(release.number)
        elif outcome.result == ABANDONED:
            reason = "an operator attests that it was never published"
            ledger.abandon(release.number, reason, forget=release.state != AUDITED)
        outcomes.append(outcome)
    return outcomes[::-1]


def _turned_up(release: ReleaseRecord) -> bool:
    """Whether an abandoned release is visible after all."""
    return release.may_turn_up and _compared(release, Path(release.folder)) == (True, "")


def _judged(release: ReleaseRecord, attested: bool, known: list[ReleaseRecord], elsewhere: bool) -> Outcome:
    folder = Path(release.folder)
    state, problem = _compared(release, folder)
    if problem:
        return Outcome(release.number, REFUSED, f"its folder {problem}")
    if not state and any(_compared(other, folder)[0] for other in known if other.number != release.number):
        state = None  # another release has its place: of this one nothing is there
    if state is None and attested:
        return Outcome(release.number, ABANDONED, "its folder is absent, and you attest that nobody saw it")
    if state is None:
        absent = "is absent here, and it was begun on another machine: recover there" if elsewhere else "is absent"
        why = f"its folder {absent}; if nobody ever saw it: --attest-not-published {release.number}"
        return Outcome(release.number, OPEN, f"{why}; if it was published, put the folder back")
    if state and attested:
        return Outcome(release.number, REFUSED, "its folder is visible, complete: it was published; do not attest")
    if state:
        return Outcome(release.number, COMMITTED, "its folder is visible, with the bytes that were audited")
    why = "a folder is in its place, but not with the bytes that were audited"
    return Outcome(release.number, REFUSED, f"{why}; find out who wrote it, move it away, and recover again")


def _compared(release: ReleaseRecord, folder: Path) -> tuple[bool | None, str]:
    """Whether a folder holds the audited bytes (None where there is nothing), and why that cannot be told."""
    try:
        if not os.listdir(folder):
            return None, ""
        files = release.files.items()
        return bool(files) and all(_digest(folder / name) == sha256 for name, sha256 in files), ""
    except (FileNotFoundError, NotADirectoryError):
        return None, ""
    except OSError as error:  # nobody can say that it is absent
        return False, "; ".join(disk_problem(error))


def _digest(path: Path) -> str:
    """Of a file's bytes; "" where there is no file."""
    try:
        return file_digest(path) if stat.S_ISREG(os.stat(path).st_mode) else ""
    except (FileNotFoundError, NotADirectoryError):
        return ""


def verify(path: Place, key: str | Path | None = None, releases: Iterable[str | Path] = ()) -> list[Finding]:
    """Everything that can be checked without writing, and what could not be."""
    try:
        view = Ledger.read(path, key)
    except LedgerRefused as refusal:
        return [Finding(False, str(refusal))]
    parts = [
        counted(len(view.chain), "record"),
        counted(len(view.signatures()), "signature"),
        counted(view.persons, "person"),
    ]
    findings = [Finding(True, f"chain and memory are sound: {', '.join(parts)}")]
    if view.content.moved_to:
        findings.append(Finding(False, f"it was moved to {view.content.moved_to}: use that one"))
    findings += [_key_finding(view), *_witness_findings(view)]
    findings += _release_findings(view, [Path(folder) for folder in releases])
    return findings


def _key_finding(view: LedgerView) -> Finding:
    if not os.path.lexists(view.key_path):
        why = f"not checked: the key is not at {view.key_path}"
        return Finding(
            None, f"{why}; publishing will refuse until you restore it: voile ledger key --restore FILE"
        )
    content = view.content
    return _tried(
        lambda: KeyFile.read(view.key_path, view.id).refuse_other(content.generation, content.check),
        f"the key at {view.key_path} fits, generation {content.generation}",
    )


def _witness_findings(view: LedgerView) -> list[Finding]:
    path = witness_of(view.key_path)
    if not os.path.lexists(path):
        why = "not checked: no witness is beside the key to tell whether this is the newest copy"
        return [Finding(None, f"{why}; publishing will refuse until voile ledger recover --attest-current")]
    seen: list[Witness] = []

    def compare() -> None:
        witness = Witness.read(path, view.id)
        if witness is not None:
            refuse_other_history(witness, view.content, view.home.where)
            seen.append(witness)

    first = _tried(compare, "it holds everything the witness has seen")
    words = view.home.seal_words
    if not first.ok or view.seal is None or seen[0].sha256 is None:
        why = "somebody is writing, or was interrupted: the next publication checks everything"
        return [first] + ([Finding(None, f"not checked whether {words.same} ({why})")] if first.ok else [])
    same = view.seal == seen[0].sha256
    return [first, Finding(same, words.same if same else f"it {words.other}: restore the newest copy")]


def _release_findings(view: LedgerView, folders: list[Path]) -> list[Finding]:
    known = view.releases()
    places = {release.number: Path(release.folder) for release in known}
    findings = []
    for folder in folders:
        series = series_of(folder)
        if series is None or series.get("ledger") != view.id:
            findings.append(Finding(False, f"{folder.name} holds no release of this ledger"))
        elif not contradiction(series, known):
            places[series["release"]] = folder
    nearby = [*folders, *(place for place in places.values() if os.path.isdir(place))]
    findings.append(_tried(lambda: newer_than(view, nearby), "no release is nearby that it does not remember"))
    return findings + [_release_finding(release, places[release.number]) for release in known]


def _release_finding(release: ReleaseRecord, folder: Path) -> Finding:
    name = f"release {release.number}"
    if release.state in DANGLING:
        return Finding(False, f"{name} was interrupted ({release.state}): run voile ledger recover")
    if release.state != PUBLISHED:
        return Finding(True, f"{name} is {release.state}")
    state, problem = _compared(release, folder)
    if problem:
        return Finding(None, f"{name}: not checked, {folder} {problem}")
    if state is None:
        return Finding(None, f"{name}: not checked, it is not at {folder}; name its folder with --release")
    same = "are those that were audited" if state else "are NOT those that were audited"
    return Finding(state, f"{name}: the files in {folder} {same}")


def _tried(check: Callable[[], None], good: str) -> Finding:
    try:
        check()
    except LedgerRefused as refusal:
        return Finding(False, str(refusal))
    return Finding(True, good)
